// SPDX-License-Identifier: Apache-2.0

#include "features/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/object_meta.h"
#include "launch/launch.h"
#include "launch/mpirun.h"
#include "launch/start.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/gpu_count.h"
#include "policy/plugin.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::plan {
namespace {

using k8s::jobset::ReplicatedJob;
using launch::Launch;
using launch::Start;
using policy::Framework;
using yaml::Node;

// The processes of a job: how many there are, and on which hosts.

// A JobSet and what was rendered with it. Its secrets are masked.
struct RenderedJob {
  k8s::jobset::JobSetView view;
  std::string_view ns;
  const yaml::Node* hostfile = nullptr;  // the ConfigMap that mpirun reads; nullptr if there is none
  std::string_view flux_script;          // "" if Flux starts nothing
  bool has_processes = false;            // the TrainJob has its own numProcPerNode
};

// A container that trains, or starts the training.
struct Worker {
  const k8s::jobset::ReplicatedJob* job = nullptr;
  const yaml::Node* container = nullptr;
};

constexpr size_t kMostListed = 10'000;  // containers of one job

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
  return objects::node_container(pod_spec);
}

// What a container of the worker's first pod starts, and the settings that it sees.
class Settings {
 public:
  Settings(const Framework& framework, const RenderedJob& job, const Worker& worker)
      : env_(launch::environment_of(*worker.container, {job.ns, job.view.name, worker.job, 0, 0})) {
    if (!framework.has_launchers) return;
    line_ = {worker.container->get("command"), worker.container->get("args")};
    launch_ = launch::launch_of(launch::words_of(line_));
    const bool has_more = !yaml::items_at(*worker.container, "envFrom").empty();
    if (launch_.launcher)
      start_ = launch::start_of(launch_, {env_, has_more, launch::visible_gpus(*worker.container)});
  }

  const Launch& launch() const { return launch_; }
  // Returns nullopt if no launcher is known.
  const std::optional<Start>& start() const { return start_; }
  const launch::CommandLine& line() const { return line_; }

  std::string_view value(std::string_view variable) const { return launch::value_of(env_, variable); }

  // Whether torchrun takes any number of nodes in a range such as "1:4".
  bool is_elastic() const {
    const auto text = start_ ? (*start_)[launch::Setting::Nodes].text : std::nullopt;
    const size_t colon = text ? text->find(':') : std::string::npos;
    return colon != std::string::npos && base::read_integer(std::string_view(*text).substr(0, colon)) &&
           base::read_integer(std::string_view(*text).substr(colon + 1));
  }

 private:
  std::vector<launch::Variable> env_;
  launch::CommandLine line_;
  Launch launch_;
  std::optional<Start> start_;
};

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

// Returns nullopt if one is unknown, or the sum overflows.
std::optional<int64_t> sum_of(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t sum = 0;
  return !a || !b || __builtin_add_overflow(*a, *b, &sum) ? std::nullopt : std::optional(sum);
}

// Adds numbers of pods or nodes of many jobs; stays at the maximum instead of overflowing.
int64_t capped_sum(int64_t a, int64_t b) {
  return sum_of(a, b).value_or(std::numeric_limits<int64_t>::max());
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

// The workers of the replicatedJobs that train, in order.
std::vector<Worker> workers_of(const RenderedJob& job) {
  std::vector<Worker> workers;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec || !trains(replicated_job)) continue;
    if (const Node* container = training_container(*replicated_job.pod_spec))
      workers.push_back({&replicated_job, container});
  }
  return workers;
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

// The pod in which a worker's container runs.
struct Place {
  Worker worker;
  int64_t job_index = 0;
  int64_t pod = 0;
};

