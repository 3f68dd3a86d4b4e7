// SPDX-License-Identifier: Apache-2.0

// Torch: torchrun reads its arguments from PET_* variables, so the controller sets those on the container
// that trains, opens the rendezvous port, and rewrites the command of torchtune.
#include "policy/plugins/torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"
#include "policy/webhook_rules.h"
#include "yaml/node.h"

namespace trainjobc::policy::torch {

// The number of processes that torchrun starts on a node.

namespace {

using yaml::Node;

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kCpu = "cpu";

// The whole CPUs of a list, rounded up; 0 if there are none.
int64_t cpus_of(const Node* list) {
  const Node* cpu = list ? list->get(kCpu) : nullptr;
  const auto quantity = cpu ? k8s::Quantity::parse(cpu->text()) : std::nullopt;
  return quantity ? quantity->value() : 0;
}

ProcPerNode given_processes(const RuntimeInfo& info) {
  const Node* given = info.job->trainer ? info.job->trainer->num_proc_per_node : nullptr;
  return read_processes(given ? given : info.policy->torch->num_proc_per_node);
}

// Whether a list of the job's resources shows that it trains on CPUs.
bool counts_cpus(const ProcPerNode& given, const Node& list) {
  if (given.number) return false;
  if (given.word == kAuto) return !names_gpu(list);
  return given.word == kCpu && list.get(kCpu);
}

// Implements TorchProcesses::JobResources.
ProcPerNode from_job_resources(const RuntimeInfo& info, ProcPerNode given) {
  const Node* resources = info.job->trainer ? info.job->trainer->resources_per_node : nullptr;
  if (!resources) return given;
  for (const Node* list : {resources->get("limits"), resources->get("requests")}) {
    if (list && counts_cpus(given, *list)) return {std::max<int64_t>(1, cpus_of(list)), "", resources};
  }
  // Without requests the controller ignores the limits.
  if (!resources->get("requests") || given.word == kCpu) return {1, "", resources};
  return given;
}

// Implements TorchProcesses::NodeResources.
ProcPerNode from_node_resources(const RuntimeInfo& info, ProcPerNode given) {
  if (given.number) return given;
  const NodeResources resources = resources_per_node(info);
  const bool by_cpus = given.word == kCpu || (given.word == kAuto && gpus_per_node(resources) == 0);
  if (!by_cpus) return {std::nullopt, given.word, resources.source};
  const int64_t requested = cpus_of(resources.requests);
  const int64_t cpus = requested != 0 ? requested : cpus_of(resources.limits);
  return {std::max<int64_t>(1, cpus), "", resources.source};
}

// The job's numProcPerNode, otherwise the runtime's; if that is not a number, the one that the Trainer
// version derives from the resources.
ProcPerNode proc_per_node(const RuntimeInfo& info) {
  ProcPerNode given = given_processes(info);
  switch (info.behaviours->torch.processes) {
    case model::TorchProcesses::JobResources: return from_job_resources(info, std::move(given));
    case model::TorchProcesses::NodeResources: return from_node_resources(info, std::move(given));
  }
  return given;
}

// Elastic torchrun: a range of nodes instead of a number, in runtimes of dialects.

constexpr std::string_view kRendezvousBackend = "PET_RDZV_BACKEND";
constexpr std::string_view kRendezvousHost = "PET_RDZV_ENDPOINT";
constexpr std::string_view kRendezvousId = "PET_RDZV_ID";
constexpr std::string_view kRendezvousConfig = "PET_RDZV_CONF";
constexpr std::string_view kMaxRestarts = "PET_MAX_RESTARTS";

// A setting of elastic torchrun, which may be a variable or a flag.
struct ElasticSetting {
  std::string_view variable;  // PET_RDZV_BACKEND
  std::string value;
  const Node* source = nullptr;

