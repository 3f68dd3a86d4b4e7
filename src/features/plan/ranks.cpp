// SPDX-License-Identifier: Apache-2.0

#include "features/plan/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/ascii.h"
#include "compile/advice/command_lines.h"
#include "model/trainer_names.h"
#include "features/plan/jobset_pods.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

using k8s::jobset::ReplicatedJob;
using policy::Framework;
using yaml::Node;

constexpr size_t kMostListed = 10'000;  // containers of a job

bool trains(const ReplicatedJob& job) {
  return yaml::text_at(*job.node, {"template", "metadata", "labels", model::kAncestorLabel}) ==
         model::kTrainer;
}

bool has_variable_of(const Node& container, const Framework& framework) {
  return std::ranges::any_of(yaml::items_at(container, "env"), [&](const Node* item) {
    return std::ranges::find(framework.env, yaml::text_at(*item, "name")) != framework.env.end();
  });
}

const Framework* framework_of_variables(const Node& container) {
  for (const policy::Plugin* plugin : policy::registry()) {
    if (has_variable_of(container, plugin->framework)) return &plugin->framework;
  }
  return nullptr;
}

// The one with a framework's variables, else the one called `node`, else the first.
const Node* training_container(const Node& pod_spec) {
  const auto containers = yaml::items_at(pod_spec, "containers");
  const auto with_variables = std::ranges::find_if(
      containers, [](const Node* container) { return framework_of_variables(*container) != nullptr; });
  if (with_variables != containers.end()) return *with_variables;
  const auto called_node = std::ranges::find_if(
      containers, [](const Node* container) { return yaml::text_at(*container, "name") == model::kNode; });
  if (called_node != containers.end()) return *called_node;
  return containers.empty() ? nullptr : containers.front();
}

std::optional<int64_t> to_count(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// What a program is told: by a flag, which its variable is called after ("--nproc-per-node" or
// "--nproc_per_node"), else by the variable.
class Settings {
 public:
  Settings(const Framework& framework, const RenderedJob& job, const Worker& worker)
      : framework_(framework),
        env_(environment_of(*worker.container, {job.ns, job.view.name, worker.job, 0, 0})) {
    const std::vector<std::string> words = command_of(*worker.container, env_);
    programs_ = compile::advice::programs_of({words.begin(), words.end()});
  }

  std::string value(std::string_view variable) const {
    if (framework_.has_flags) {
      std::string flag = flag_value(variable);
      if (!flag.empty()) return flag;
    }
    return std::string(value_of(env_, variable));
  }

  // "1:4": torchrun takes any number of nodes in that range.
  bool is_elastic() const {
    return std::ranges::any_of(framework_.env, [&](std::string_view variable) {
      const std::string given = value(variable);
      const std::string_view text = given;
      const size_t colon = text.find(':');
      return colon != std::string_view::npos && to_count(text.substr(0, colon)) &&
             to_count(text.substr(colon + 1));
    });
  }

 private:
  std::string flag_value(std::string_view variable) const {
    const size_t prefix = framework_.env_family.find('*');
    if (prefix == std::string_view::npos || variable.size() <= prefix) return "";
    const std::string name = "--" + base::lower_case(variable.substr(prefix));
    for (const std::vector<std::string>& program : programs_) {
      for (size_t i = 0; i < program.size(); ++i) {
        const std::string_view word = program[i];
        const size_t equals = word.find('=');
        std::string flag(word.substr(0, equals));
        std::replace(flag.begin() + std::min<ptrdiff_t>(2, std::ssize(flag)), flag.end(), '-', '_');
        if (flag != name) continue;
        if (equals != std::string_view::npos) return std::string(word.substr(equals + 1));
        if (i + 1 < program.size()) return program[i + 1];
      }
    }
    return "";
  }

  const Framework& framework_;
  std::vector<Variable> env_;
  std::vector<std::vector<std::string>> programs_;
};

// What "auto" and "gpu" come to; nullopt without a GPU, when the machine's CPUs may count.
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
  return to_count(line.substr(0, line.find(' ')));
}