// Lists the container; beyond a limit, containers are only counted. Ranks that are unknown before the job
// runs get no number.
void add_rank(const RenderedJob& job, const Place& place, std::optional<int64_t> first_rank, int64_t ranks,
              JobPlan& plan) {
  if (plan.ranks.size() == kMostListed) {
    ++plan.ranks_left_out;
    return;
  }
  const auto& [worker, job_index, pod] = place;
  RankNode node;
  node.host = objects::host_of(job.view, *worker.job, job_index, pod);
  node.pod_set = worker.job->name;
  node.container = yaml::text_at(*worker.container, "name");
  node.first_rank = first_rank;
  node.ranks = ranks;
  node.env = launch::environment_of(*worker.container, {job.ns, job.view.name, worker.job, job_index, pod});
  node.command = launch::words_of(*worker.container, {"command", "args"}, node.env);
  plan.ranks.push_back(std::move(node));
}

// How the ranks of a node relate to those of the node before.
enum class Ranks { Continued, OfEachNode, Unknown };

Ranks ranks_of(const Settings& settings) {
  if (settings.is_elastic()) return Ranks::Unknown;
  if (!settings.start()) return Ranks::Continued;
  const auto result = settings.start()->result;
  if (result == launch::Result::World) return Ranks::Continued;
  const bool is_alone = result == launch::Result::One || result == launch::Result::Alone;
  return is_alone ? Ranks::OfEachNode : Ranks::Unknown;
}

void list_ranks(const RenderedJob& job, const std::vector<Worker>& workers, const Framework* framework,
                JobPlan& plan) {
  const bool is_even = plan.processes && plan.nodes > 0 && *plan.processes % plan.nodes == 0;
  const int64_t each = is_even ? *plan.processes / plan.nodes : 0;
  int64_t rank = 0;
  for (const Worker& worker : workers) {
    const Ranks ranks = !is_even                      ? Ranks::Unknown
                        : framework && plan.nodes > 1 ? ranks_of(Settings(*framework, job, worker))
                                                      : Ranks::Continued;
    for (int64_t index = 0; index < worker.job->replicas; ++index) {
      for (int64_t pod = 0; pod < k8s::jobset::pods_per_job(*worker.job); ++pod) {
        const int64_t first = ranks == Ranks::OfEachNode ? 0 : rank;
        add_rank(job, {worker, index, pod}, ranks == Ranks::Unknown ? std::nullopt : std::optional(first),
                 each, plan);
        rank += each;
        if (plan.ranks_left_out > 0) {
          plan.ranks_left_out = plan.nodes - std::ssize(plan.ranks);
          return;
        }
      }
    }
  }
}

// Where the launcher's settings come from.

// The place of the flag's word: "jobs/llama.yaml:12:30".
std::string place_of(const launch::CommandLine& line, const launch::SettingValue& value) {
  if (!value.flag) return "";
  const base::Location where = yaml::locate(*launch::place_of_word(line, value.flag->word).word);
  return where.file ? fmt::format("{}:{}:{}", where.file_name(), where.line, where.column) : "";
}

std::string_view result_text(std::optional<launch::Result> result, bool is_one_node) {
  using launch::Result;
  if (!result) return "depends on what can't be seen here";
  if (is_one_node && *result != Result::Fails) return "one node";
  switch (*result) {
    case Result::World: return "one world";
    case Result::One: return "one process on each node, alone";
    case Result::Alone: return "each node alone";
    case Result::Waits: return "the nodes never meet";
    case Result::Fails: return "fails";
    case Result::Driver: return "a driver of Ray on each node";
    case Result::Told: return "told by what can't be seen here";
  }
  return "";
}