  // --rdzv_backend
  std::string flag() const {
    constexpr std::string_view kPrefix = "PET_";
    return "--" + base::lower_case(variable.substr(kPrefix.size()));
  }
};

const model::ElasticPolicy* elastic_of(const RuntimeInfo& info) {
  const auto& elastic = info.policy->torch->elastic;
  return elastic ? &*elastic : nullptr;
}

constexpr std::string_view kIsHost = "is_host=";

bool is_config(const Node* env) {
  return text_at(*env, "name") == kRendezvousConfig;
}

std::string_view value_of(const Node& env) {
  return text_at(env, "value");
}

// The job's own setting, which replaces any other; nullptr if there is none.
const Node* config_of_job(const RuntimeInfo& info) {
  const Node* list = info.job->trainer ? info.job->trainer->env : nullptr;
  if (!list) return nullptr;
  const auto own = std::ranges::find_if(list->items(), is_config);
  return own != list->items().end() ? *own : nullptr;
}

// The first node must host the rendezvous, but torchrun 1.13 does not recognize the endpoint, which lacks the
// cluster's domain, as its own name. If told to host one, every node does, and all use the endpoint's.
std::string rendezvous_config(const RuntimeInfo& info, const Container& container) {
  if (const Node* own = config_of_job(info)) return std::string(value_of(*own));
  const auto given = std::ranges::find_if(container.env, is_config);
  const std::string_view value = given != container.env.end() ? value_of(**given) : std::string_view();
  if (value.find(kIsHost) != std::string_view::npos) return std::string(value);
  return fmt::format("{}true{}{}", kIsHost, value.empty() ? "" : ",", value);
}

// PET_NNODES: "2", or "2:8" if the runtime is elastic.
std::string node_range(const RuntimeInfo& info, int64_t nodes) {
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic || (!elastic->min_nodes && !elastic->max_nodes)) return std::to_string(nodes);
  const int64_t most = elastic->max_nodes ? elastic->max_nodes->value : nodes;
  const int64_t least = elastic->min_nodes ? elastic->min_nodes->value : std::min<int64_t>(1, most);
  return fmt::format("{}:{}", least, most);
}

// The settings of torchrun's rendezvous, and how often it may restart its workers. None if the runtime is not
// elastic. Source of the rule: the API's own documentation, "only the c10d backend is supported", and
// torchrun's variables.
std::vector<ElasticSetting> elastic_settings(const RuntimeInfo& info, const Container& container) {
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic) return {};
  std::vector<ElasticSetting> settings{
      {kRendezvousBackend, "c10d", elastic->node},
      {kRendezvousHost, fmt::format("{}:{}", first_node_address(info), model::kTrainerPort), elastic->node},
      {kRendezvousId, std::string(info.job_name()), elastic->node}};
  if (std::string config = rendezvous_config(info, container); !config.empty())
    settings.push_back({kRendezvousConfig, std::move(config), elastic->node});
  if (elastic->max_restarts)
    settings.push_back(
        {kMaxRestarts, std::to_string(elastic->max_restarts->value), elastic->max_restarts->node});
  return settings;
}

// Adds the variables of the rendezvous. Does nothing if the runtime is not elastic.
void inject_rendezvous(PluginContext& context, Container& container) {
  const yaml::Maker& make = context.make;
  const Node* own = elastic_of(context.info) ? config_of_job(context.info) : nullptr;
  if (own && value_of(*own).find(kIsHost) == std::string_view::npos) {
    context.findings.add(
        "advice/generated-env", "spec.trainer.env",
        fmt::format("{} replaces is_host=true, without which torchrun 1.13 starts no rendezvous",
                    kRendezvousConfig),
        own, "add is_host=true to the value");
  }
  for (const ElasticSetting& setting : elastic_settings(context.info, container)) {
    upsert_env(container.env, env_value(make, setting.variable, setting.value,
                                        make.made("torch/elastic", {setting.source})));
  }
}

