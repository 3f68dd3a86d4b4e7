// SPDX-License-Identifier: Apache-2.0

#include "features/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/object_meta.h"
#include "launch/processes.h"
#include "launch/words.h"
#include "platform/platform.h"
#include "policy/plugin.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::plan {
namespace {

using k8s::jobset::ReplicatedJob;
using launch::Host;
using launch::RenderedJob;
using launch::Settings;
using launch::Worker;
using policy::Framework;
using yaml::Node;

constexpr size_t kMostListed = 10'000;  // containers of one job

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
  const launch::Start& start = *settings.start();
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

// The pods, by host name.
std::map<std::string, Place, std::less<>> places_of(const RenderedJob& job, const Worker& launcher) {
  std::map<std::string, Place, std::less<>> places;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec) continue;
    const Node* container = &replicated_job == launcher.job
                                ? launcher.container
                                : launch::node_container(*replicated_job.pod_spec);
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

// Lists what each process sees.
void add_processes(const RenderedJob& job, const Framework* framework, JobPlan& plan) {
  if (job.hostfile) {
    const Worker launcher = launch::launcher_of(job);
    const auto run = launch::mpirun_of(job, launcher);
    return list_hosts(job, launcher, launch::hosts_of(job), run && run->is_in_order, plan);
  }
  const std::vector<Worker> workers = launch::workers_of(job);
  list_ranks(job, workers, framework, plan);
  add_launch(job, workers, framework, plan);
}

void add_job(Total& total, const JobPlan& job) {
  ++total.jobs;
  total.nodes = launch::capped_sum(total.nodes, job.nodes);
  total.pods = launch::capped_sum(total.pods, job.pods);
  total.processes = launch::sum_of(total.processes, job.processes);
  objects::add(total.requests, job.requests);
}

void add_use(QuotaPlan& quota, const platform::QuotaUse& use, const JobPlan& job) {
  quota.scope = job.scope;
  quota.ns = use.ns;
  quota.name = secret::without_keys(use.name);
  if (quota.resources.empty()) {
    for (const auto& one : use.resources)
      quota.resources.push_back({secret::without_keys(one.name),
                                 one.hard,
                                 one.used ? std::optional(k8s::Quantity()) : std::nullopt,
                                 {}});
  }
  for (size_t i = 0; i < quota.resources.size() && i < use.resources.size(); ++i) {
    QuotaPlan::Resource& resource = quota.resources[i];
    const std::optional<k8s::Quantity>& used = use.resources[i].used;
    if (!resource.used || !used || used->is_zero()) continue;
    resource.used->add(*used);
    resource.jobs.emplace_back(job.id, *used);
  }
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
  const Object& job_set = *std::ranges::find(objects, "JobSet", &Object::kind);
  const Node& train_job = *job_set.train_job;
  std::vector<const Node*> roots;
  for (const Object& object : objects) roots.push_back(object.root);
  base::Arena arena;
  const Node& shown = *secret::masked_object(*job_set.root, yaml::Maker(arena));
  const RenderedJob rendered = launch::rendered_job(shown, job_set.ns, train_job, roots);
  launch::JobCount count = launch::count_of(rendered);
  JobPlan plan;
  plan.ns = k8s::effective_namespace(job_set.ns);
  plan.name = job_set.name;
  plan.id = fmt::format("TrainJob/{}/{}", plan.ns, plan.name);
  plan.runtime = yaml::text_at(train_job, {"spec", "runtimeRef", "name"});
  plan.queue = secret::without_keys(yaml::text_of(launch::queue_of(train_job, *job_set.root, roots)));
  if (const Node* labels = train_job.at({"metadata", "labels"})) {
    for (const yaml::Entry& label : labels->entries())
      plan.labels.emplace(label.key, secret::without_keys(label.value->text()));
  }
  if (count.framework) plan.framework = count.framework->title;
  plan.nodes = count.nodes;
  plan.pods = count.pods;
  plan.processes = count.processes;
  plan.unknown = std::move(count.unknown);
  if (rendered.hostfile) plan.hostfile = yaml::text_at(*rendered.hostfile, {"data", "hostfile"});
  for (const ReplicatedJob& replicated_job : rendered.view.jobs) {
    PodSet set = objects::pod_set_of(rendered.view, replicated_job);
    add_images(replicated_job, plan.images);
    objects::add(plan.requests, objects::times(set.per_pod, set.pods));
    plan.pod_sets.push_back(std::move(set));
  }
  if (options.ranks) add_processes(rendered, count.framework, plan);
  const auto pod_group = std::ranges::find(objects, "PodGroup", &Object::kind);
  if (pod_group != objects.end()) {
    if (const Node* minimum = pod_group->root->at({"spec", "minMember"}))
      plan.gang_minimum = minimum->as_int();
  }
  if (!platform::kIsPage && job_set.platform)
    plan.quotas = job_set.platform->quotas_of({plan.id, &train_job, job_set.root, roots});
  if (options.capacity) {
    plan.admission = admit(*options.capacity, {plan.ns, *job_set.root, train_job});
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
  std::map<std::array<std::string, 3>, QuotaPlan> quotas;
  std::map<std::array<std::string, 3>, Total> totals;
  for (const JobPlan& job : jobs) {
    Total& total = totals[{job.scope, job.ns, job.queue}];
    total.scope = job.scope;
    total.ns = job.ns;
    total.queue = job.queue;
    add_job(total, job);
    add_job(plan.total, job);
    if (platform::kIsPage) continue;
    for (const platform::QuotaUse& use : job.quotas) add_use(quotas[{job.scope, use.ns, use.name}], use, job);
  }
  for (auto& [key, quota] : quotas) plan.quotas.push_back(std::move(quota));
  for (auto& [key, total] : totals) plan.totals.push_back(std::move(total));
  plan.jobs = std::move(jobs);
  return plan;
}

}  // namespace trainjobc::plan
