// SPDX-License-Identifier: Apache-2.0

#include "launch/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text/text.h"
#include "model/trainer_names.h"
#include "policy/gpu_count.h"
#include "policy/runtime_info.h"

namespace trainjobc::launch {
namespace {

using k8s::jobset::ReplicatedJob;
using policy::Framework;
using yaml::Node;

bool trains(const ReplicatedJob& job) {
  return yaml::text_at(*job.node, {"template", "metadata", "labels", model::kAncestorLabel}) ==
         model::kTrainer;
}

bool has_variable_of(const Node& container, const Framework& framework) {
  return std::ranges::any_of(yaml::items_at(container, "env"), [&](const Node* item) {
    return base::contains(framework.env, yaml::text_at(*item, "name"));
  });
}

const Framework* framework_of_variables(const Node& container) {
  for (const policy::Plugin* plugin : policy::registry()) {
    if (has_variable_of(container, plugin->framework)) return &plugin->framework;
  }
  return nullptr;
}

// The container with a framework's variables, else the one called `node`, else the first.
const Node* training_container(const Node& pod_spec) {
  const auto containers = yaml::items_at(pod_spec, "containers");
  const auto with_variables = std::ranges::find_if(
      containers, [](const Node* container) { return framework_of_variables(*container) != nullptr; });
  if (with_variables != containers.end()) return *with_variables;
  return node_container(pod_spec);
}

// The number that "auto" and "gpu" stand for; nullopt without a GPU, since the machine's CPUs may count then.
std::optional<int64_t> gpus_of(const Node& container) {
  const int64_t gpus = policy::gpus_per_node(
      {container.at({"resources", "limits"}), container.at({"resources", "requests"}), nullptr});
  return gpus > 0 ? std::optional(gpus) : std::nullopt;
}

// The number after -n in "flux run -N 3 -n 24 python train.py".
std::optional<int64_t> flux_processes(std::string_view script) {
  const size_t run = script.find("flux run ");
  if (run == std::string_view::npos) return std::nullopt;
  std::string_view line = script.substr(run, script.find('\n', run) - run);
  const size_t flag = line.find(" -n ");
  if (flag == std::string_view::npos) return std::nullopt;
  line.remove_prefix(flag + 4);
  return base::read_integer(line.substr(0, line.find(' ')));
}

int64_t pods_of(const std::vector<Worker>& workers) {
  int64_t pods = 0;
  for (const Worker& worker : workers) pods += worker.job->replicas * k8s::jobset::pods_per_job(*worker.job);
  return pods;
}

// Returns nullopt if the product overflows.
std::optional<int64_t> product_of(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

// How many processes the worker's pods start; nullopt if that depends on their machines, or can't be seen.
std::optional<int64_t> processes_of(const Framework& framework, const Settings& settings,
                                    const Worker& worker) {
  const int64_t pods = worker.job->replicas * k8s::jobset::pods_per_job(*worker.job);
  if (framework.has_launchers) {
    if (settings.launch().kind == Launch::Kind::OneProcess) return pods;
    const auto each = settings.start() ? settings.start()->processes : std::nullopt;
    return each ? product_of(pods, *each) : std::nullopt;
  }
  const std::string_view given = settings.value(framework.processes);
  std::optional<int64_t> number = base::read_integer(given);
  if (!number && (given.empty() || given == "auto" || given == "gpu")) number = gpus_of(*worker.container);
  return number ? product_of(pods, *number) : std::nullopt;
}

// How many processes the job has; nullopt if that is unknown before it runs.
std::optional<int64_t> count_processes(const RenderedJob& job, const std::vector<Worker>& workers,
                                       const Framework* framework, int64_t nodes) {
  if (!job.flux_script.empty()) return flux_processes(job.flux_script);
  if (!framework || framework->processes.empty()) return nodes;
  std::optional<int64_t> count = 0;
  for (const Worker& worker : workers) {
    const Settings settings(*framework, job, worker);
    if (!framework->processes_per_node) return base::read_integer(settings.value(framework->processes));
    count = sum_of(count, processes_of(*framework, settings, worker));
    if (!count) return count;
  }
  return count;
}

// The framework whose variables the workers have, or whose files the job mounts; nullptr if there is none.
const Framework* framework_in(const RenderedJob& job, const std::vector<Worker>& workers) {
  for (const Worker& worker : workers) {
    if (const Framework* framework = framework_of_variables(*worker.container)) return framework;
  }
  // Flux and other implementations of MPI set no variables in containers.
  const std::string_view title = job.hostfile ? "MPI" : !job.flux_script.empty() ? "Flux" : "";
  for (const policy::Plugin* plugin : policy::registry()) {
    if (!title.empty() && plugin->framework.title == title) return &plugin->framework;
  }
  return nullptr;
}

// Reads "host slots=8" of Open MPI, or "host:8" of Hydra.
Host read_host(std::string_view line) {
  const size_t end = line.find_first_of(" :");
  Host host{std::string(line.substr(0, end)), 1};
  const size_t digits = line.find_last_of("=:");
  if (end != std::string_view::npos && digits != std::string_view::npos)
    std::from_chars(line.data() + digits + 1, line.data() + line.size(), host.slots);
  return host;
}

// The resources of a node's container if they name several kinds of GPU, of which the controller picks one at
// random for the slots; otherwise nullptr.
const Node* random_slots(const RenderedJob& job, const std::vector<Host>& hosts) {
  if (hosts.empty() || job.has_processes) return nullptr;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    const Node* node = replicated_job.pod_spec ? node_container(*replicated_job.pod_spec) : nullptr;
    const Node* resources = node ? node->get("resources") : nullptr;
    if (!resources) continue;
    const policy::NodeResources of_node{resources->get("limits"), resources->get("requests"), nullptr};
    const Node* list = policy::ambiguous_gpus(of_node);
    if (list && hosts.front().slots == std::max<int64_t>(policy::gpus_per_node(of_node), 1)) return list;
  }
  return nullptr;
}

std::string random_text(const Node& list) {
  std::vector<std::string> names;
  for (const yaml::Entry& entry : list.entries()) {
    if (policy::is_gpu(entry.key)) names.emplace_back(entry.key);
  }
  return fmt::format("Trainer takes one of {} at random for the number of GPUs of a node",
                     base::word_list(names));
}

// Counts the nodes and processes of a job that mpirun starts.
void count_mpi(const RenderedJob& job, JobCount& count) {
  const std::vector<Host> hosts = hosts_of(job);
  const Worker launcher = launcher_of(job);
  count.framework = framework_in(job, {});
  const std::optional<Mpirun> run = mpirun_of(job, launcher);
  std::optional<int64_t> slots = 0;
  for (const Host& host : hosts) slots = sum_of(slots, host.slots);
  count.nodes = std::ssize(hosts);
  if (run) count.processes = run->processes ? run->processes : slots;
  if (const Node* amounts = run && !run->processes ? random_slots(job, hosts) : nullptr) {
    count.processes = std::nullopt;
    count.unknown = random_text(*amounts);
  }
}

}  // namespace

RenderedJob rendered_job(const Node& job_set, std::string_view ns, const Node& train_job,
                         std::span<const Node* const> objects) {
  RenderedJob rendered;
  rendered.view = k8s::jobset::view_job_set(job_set);
  rendered.ns = ns;
  rendered.has_processes = train_job.at({"spec", "trainer", "numProcPerNode"}) != nullptr;
  for (const Node* object : objects) {
    if (yaml::text_at(*object, "kind") != "ConfigMap") continue;
    if (object->at({"data", "hostfile"})) rendered.hostfile = object;
    const std::string_view script = yaml::text_at(*object, {"data", "entrypoint.sh"});
    if (!script.empty()) rendered.flux_script = script;
  }
  return rendered;
}

JobCount count_of(const RenderedJob& job) {
  JobCount count;
  for (const ReplicatedJob& one : job.view.jobs)
    count.pods = capped_sum(count.pods, one.replicas * k8s::jobset::pods_per_job(one));
  if (job.hostfile) {
    count_mpi(job, count);
  } else {
    const std::vector<Worker> workers = workers_of(job);
    count.framework = framework_in(job, workers);
    count.nodes = pods_of(workers);
    if (workers.empty() && count.pods > 0 && job.flux_script.empty()) {
      count.unknown = fmt::format("no replicatedJob has the label {}: trainer", model::kAncestorLabel);
    } else {
      count.processes = count_processes(job, workers, count.framework, count.nodes);
    }
  }
  if (count.processes) count.processes = std::max<int64_t>(0, *count.processes);
  return count;
}

const Node* queue_of(const Node& train_job, const Node& job_set, std::span<const Node* const> objects) {
  const auto named = [](const Node* queue) { return queue && !queue->is_null() && !queue->text().empty(); };
  for (const Node* root : {&train_job, &job_set}) {
    const Node* queue = root->at({"metadata", "labels", model::kKueueLabel});
    if (named(queue)) return queue;
  }
  for (const Node* object : objects) {
    if (yaml::text_at(*object, "kind") != "PodGroup") continue;
    const Node* queue = object->at({"spec", "queue"});
    if (named(queue)) return queue;
  }
  return nullptr;
}

const Node* node_container(const Node& pod_spec) {
  const auto containers = yaml::items_at(pod_spec, "containers");
  if (const Node* node = yaml::find_named(containers, model::kNode)) return node;
  return containers.empty() ? nullptr : containers.front();
}

std::vector<Worker> workers_of(const RenderedJob& job) {
  std::vector<Worker> workers;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec || !trains(replicated_job)) continue;
    if (const Node* container = training_container(*replicated_job.pod_spec))
      workers.push_back({&replicated_job, container});
  }
  return workers;
}