void add_launch(const RenderedJob& job, const std::vector<Worker>& workers, const Framework* framework,
                JobPlan& plan) {
  using launch::Setting;
  constexpr std::array<std::pair<Setting, std::string_view>, 8> kSettings{
      {{Setting::Nodes, "nodes"},
       {Setting::World, "world size"},
       {Setting::Processes, "processes per node"},
       {Setting::Total, "processes"},
       {Setting::Rank, "rank of the first node"},
       {Setting::Backend, "backend"},
       {Setting::Address, "address"},
       {Setting::Port, "port"}}};
  if (!framework || workers.empty()) return;
  const Settings settings(*framework, job, workers.front());
  if (!settings.start()) return;
  const Start& start = *settings.start();
  LaunchPlan& planned = plan.launch.emplace();
  planned.program = start.program->name;
  planned.version = start.program->version;
  planned.result = result_text(start.result, plan.nodes == 1);
  const bool has_endpoint = start[Setting::Endpoint].is_told();
  const auto add = [&](Setting setting, std::string_view name) {
    const launch::SettingValue& value = start[setting];
    if (value.from == launch::SettingValue::From::Nothing) return;
    planned.settings.push_back({std::string(name), secret::without_keys(value.text.value_or("?")),
                                value.source(), place_of(settings.line(), value),
                                value.from == launch::SettingValue::From::Value});
  };
  for (const auto& [setting, name] : kSettings) {
    const bool is_meeting_point = setting == Setting::Address || setting == Setting::Port;
    if (!is_meeting_point || !has_endpoint) add(setting, name);
  }
  add(Setting::Endpoint, "endpoint");
}

// Jobs that mpirun starts: the launcher reads the hostfile and fills one host after the other, up to its
// slots.

constexpr int64_t kMostHosts = 100'000;

struct Host {
  std::string name;
  int64_t slots = 1;
};

// Reads "host slots=8" of Open MPI, or "host:8" of Hydra.
Host read_host(std::string_view line) {
  const size_t end = line.find_first_of(" :");
  Host host{std::string(line.substr(0, end)), 1};
  const size_t digits = line.find_last_of("=:");
  if (end != std::string_view::npos && digits != std::string_view::npos)
    std::from_chars(line.data() + digits + 1, line.data() + line.size(), host.slots);
  return host;
}

std::vector<Host> read_hostfile(std::string_view text) {
  std::vector<Host> hosts;
  for (const std::string_view line : base::Lines(text)) {
    if (!line.empty() && !line.starts_with('#')) hosts.push_back(read_host(line));
  }
  return hosts;
}

// The container that mounts the hostfile.
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

// The pods, by host name.
std::map<std::string, Place, std::less<>> places_of(const RenderedJob& job, const Worker& launcher) {
  std::map<std::string, Place, std::less<>> places;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec) continue;
    const Node* container = &replicated_job == launcher.job
                                ? launcher.container
                                : objects::node_container(*replicated_job.pod_spec);
    const int64_t pods = k8s::jobset::pods_per_job(replicated_job);
    if (!container || replicated_job.replicas * pods > kMostHosts) continue;
    for (int64_t index = 0; index < replicated_job.replicas; ++index) {
      for (int64_t pod = 0; pod < pods; ++pod)
        places[objects::host_of(job.view, replicated_job, index, pod)] = {
            {&replicated_job, container}, index, pod};
    }
  }
  return places;
}

void list_hosts(const RenderedJob& job, const Worker& launcher, const std::vector<Host>& hosts,
                bool is_in_order, JobPlan& plan) {
  const auto places = places_of(job, launcher);
  const bool is_host = launcher.job && std::ranges::any_of(hosts, [&](const Host& host) {
                         return host.name == objects::host_of(job.view, *launcher.job, 0, 0);
                       });
  if (launcher.job && !is_host) add_rank(job, {launcher, 0, 0}, std::nullopt, 0, plan);
  int64_t rank = 0;
  for (const Host& host : hosts) {
    const int64_t ranks = std::max<int64_t>(0, std::min(host.slots, plan.processes.value_or(0) - rank));
    const auto place = places.find(host.name);
    if (place != places.end()) {
      const bool is_known = is_in_order && ranks > 0;
      add_rank(job, place->second, is_known ? std::optional(rank) : std::nullopt, is_in_order ? ranks : 0,
               plan);
    }
    rank += ranks;
  }
}

