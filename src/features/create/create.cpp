// SPDX-License-Identifier: Apache-2.0

#include "features/create/create.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/arena.h"
#include "base/text/text.h"
#include "features/create/templates.h"
#include "k8s/name_syntax.h"
#include "k8s/quantity.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::create {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr int64_t kLeastMpiNodes =
    2;  // the launcher counts as a node, and at least one worker is always created

constexpr std::array kFrameworks = std::to_array<NewFramework>({
    {"torch", "torch-distributed", "torch", "torch", "torchrun /workspace/train.py"},
    {"torchtune", "torchtune-llama3.2-1b", "torchtune", "torch", ""},
    {"deepspeed", "deepspeed-distributed", "deepspeed", "mpi", "mpirun python /workspace/train.py"},
    {"mlx", "mlx-distributed", "mlx", "mpi", "mpirun python /workspace/train.py", false},
    {"mpi", "", "mpi", "mpi", "mpirun python /workspace/train.py"},
    {"jax", "jax-distributed", "jax", "jax", "python /workspace/train.py"},
    {"xgboost", "xgboost-distributed", "xgboost", "xgboost", "python /workspace/train.py", false},
    {"flux", "", "flux", "flux", "python /workspace/train.py"},
    {"plain", "", "plainml", "", "python /workspace/train.py"},
});