Settings::Settings(const Framework& framework, const RenderedJob& job, const Worker& worker)
    : env_(environment_of(*worker.container, {job.ns, job.view.name, worker.job, 0, 0})) {
  if (!framework.has_launchers) return;
  line_ = {worker.container->get("command"), worker.container->get("args")};
  launch_ = launch_of(words_of(line_));
  const bool has_more = !yaml::items_at(*worker.container, "envFrom").empty();
  if (launch_.launcher) start_ = start_of(launch_, {env_, has_more, visible_gpus(*worker.container)});
}

bool Settings::is_elastic() const {
  const auto text = start_ ? (*start_)[Setting::Nodes].text : std::nullopt;
  const size_t colon = text ? text->find(':') : std::string::npos;
  return colon != std::string::npos && base::read_integer(std::string_view(*text).substr(0, colon)) &&
         base::read_integer(std::string_view(*text).substr(colon + 1));
}

std::vector<Host> hosts_of(const RenderedJob& job) {
  std::vector<Host> hosts;
  for (const std::string_view line : base::Lines(yaml::text_at(*job.hostfile, {"data", "hostfile"}))) {
    if (!line.empty() && !line.starts_with('#')) hosts.push_back(read_host(line));
  }
  return hosts;
}

Worker launcher_of(const RenderedJob& job) {
  const std::string_view config_map = yaml::text_at(*job.hostfile, {"metadata", "name"});
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec) continue;
    for (const Node* volume : yaml::items_at(*replicated_job.pod_spec, "volumes")) {
      if (yaml::text_at(*volume, {"configMap", "name"}) != config_map) continue;
      const std::string_view name = yaml::text_at(*volume, "name");
      for (const Node* container : yaml::items_at(*replicated_job.pod_spec, "containers")) {
        const auto mounts = yaml::items_at(*container, "volumeMounts");
        if (std::ranges::any_of(mounts,
                                [&](const Node* mount) { return yaml::text_at(*mount, "name") == name; }))
          return {&replicated_job, container};
      }
    }
  }
  return {};
}

std::optional<Mpirun> mpirun_of(const RenderedJob& job, const Worker& launcher) {
  if (!launcher.job) return std::nullopt;
  const std::vector<std::string> words =
      words_of(*launcher.container, {"command", "args"},
               environment_of(*launcher.container, {job.ns, job.view.name, launcher.job, 0, 0}));
  return mpirun_of({words.begin(), words.end()});
}

std::optional<int64_t> sum_of(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t sum = 0;
  return !a || !b || __builtin_add_overflow(*a, *b, &sum) ? std::nullopt : std::optional(sum);
}

int64_t capped_sum(int64_t a, int64_t b) {
  return sum_of(a, b).value_or(std::numeric_limits<int64_t>::max());
}

}  // namespace trainjobc::launch