// The resources of a node's container if they name several kinds of GPU, of which the controller picks one at
// random for the slots; otherwise nullptr.
const Node* random_slots(const RenderedJob& job, const std::vector<Host>& hosts) {
  if (hosts.empty() || job.has_processes) return nullptr;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    const Node* node = replicated_job.pod_spec ? objects::node_container(*replicated_job.pod_spec) : nullptr;
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

// Sets the plan's nodes, processes and framework, and MPI's hostfile; with `list`, also its ranks.
void add_mpi_processes(const RenderedJob& job, bool list, JobPlan& plan) {
  plan.hostfile = yaml::text_at(*job.hostfile, {"data", "hostfile"});
  const std::vector<Host> hosts = read_hostfile(plan.hostfile);
  const Worker launcher = launcher_of(job);
  if (const policy::Framework* framework = framework_in(job, {})) plan.framework = framework->title;
  std::optional<launch::Mpirun> run;
  if (launcher.job) {
    const launch::PodPlace place{job.ns, job.view.name, launcher.job, 0, 0};
    const std::vector<std::string> words = launch::words_of(
        *launcher.container, {"command", "args"}, launch::environment_of(*launcher.container, place));
    run = launch::mpirun_of({words.begin(), words.end()});
  }
  std::optional<int64_t> slots = 0;
  for (const Host& host : hosts) slots = sum_of(slots, host.slots);
  plan.nodes = std::ssize(hosts);
  if (run) plan.processes = run->processes ? run->processes : slots;
  if (const Node* amounts = run && !run->processes ? random_slots(job, hosts) : nullptr) {
    plan.processes = std::nullopt;
    plan.unknown = random_text(*amounts);
  }
  if (list) list_hosts(job, launcher, hosts, run && run->is_in_order, plan);
}

// Sets the same for a job of any framework.
void add_processes(const RenderedJob& job, bool list, JobPlan& plan) {
  if (job.hostfile) return add_mpi_processes(job, list, plan);
  const std::vector<Worker> workers = workers_of(job);
  const Framework* framework = framework_in(job, workers);
  if (framework) plan.framework = framework->title;
  plan.nodes = pods_of(workers);
  if (workers.empty() && plan.pods > 0 && job.flux_script.empty()) {
    plan.unknown = fmt::format("no replicatedJob has the label {}: trainer", model::kAncestorLabel);
    return;
  }
  plan.processes = count_processes(job, workers, framework, plan.nodes);
  if (!list) return;
  list_ranks(job, workers, framework, plan);
  add_launch(job, workers, framework, plan);
}

// The rendered objects of one TrainJob.
struct Rendered {
  const Object* job_set = nullptr;
  const Object* pod_group = nullptr;
  std::vector<const Object*> config_maps;
};

Rendered sorted_by_kind(std::span<const Object> objects) {
  Rendered job;
  for (const Object& object : objects) {
    if (object.kind == "JobSet") job.job_set = &object;
    if (object.kind == "PodGroup") job.pod_group = &object;
    if (object.kind == "ConfigMap") job.config_maps.push_back(&object);
  }
  return job;
}

std::string queue_of(const Rendered& job) {
  for (const Node* root : {job.job_set->train_job, job.job_set->root}) {
    const std::string_view queue = yaml::value_at(*root, {"metadata", "labels", model::kKueueLabel});
    if (!queue.empty()) return std::string(queue);
  }
  return job.pod_group ? std::string(yaml::value_at(*job.pod_group->root, {"spec", "queue"})) : "";
}

RenderedJob rendered_job(const Rendered& job, const yaml::Maker& make) {
  RenderedJob rendered;
  const Node& shown = *secret::masked_object(*job.job_set->root, make);
  rendered.view = k8s::jobset::view_job_set(shown);
  rendered.ns = job.job_set->ns;
  rendered.has_processes = job.job_set->train_job->at({"spec", "trainer", "numProcPerNode"}) != nullptr;
  for (const Object* config_map : job.config_maps) {
    if (config_map->root->at({"data", "hostfile"})) rendered.hostfile = config_map->root;
    const std::string_view script = yaml::text_at(*config_map->root, {"data", "entrypoint.sh"});
    if (!script.empty()) rendered.flux_script = script;
  }
  return rendered;
}

void add_job(Total& total, const JobPlan& job) {
  ++total.jobs;
  total.nodes = capped_sum(total.nodes, job.nodes);
  total.pods = capped_sum(total.pods, job.pods);
  total.processes = sum_of(total.processes, job.processes);
  objects::add(total.requests, job.requests);
}

void add_images(const k8s::jobset::ReplicatedJob& job, std::vector<std::string>& images) {
  if (!job.pod_spec) return;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Node* container : yaml::items_at(*job.pod_spec, list)) {
      std::string image = secret::without_keys(yaml::text_at(*container, "image"));
      if (!image.empty() && !base::contains(images, image)) images.push_back(std::move(image));
    }
  }
}

}  // namespace

