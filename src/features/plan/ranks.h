// SPDX-License-Identifier: Apache-2.0

// The processes of a job: how many there are, on which hosts, and what each sees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/plan.h"
#include "k8s/jobset/view.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::plan {

// Which pod of which Job a container is in.
struct PodPlace {
  std::string_view ns;
  std::string_view job_set;
  const k8s::jobset::ReplicatedJob* job = nullptr;
  int64_t job_index = 0;
  int64_t pod = 0;
};

// The variables with what Kubernetes knows when the pod starts, $(NAME) expanded, and the index that the Job
// controller adds.
std::vector<Variable> environment_of(const yaml::Node& container, const PodPlace& place);

// command and args, with $(NAME) expanded.
std::vector<std::string> command_of(const yaml::Node& container, const std::vector<Variable>& env);

// nullptr if there is no such variable.
const Variable* find_variable(const std::vector<Variable>& env, std::string_view name);
// The value of a variable; "" if there is none or it is not known.
std::string_view value_of(const std::vector<Variable>& env, std::string_view name);

// A JobSet with what was rendered beside it. Its secrets are masked.
struct RenderedJob {
  k8s::jobset::JobSetView view;
  std::string_view ns;
  const yaml::Node* hostfile = nullptr;  // the ConfigMap; nullptr if mpirun reads none
  std::string_view flux_script;          // "" if Flux starts nothing
};

// A container that trains, or starts what does.
struct Worker {
  const k8s::jobset::ReplicatedJob* job = nullptr;
  const yaml::Node* container = nullptr;
};

// Those of the replicatedJobs that train, in their order.
std::vector<Worker> workers_of(const RenderedJob& job);

// The framework whose variables the workers have, or whose files the job mounts; nullptr if there is none.
const policy::Framework* framework_in(const RenderedJob& job, const std::vector<Worker>& workers);

// The containers that are listed: up to a limit, then they are only counted.
class RankList {
 public:
  RankList(const RenderedJob& job, JobPlan& plan) : job_(job), plan_(plan) {}

  // Ranks that are not known before the job runs have no number.
  void add(const Worker& worker, int64_t job_index, int64_t pod, std::optional<int64_t> first_rank,
           int64_t ranks);

 private:
  const RenderedJob& job_;
  JobPlan& plan_;
};

// Sets nodes, processes and framework of the plan, and MPI's hostfile; with `list`, ranks.
void add_processes(const RenderedJob& job, bool list, JobPlan& plan);

// The same for a job that mpirun starts.
void add_mpi_processes(const RenderedJob& job, bool list, JobPlan& plan);

}  // namespace trainjobc::plan