// The value as YAML text, so that a number that isn't meant as one gets quotes.
std::string as_text(const std::string& value) {
  std::string out;
  if (value.find('\n') != std::string::npos) {
    yaml::write_json_string(value, out);
    return out;
  }
  base::Arena arena;
  yaml::write_yaml(*yaml::Maker(arena).copied(value), yaml::KeyOrder::AsIs, out);
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

// The value as a number; 010 would be octal.
std::string as_number(const std::string& value) {
  const bool is_number =
      !value.empty() && value.size() < 19 && (value == "0" || !value.starts_with('0')) &&
      value.find_first_not_of("0123456789", value.starts_with('-') ? 1 : 0) == std::string::npos;
  return is_number ? value : as_text(value);
}

// The words as a list on one line, or, if it is long, with an item per line.
std::string as_list(const std::vector<std::string>& words) {
  constexpr size_t kLongest = 88;
  constexpr std::string_view kItem = "\n    - ";
  constexpr std::string_view kSpecial = ",[]{}";
  std::string line;
  std::string items;
  for (const std::string& word : words) {
    const std::string item = as_text(word);
    items += std::string(kItem) + item;
    const bool is_plain = item.front() != '"' && item.front() != '\'';
    if (!line.empty()) line += ", ";
    if (is_plain && item.find_first_of(kSpecial) != std::string::npos) {
      yaml::write_json_string(word, line);
    } else {
      line += item;
    }
  }
  return line.size() <= kLongest ? fmt::format("[{}]", line) : items;
}

// The keys of the templates that have the name of the flag they come from.
constexpr std::array<std::string_view, 17> kOfFlags{
    "claim",     "claim-path", "command",   "cpu",   "dataset",      "dataset-secret",
    "gpus",      "image",      "memory",    "model", "model-secret", "name",
    "namespace", "nodes",      "processes", "queue", "shared-memory"};

std::string flag_of(std::string_view key) {
  if (key == "access") return "--nodes";
  return base::contains(kOfFlags, key) ? fmt::format("--{}", key) : "";
}

void append(Draft& draft, const std::vector<FilledLine>& lines) {
  for (const FilledLine& line : lines) {
    const std::string flag = flag_of(line.key.empty() ? line.condition : line.key);
    for (const std::string_view part : base::split(line.text, "\n"))
      draft.lines.push_back({std::string(part), flag});
  }
}

void set(Values& values, std::string_view key, const std::string& value,
         std::string (*as_yaml)(const std::string&) = as_text) {
  if (!value.empty()) values.set(key, as_yaml(value));
}

// Sets the volumes of the pods, in a patch or in a runtime.
void set_volumes(Values& values, const JobRequest& wanted) {
  set(values, "claim", wanted.claim);
  values.set("claim-path", as_text(wanted.claim_path));
  set(values, "shared-memory", wanted.shared_memory);
  if (!wanted.claim.empty() || !wanted.shared_memory.empty()) values.set("volumes");
}

void set_initializers(Values& values, const JobRequest& wanted) {
  set(values, "dataset", wanted.dataset);
  set(values, "dataset-secret", wanted.dataset_secret);
  set(values, "model", wanted.model);
  set(values, "model-secret", wanted.model_secret);
  if (!wanted.dataset.empty() || !wanted.model.empty()) values.set("initializer");
}

Values job_values(const JobRequest& wanted) {
  Values values;
  set(values, "name", wanted.name);
  set(values, "namespace", wanted.ns);
  set(values, "queue", wanted.queue);
  set(values, "image", wanted.image);
  set(values, "nodes", wanted.nodes, as_number);
  set(values, "processes", wanted.processes, as_number);
  set(values, "cpu", wanted.cpu, as_number);
  set(values, "memory", wanted.memory, as_number);
  if (!is_zero(wanted.gpus)) set(values, "gpus", wanted.gpus, as_number);
  if (!wanted.command.empty()) values.set("command", as_list(wanted.command));
  if (wanted.command_is_guess) values.assumed.insert("command");
  for (const std::string_view resource : {"cpu", "memory", "gpus"}) {
    if (values.has(resource)) values.set("resources");
  }
  set_initializers(values, wanted);
  return values;
}

Draft job_of(const JobRequest& wanted, const Values& values) {
  Draft draft;
  for (const std::string& remark : wanted.remarks) draft.lines.push_back({"# " + remark, ""});
  append(draft, fill(text_of(Template::Job), values));
  return draft;
}

// Assumes what the runtime sets, such as the number of nodes, where the request says nothing.
void assume_runtime(Values& values, const RuntimeFacts& runtime) {
  values.set("runtime", as_text(runtime.name));
  if (!runtime.kind.empty() && runtime.kind != model::kClusterTrainingRuntime)
    values.set("kind", runtime.kind);
  if (!values.has("nodes")) values.set("nodes", std::to_string(runtime.nodes.value_or(1)));
}

// Nothing derives numProcPerNode from a node's GPUs, and mpirun starts as many processes.
void assume_processes(Values& values, const JobRequest& wanted, bool is_mpi, bool is_torch,
                      std::optional<int64_t> runtime_gpus) {
  if (!wanted.processes.empty()) return;
  const std::string gpus = wanted.gpus.empty() ? std::to_string(runtime_gpus.value_or(0)) : wanted.gpus;
  if (is_mpi) values.set("processes", is_zero(gpus) ? "1" : as_number(gpus));
  if (is_torch && is_zero(gpus)) values.set("processes", "1");
}

// Blames the flag for what is wrong on the first line that begins like this.
void blame(Draft& draft, std::string_view beginning, std::string flag) {
  const auto line = std::ranges::find_if(
      draft.lines, [&](const DraftLine& one) { return one.text.starts_with(beginning); });
  if (line != draft.lines.end()) line->flag = std::move(flag);
}

const yaml::Node* first_container(const yaml::Node& replicated_job) {
  const auto containers =
      yaml::items_at(replicated_job, {"template", "spec", "template", "spec", "containers"});
  return containers.empty() ? nullptr : containers.front();
}

void add_replicated_job(RuntimeFacts& facts, const yaml::Node& job) {
  const std::string_view step = model::ancestor_of(job);
  facts.steps.emplace(step);
  const yaml::Node* container = first_container(job);
  if (!container) return;
  const bool trains = step == model::kTrainer;
  const std::string_view name = yaml::text_at(job, "name");
  if (!trains && !(facts.is_mpi && name == model::kNode)) return;
  facts.targets.push_back({std::string(name), std::string(yaml::text_at(*container, "name"))});
  if (!trains) return;
  facts.image = yaml::text_at(*container, "image");
  facts.has_command =
      !yaml::items_at(*container, "command").empty() || !yaml::items_at(*container, "args").empty();
  if (const yaml::Node* limit = container->at({"resources", "limits", kGpu})) facts.gpus = limit->as_int();
}

}  // namespace

std::span<const NewFramework> frameworks() {
  return kFrameworks;
}

const NewFramework* find_framework(std::string_view name) {
  const auto found = std::ranges::find(kFrameworks, name, &NewFramework::name);
  return found != kFrameworks.end() ? &*found : nullptr;
}