JobPlan plan_job(std::span<const Object> objects, const PlanOptions& options) {
  const Rendered job = sorted_by_kind(objects);
  base::Arena arena;
  JobPlan plan;
  plan.ns = k8s::effective_namespace(job.job_set->ns);
  plan.name = job.job_set->name;
  plan.id = fmt::format("TrainJob/{}/{}", plan.ns, plan.name);
  plan.runtime = yaml::text_at(*job.job_set->train_job, {"spec", "runtimeRef", "name"});
  plan.queue = secret::without_keys(queue_of(job));
  if (const Node* labels = job.job_set->train_job->at({"metadata", "labels"})) {
    for (const yaml::Entry& label : labels->entries())
      plan.labels.emplace(label.key, secret::without_keys(label.value->text()));
  }
  const RenderedJob rendered = rendered_job(job, yaml::Maker(arena));
  for (const k8s::jobset::ReplicatedJob& replicated_job : rendered.view.jobs) {
    PodSet set = objects::pod_set_of(rendered.view, replicated_job);
    add_images(replicated_job, plan.images);
    plan.pods = capped_sum(plan.pods, set.pods);
    objects::add(plan.requests, objects::times(set.per_pod, set.pods));
    plan.pod_sets.push_back(std::move(set));
  }
  add_processes(rendered, options.ranks, plan);
  if (plan.processes) plan.processes = std::max<int64_t>(0, *plan.processes);
  if (job.pod_group) {
    const Node* minimum = job.pod_group->root->at({"spec", "minMember"});
    if (minimum) plan.gang_minimum = minimum->as_int();
  }
  if (options.capacity) {
    plan.admission = admit(*options.capacity, {plan.ns, *job.job_set->root, *job.job_set->train_job});
    if (plan.queue.empty()) plan.queue = plan.admission->local_queue;
  }
  return plan;
}

void plan_together(const Capacity& capacity, std::vector<JobPlan>& jobs) {
  std::map<std::string_view, std::vector<JobPlan*>> scopes;
  for (JobPlan& job : jobs) {
    if (job.admission && job.admission->workload) scopes[job.scope].push_back(&job);
  }
  for (const auto& [scope, queued] : scopes) {
    std::vector<std::string> names;
    for (const JobPlan* job : queued) names.push_back(fmt::format("{}/{}", job->ns, job->name));
    std::vector<Contender> contenders;
    for (size_t i = 0; i < queued.size(); ++i)
      contenders.push_back({names[i], &*queued[i]->admission->workload});
    std::vector<Outcome> outcomes = admit_together(capacity, contenders);
    for (size_t i = 0; i < queued.size(); ++i) queued[i]->admission->together = std::move(outcomes[i]);
  }
}

Plan add_totals(std::vector<JobPlan> jobs) {
  Plan plan;
  std::map<std::array<std::string, 3>, Total> totals;
  for (const JobPlan& job : jobs) {
    Total& total = totals[{job.scope, job.ns, job.queue}];
    total.scope = job.scope;
    total.ns = job.ns;
    total.queue = job.queue;
    add_job(total, job);
    add_job(plan.total, job);
  }
  for (auto& [key, total] : totals) plan.totals.push_back(std::move(total));
  plan.jobs = std::move(jobs);
  return plan;
}

}  // namespace trainjobc::plan