// Makes the job complete when its first node does, to which the others connect: otherwise it would wait
// forever for a node that never started, or was lost. Does nothing if the runtime is not elastic.
void complete_with_first_node(PluginContext& context, PodSet& trainer) {
  const model::ElasticPolicy* elastic = elastic_of(context.info);
  if (!elastic || trainer.replicated_job->at({"template", "spec", "successPolicy"})) return;
  const yaml::Maker& make = context.make;
  const yaml::Origin origin = make.made("torch/elastic", {elastic->node});
  const Node* rule = make.map({{"succeededIndexes", make.string("0", origin)}}, origin);
  const Node* policy = make.map({{"rules", make.list(NodeList{rule}, origin)}}, origin);
  trainer.replicated_job =
      make.with_path(trainer.replicated_job, {"template", "spec", "successPolicy"}, policy);
}

// --torchrun flags: for images in which torchrun ignores the environment.

// Before 2.0, torchrun only knows --nproc_per_node; since then, also --nproc-per-node.
struct Flag {
  std::string name;
  std::string value;

  std::string with_dashes() const {
    std::string other = name;
    std::ranges::replace(other, '_', '-');
    return other;
  }
};

std::vector<Flag> flags_of(const RuntimeInfo& info, const Container& container, const PodCount& nodes,
                           const ProcPerNode& processes) {
  std::vector<Flag> flags{{"--nnodes", node_range(info, nodes.value)},
                          {"--nproc_per_node", processes.text()},
                          {"--node_rank", "$(PET_NODE_RANK)"},
                          {"--master_addr", first_node_address(info)},
                          {"--master_port", std::to_string(model::kTrainerPort)}};
  for (const ElasticSetting& setting : elastic_settings(info, container))
    flags.push_back({setting.flag(), setting.value});
  return flags;
}

bool is_torchrun(const Node* command) {
  if (!command || command->size() == 0) return false;
  const std::string_view program = command->items().front()->text();
  return program == "torchrun" || program.ends_with("/torchrun");
}

bool sets_flag(const Node& word, const Flag& flag) {
  for (const std::string& name : {flag.name, flag.with_dashes()}) {
    if (word.text() == name) return true;
    if (word.text().starts_with(name) && word.text().substr(name.size()).starts_with('=')) return true;
  }
  return false;
}

// The flags of torchrun that take no value. Source: torch/distributed/run.py.
constexpr std::array<std::string_view, 11> kSwitches{"-h",
                                                     "--help",
                                                     "-m",
                                                     "--module",
                                                     "--standalone",
                                                     "--no-python",
                                                     "--no_python",
                                                     "--run-path",
                                                     "--run_path",
                                                     "--virtual-local-rank",
                                                     "--virtual_local_rank"};

// How many words a flag of torchrun takes; 0 if the word is not a flag.
size_t words_of_flag(std::string_view word) {
  if (!word.starts_with('-') || word == "-" || word == "--") return 0;
  const bool is_joined = !word.starts_with("--") && word.size() > 2;  // -r3
  const bool has_value = is_joined || word.find('=') != std::string_view::npos;
  return has_value || base::contains(kSwitches, word) ? 1 : 2;
}

}  // namespace

std::string ProcPerNode::text() const {
  return number ? std::to_string(*number) : word;
}

ProcPerNode read_processes(const Node* given) {
  ProcPerNode processes;
  processes.source = given;
  if (!given) return processes;
  processes.number = given->as_int();
  if (!processes.number) processes.word = given->text();
  return processes;
}

std::vector<const Node*> torchrun_words(const Node* command, const Node* args) {
  if (!is_torchrun(command)) return {};
  NodeList words = copied_items(command);
  if (args) words.insert(words.end(), args->items().begin(), args->items().end());
  size_t count = 1;
  while (count < words.size()) {
    const size_t taken = words_of_flag(words[count]->text());
    if (taken == 0) break;
    count += taken;
  }
  words.resize(std::min(count, words.size()));
  return words;
}