int64_t pods_of(const std::vector<Worker>& workers) {
  int64_t pods = 0;
  for (const Worker& worker : workers) pods += worker.job->replicas * pods_per_job(*worker.job);
  return pods;
}

// How many processes the job has; nullopt if that depends on its machines.
std::optional<int64_t> count_processes(const RenderedJob& job, const std::vector<Worker>& workers,
                                       const Framework* framework, int64_t nodes) {
  if (!job.flux_script.empty()) return flux_processes(job.flux_script);
  if (!framework || framework->processes.empty()) return nodes;
  int64_t count = 0;
  for (const Worker& worker : workers) {
    const int64_t pods = worker.job->replicas * pods_per_job(*worker.job);
    const std::string given = Settings(*framework, job, worker).value(framework->processes);
    std::optional<int64_t> number = to_count(given);
    if (!framework->processes_per_node) return number;
    if (!number && given != "cpu") number = gpus_of(*worker.container);
    if (!number) return std::nullopt;
    count += pods * *number;
  }
  return count;
}

void list_ranks(const RenderedJob& job, const std::vector<Worker>& workers, const Framework* framework,
                JobPlan& plan) {
  RankList list(job, plan);
  const bool is_even = plan.processes && plan.nodes > 0 && *plan.processes % plan.nodes == 0;
  const int64_t each = is_even ? *plan.processes / plan.nodes : 0;
  int64_t rank = 0;
  for (const Worker& worker : workers) {
    const bool is_fixed = is_even && !(framework && Settings(*framework, job, worker).is_elastic());
    for (int64_t index = 0; index < worker.job->replicas; ++index) {
      for (int64_t pod = 0; pod < pods_per_job(*worker.job); ++pod) {
        list.add(worker, index, pod, is_fixed ? std::optional(rank) : std::nullopt, each);
        rank += each;
        if (plan.ranks_left_out > 0) {
          plan.ranks_left_out = plan.nodes - std::ssize(plan.ranks);
          return;
        }
      }
    }
  }
}

}  // namespace

std::vector<Worker> workers_of(const RenderedJob& job) {
  std::vector<Worker> workers;
  for (const ReplicatedJob& replicated_job : job.view.jobs) {
    if (!replicated_job.pod_spec || !trains(replicated_job)) continue;
    if (const Node* container = training_container(*replicated_job.pod_spec))
      workers.push_back({&replicated_job, container});
  }
  return workers;
}

const Framework* framework_in(const RenderedJob& job, const std::vector<Worker>& workers) {
  for (const Worker& worker : workers) {
    if (const Framework* framework = framework_of_variables(*worker.container)) return framework;
  }
  // Flux and other implementations of MPI set no variables of their own.
  const std::string_view title = job.hostfile ? "MPI" : !job.flux_script.empty() ? "Flux" : "";
  for (const policy::Plugin* plugin : policy::registry()) {
    if (!title.empty() && plugin->framework.title == title) return &plugin->framework;
  }
  return nullptr;
}

void RankList::add(const Worker& worker, int64_t job_index, int64_t pod, std::optional<int64_t> first_rank,
                   int64_t ranks) {
  if (plan_.ranks.size() == kMostListed) {
    ++plan_.ranks_left_out;
    return;
  }
  RankNode node;
  node.host = host_of(job_.view, *worker.job, job_index, pod);
  node.pod_set = worker.job->name;
  node.container = yaml::text_at(*worker.container, "name");
  node.first_rank = first_rank;
  node.ranks = ranks;
  node.env = environment_of(*worker.container, {job_.ns, job_.view.name, worker.job, job_index, pod});
  node.command = command_of(*worker.container, node.env);
  plan_.ranks.push_back(std::move(node));
}

void add_processes(const RenderedJob& job, bool list, JobPlan& plan) {
  if (job.hostfile) return add_mpi_processes(job, list, plan);
  const std::vector<Worker> workers = workers_of(job);
  const Framework* framework = framework_in(job, workers);
  if (framework) plan.framework = framework->title;
  plan.nodes = pods_of(workers);
  plan.processes = count_processes(job, workers, framework, plan.nodes);
  if (list) list_ranks(job, workers, framework, plan);
}

}  // namespace trainjobc::plan