std::optional<RuntimeFacts> facts_of(std::string_view runtime) {
  const yaml::Text text(runtime);
  if (!text.root()) return std::nullopt;
  const yaml::Node& root = *text.root();
  RuntimeFacts facts;
  facts.kind = yaml::text_at(root, "kind");
  facts.name = yaml::text_at(root, {"metadata", "name"});
  facts.ns = yaml::text_at(root, {"metadata", "namespace"});
  if (const yaml::Node* policy = root.at({"spec", "mlPolicy"})) {
    if (const yaml::Node* nodes = policy->get("numNodes")) facts.nodes = nodes->as_int();
    facts.is_mpi = policy->get("mpi") != nullptr;
    facts.has_torch = policy->get("torch") != nullptr;
  }
  for (const yaml::Node* job : yaml::items_at(root, {"spec", "template", "spec", "replicatedJobs"}))
    add_replicated_job(facts, *job);
  const bool launcher_is_node =
      yaml::value_at(root, {"spec", "mlPolicy", "mpi", "runLauncherAsNode"}) == "true";
  if (launcher_is_node && facts.targets.size() > 1)
    facts.nodes = std::max(facts.nodes.value_or(1), kLeastMpiNodes);
  return facts;
}

int64_t own_nodes(const NewFramework& framework) {
  return framework.policy == "mpi" ? kLeastMpiNodes : 1;
}

bool is_zero(std::string_view amount) {
  const auto quantity = k8s::Quantity::parse(amount);
  return quantity && quantity->sign() == 0;
}

std::string Draft::text() const {
  std::string out;
  for (const DraftLine& line : lines) out += line.text + "\n";
  return out;
}

std::string_view Draft::flag_at(size_t line) const {
  return line > 0 && line <= lines.size() ? std::string_view(lines[line - 1].flag) : std::string_view();
}

Draft draft_job(const JobRequest& wanted, const RuntimeFacts& runtime) {
  Values values = job_values(wanted);
  assume_runtime(values, runtime);
  assume_processes(values, wanted, runtime.is_mpi, runtime.has_torch && !runtime.has_command, runtime.gpus);
  if (wanted.image.empty() && runtime.is_framework_image && !runtime.is_mpi && !runtime.has_command) {
    values.set("image", as_text(runtime.image));
    values.assumed.insert("image");
  }
  Draft draft = job_of(wanted, values);
  blame(draft, "    name: ", "runtime " + runtime.name);
  set_volumes(values, wanted);
  if (!values.has("volumes")) return draft;
  values.set("manager", as_text("example.com/" + wanted.name));
  values.assumed.insert("manager");
  values.set("first");
  for (const RuntimeFacts::Target& target : runtime.targets) {
    values.set("target", as_text(target.job));
    values.set("container", as_text(target.container));
    append(draft, fill(text_of(Template::Patch), values));
    values.of_key.erase("first");
  }
  return draft;
}

Draft draft_with_runtime(const JobRequest& wanted, const NewFramework& framework) {
  const bool is_mpi = framework.policy == "mpi";
  RuntimeFacts runtime;
  runtime.kind = !wanted.ns.empty() ? model::kTrainingRuntime : model::kClusterTrainingRuntime;
  // With an invalid name, no job is written; the errors are about the name itself.
  runtime.name = (k8s::is_dns_subdomain(wanted.name) ? wanted.name : "job") + "-runtime";
  runtime.nodes = own_nodes(framework);
  Values values = job_values(wanted);
  assume_runtime(values, runtime);
  assume_processes(values, wanted, is_mpi, framework.policy == "torch", {});
  values.set("kind", runtime.kind);
  if (!framework.label.empty()) values.set("framework", std::string(framework.label));
  if (!framework.policy.empty()) values.set(framework.policy);
  if (!wanted.gang.empty()) {
    values.set("gang");
    values.set(wanted.gang);
  }
  set_volumes(values, wanted);
  if (values.has("volumes") || values.has("initializer")) values.set("mounts");
  values.set("access", values.of_key.at("nodes") == "1" ? "ReadWriteOnce" : "ReadWriteMany");
  Draft draft;
  append(draft, fill(text_of(is_mpi ? Template::MpiRuntime : Template::Runtime), values));
  blame(draft, "  name: ", "--name");  // it is made from the job's name
  draft.lines.push_back({"---", ""});
  if (wanted.ns.empty()) values.of_key.erase("kind");
  values.of_key.erase("image");
  Draft job = job_of(wanted, values);
  std::ranges::move(job.lines, std::back_inserter(draft.lines));
  return draft;
}

}  // namespace trainjobc::create