namespace {

// Writes the PET_* values as flags too, after a leading `torchrun`. Flags that are already there stay.
void write_torchrun_flags(PluginContext& context, const Container& container, const PodCount& nodes,
                          const ProcPerNode& processes) {
  RuntimeInfo& info = context.info;
  const Node* command = info.trainer_command ? info.trainer_command : container.command;
  const Node* args = info.trainer_args ? info.trainer_args : container.node->get("args");
  if (!is_torchrun(command)) {
    context.findings.add("advice/torchrun-flags", "spec.trainer.command",
                         "the command doesn't begin with torchrun, so --torchrun flags changes nothing here",
                         command ? command : info.job->trainer->node);
    return;
  }
  const NodeList own = torchrun_words(command, args);
  NodeList words{command->items().front()};
  for (const Flag& flag : flags_of(info, container, nodes, processes)) {
    const auto given = std::ranges::find_if(own, [&](const Node* word) { return sets_flag(*word, flag); });
    if (given != own.end()) {
      context.findings.add("advice/torchrun-flags", "spec.trainer.command",
                           fmt::format("{} is already set and stays unchanged; the controller's value is {}",
                                       flag.name, flag.value),
                           *given);
      continue;
    }
    words.push_back(context.make.copied(fmt::format("{}={}", flag.name, flag.value),
                                        context.make.made("torch/flags", {command})));
  }
  words.insert(words.end(), command->items().begin() + 1, command->items().end());
  info.trainer_command = context.make.list(words, command->origin());
}

using yaml::Maker;

// Trainer's variables, then those of an elastic runtime; whether the last of them is set depends on the
// runtime.
constexpr std::array<std::string_view, 10> kEnv{
    "PET_NNODES",       "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
    kRendezvousBackend, kRendezvousHost,      kRendezvousId,   kRendezvousConfig, kMaxRestarts};
constexpr std::span<const std::string_view> kOwnEnv = std::span(kEnv).first(5);

// The community's torchtune runtimes have their own label.
constexpr std::array<FrameworkLabel, 2> kLabels{{{"torchtune", "torchtune"}, {"torch"}}};

// The words that spec.trainer.numProcPerNode accepts instead of a number.
constexpr std::array<std::string_view, 3> kWords{"auto", "cpu", "gpu"};

struct PetEnv {
  const Node* num_nodes;
  const Node* num_proc_per_node;
  const Node* node_rank;
  const Node* master_addr;
  const Node* master_port;
};

PetEnv make_pet_env(PluginContext& context, const PodCount& nodes, const ProcPerNode& processes) {
  const Maker& make = context.make;
  const Node* job_name = context.info.job->root->at({"metadata", "name"});
  return {
      env_value(make, kEnv[0], node_range(context.info, nodes.value),
                make.made("torch/PET_NNODES", {nodes.source})),
      env_value(make, kEnv[1], processes.text(), make.made("torch/PET_NPROC_PER_NODE", {processes.source})),
      env_completion_index(make, kEnv[2], make.made("torch/PET_NODE_RANK")),
      env_value(make, kEnv[3], first_node_address(context.info),
                make.made("torch/PET_MASTER_ADDR", {job_name})),
      env_value(make, kEnv[4], std::to_string(model::kTrainerPort), make.made("torch/PET_MASTER_PORT"))};
}

void inject_workers(Container& container, const PetEnv& env) {
  for (const Node* item : {env.num_nodes, env.num_proc_per_node, env.node_rank})
    upsert_env(container.env, item);
}

void inject_master(Container& container, const PetEnv& env) {
  for (const Node* item : {env.master_addr, env.master_port}) upsert_env(container.env, item);
}

void check_word(PluginContext& context, const Node& processes) {
  if (!processes.is_string() || base::contains(kWords, processes.text())) return;
  const auto meant = base::closest(processes.text(), kWords);
  base::Diagnostic& finding = context.findings.add(
      "input/processes-per-node", "spec.trainer.numProcPerNode",
      fmt::format("\"{}\" is neither a number nor auto, cpu or gpu", processes.text()), &processes);
  if (meant) k8s::suggest(finding, &processes, *meant);
}

void check_env_injection(PluginContext& context) {
  for (const model::EnvInjectionTarget& target : context.info.policy->torch->env_injection) {
    for (const model::LocatedText& name : target.container_names) {
      if (context.info.container_by_pod_set(target.job_name, name.value)) continue;
      base::Diagnostic& finding = context.findings.add(
          "input/env-injection-target", "spec.runtimeRef",
          fmt::format(
              "the runtime's envInjection names container \"{}\" of replicatedJob \"{}\", which its template "
              "does not have",
              name.value, target.job_name),
          context.info.job->runtime_ref.name.node);
      finding.notes.push_back({"named in the runtime", yaml::locate(*name.node)});
    }
  }
}

bool is_used(const RuntimeInfo& info) {
  return info.policy && info.policy->torch;
}

std::span<const std::string_view> dialect_env(const RuntimeInfo& info) {
  const auto& elastic = info.policy->torch->elastic;
  if (!elastic) return kOwnEnv;
  return std::span(kEnv).first(elastic->max_restarts ? kEnv.size() : kEnv.size() - 1);
}

void validate(PluginContext& context) {
  if (!is_used(context.info)) return;
  check_env_injection(context);
  const Node* given = context.info.job->trainer ? context.info.job->trainer->num_proc_per_node : nullptr;
  if (!given && !context.info.behaviours->torch.always_checked) return;
  if (given) check_word(context, *given);
  check_reserved_env(context, kPlugin.framework, ReservedEnvField::List);
  if (is_torchtune(context.info)) validate_torchtune(context);
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  PodSet* trainer = info.pod_set_by_ancestor(model::kTrainer);
  take_num_nodes(info, trainer);
  const PodCount nodes = trainer ? trainer->count : PodCount{};
  if (trainer) complete_with_first_node(context, *trainer);
  const ProcPerNode processes = proc_per_node(info);
  const PetEnv env = make_pet_env(context, nodes, processes);
  if (Container* container = info.trainer_container()) {
    upsert_job_env(context.make, container->env, info.job->trainer->env);
    inject_workers(*container, env);
    if (is_torchtune(info)) {
      expand_torchtune(context, nodes.value, processes);
    } else {
      inject_master(*container, env);
      inject_rendezvous(context, *container);
      if (context.options.torchrun == TorchrunStyle::Flags)
        write_torchrun_flags(context, *container, nodes, processes);
    }
    expose_trainer_port(context.make, *container, "torch/port");
  }
  for (const model::EnvInjectionTarget& target : info.policy->torch->env_injection) {
    for (const model::LocatedText& name : target.container_names) {
      Container* container = info.container_by_pod_set(target.job_name, name.value);
      if (!container) continue;  // validate has reported that
      inject_workers(*container, env);
      inject_master(*container, env);
    }
  }
}

}  // namespace

constexpr Plugin kPlugin{.name = "Torch",
                         .framework = {.is_used = is_used,
                                       .field = "torch",
                                       .title = "torch",
                                       .labels = kLabels,
                                       .env = kOwnEnv,
                                       .dialect_env = dialect_env,
                                       .merged_env = kRendezvousConfig,
                                       .reserves_env = true,
                                       .env_family = "PET_*",
                                       .env_reader = "torchrun",
                                       .nodes = kEnv[0],
                                       .processes = kEnv[1],
                                       .rank = kEnv[2],
                                       .port = kEnv[4],
                                       .address = kEnv[3],
                                       .processes_per_node = true,
                                       .has_launchers = true,
                                       .sets_job = true,
                                       .has_processes = true,
                                       .opens_port = true},
                         .validate = validate,
                         .expand = expand};

}  // namespace trainjobc::policy::torch
