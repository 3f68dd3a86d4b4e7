// SPDX-License-Identifier: Apache-2.0

// Jobs that mpirun starts: the launcher reads the hostfile and fills the hosts, one after the other, up to
// their slots.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/text/lines.h"
#include "compile/advice/command_lines.h"
#include "model/trainer_names.h"
#include "features/plan/jobset_pods.h"
#include "features/plan/ranks.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

using k8s::jobset::ReplicatedJob;
using yaml::Node;

constexpr int64_t kMostHosts = 100'000;

struct Host {
  std::string name;
  int64_t slots = 1;
};

// "host slots=8" of Open MPI, "host:8" of Hydra.
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

// What the command of a launcher says about its processes.
struct Mpirun {
  std::optional<int64_t> processes;  // nullopt: one for each slot
  bool is_in_order = true;           // fills the hosts one after the other
};

bool is_launcher_program(std::string_view program) {
  return program.starts_with("mpirun") || program.starts_with("mpiexec");
}

bool is_placement(std::string_view word) {
  constexpr std::array<std::string_view, 12> kPlacements{"--map-by", "-map-by", "--rank-by", "-rank-by",
                                                         "--bynode", "-bynode", "-npernode", "--npernode",
                                                         "-pernode", "-ppn",    "-perhost",  "--rankfile"};
  return std::ranges::find(kPlacements, word) != kPlacements.end();
}

Mpirun read_mpirun(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 5> kNumbers{"-np", "--np", "-n", "--n", "-c"};
  Mpirun found;
  for (const auto& program : compile::advice::programs_of({words.begin(), words.end()})) {
    if (program.empty() || !is_launcher_program(compile::advice::base_name(program.front()))) continue;
    for (size_t i = 1; i < program.size(); ++i) {
      if (is_placement(program[i])) found.is_in_order = false;
      const bool is_number = std::ranges::find(kNumbers, program[i]) != kNumbers.end();
      if (!is_number || i + 1 == program.size() || found.processes) continue;
      int64_t number = 0;
      const std::string& text = program[i + 1];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size()) found.processes = number;
    }
    break;
  }
  return found;
}

// The container that gets the hostfile.
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

struct Place {
  Worker worker;
  int64_t job_index = 0;
  int64_t pod = 0;
};

const Node* node_container(const Node& pod_spec) {
  const auto containers = yaml::items_at(pod_spec, "containers");
  const auto found = std::ranges::find_if(
      containers, [](const Node* container) { return yaml::text_at(*container, "name") == model::kNode; });
  if (found != containers.end()) return *found;
  return containers.empty() ? nullptr : containers.front();
}

// The pods by host name.
std::map<std::string, Place, std::less<>> places_of(const RenderedJob& job, const Worker& launcher) {
  std::map<std::string, Place, std::less<>> places;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec) continue;
    const Node* container =
        &replicated_job == launcher.job ? launcher.container : node_container(*replicated_job.pod_spec);
    const int64_t pods = pods_per_job(replicated_job);
    if (!container || replicated_job.replicas * pods > kMostHosts) continue;
    for (int64_t index = 0; index < replicated_job.replicas; ++index) {
      for (int64_t pod = 0; pod < pods; ++pod)
        places[host_of(job.view, replicated_job, index, pod)] = {{&replicated_job, container}, index, pod};
    }
  }
  return places;
}

void list_hosts(const RenderedJob& job, const Worker& launcher, const std::vector<Host>& hosts,
                bool is_in_order, JobPlan& plan) {
  RankList list(job, plan);
  const auto places = places_of(job, launcher);
  const bool is_host = launcher.job && std::ranges::any_of(hosts, [&](const Host& host) {
                         return host.name == host_of(job.view, *launcher.job, 0, 0);
                       });
  if (launcher.job && !is_host) list.add(launcher, 0, 0, std::nullopt, 0);
  int64_t rank = 0;
  for (const Host& host : hosts) {
    const int64_t ranks = std::max<int64_t>(0, std::min(host.slots, plan.processes.value_or(0) - rank));
    const auto place = places.find(host.name);
    if (place != places.end()) {
      const bool is_known = is_in_order && ranks > 0;
      list.add(place->second.worker, place->second.job_index, place->second.pod,
               is_known ? std::optional(rank) : std::nullopt, is_in_order ? ranks : 0);
    }
    rank += ranks;
  }
}

}  // namespace

void add_mpi_processes(const RenderedJob& job, bool list, JobPlan& plan) {
  plan.hostfile = yaml::text_at(*job.hostfile, {"data", "hostfile"});
  const std::vector<Host> hosts = read_hostfile(plan.hostfile);
  const Worker launcher = launcher_of(job);
  if (const policy::Framework* framework = framework_in(job, {})) plan.framework = framework->title;
  Mpirun run;
  if (launcher.job) {
    const PodPlace place{job.ns, job.view.name, launcher.job, 0, 0};
    run = read_mpirun(command_of(*launcher.container, environment_of(*launcher.container, place)));
  }
  int64_t slots = 0;
  for (const Host& host : hosts) slots += host.slots;
  plan.nodes = std::ssize(hosts);
  plan.processes = run.processes.value_or(slots);
  if (list) list_hosts(job, launcher, hosts, run.is_in_order, plan);
}

}  // namespace trainjobc::plan
