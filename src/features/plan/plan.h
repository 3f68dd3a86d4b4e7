// SPDX-License-Identifier: Apache-2.0

// What compiled TrainJobs will occupy: pods, processes, resources, host names, and what each process sees.
// Everything is derived from the rendered objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/compile.h"
#include "features/objects/pods.h"
#include "features/plan/quota/admit.h"
#include "launch/environment.h"
#include "platform/quota.h"

namespace trainjobc::plan {

using objects::Amounts;
using objects::in_order;
using objects::PodSet;

// A container that starts processes of the training, or mpirun.
struct RankNode {
  std::string host;
  std::string pod_set;
  std::string container;
  std::optional<int64_t> first_rank;  // nullopt if it is unknown before the job runs, or there are no ranks
  int64_t ranks = 0;                  // number of ranks; 0 for a launcher that doesn't train itself
  std::vector<std::string> command;   // including arguments; empty: the image's own
  std::vector<launch::Variable> env;  // in the container's order
};

// What starts the processes of a node, and its settings.
struct LaunchPlan {
  struct Setting {
    std::string name;    // "nodes"
    std::string value;   // "?" if it is unknown before the pod runs
    std::string source;  // "PET_NNODES", "--nnodes", "the default"
    std::string place;   // of a flag: "jobs/llama.yaml:12:30"; "" for other sources
    bool is_default = false;
  };
  std::string program;
  std::string version;  // with which this was verified
  std::string result;   // what the nodes become: "one world"
  std::vector<Setting> settings;
};

struct JobPlan {
  std::string scope;  // "" unless the inputs have several
  std::string id;     // "TrainJob/team-a/llama"
  std::string ns;     // "default" if the job names none
  std::string name;
  std::map<std::string, std::string> labels;  // of the TrainJob
  std::string runtime;
  std::vector<std::string> images;      // of the containers, each once
  std::string framework;                // "torch", "MPI", …; "" if it has none
  std::string queue;                    // Kueue's or Volcano's; "" if it has none
  int64_t nodes = 0;                    // that train
  int64_t pods = 0;                     // with initializers and launchers
  std::optional<int64_t> processes;     // the world size; nullopt if it depends on the machine
  std::string unknown;                  // why nothing says how many there are; "" if that is plain
  std::optional<int64_t> gang_minimum;  // minMember of its PodGroup
  Amounts requests;                     // sum over all pods
  std::vector<PodSet> pod_sets;
  std::vector<RankNode> ranks;             // if requested
  std::optional<LaunchPlan> launch;        // if requested, and the launcher is known
  int64_t ranks_left_out = 0;              // how many containers are not listed, because there are too many
  std::string hostfile;                    // MPI's
  std::optional<Admission> admission;      // if quotas are known
  std::vector<platform::QuotaUse> quotas;  // of its namespace
};

// A ResourceQuota of the inputs, and what the jobs use of it.
struct QuotaPlan {
  struct Resource {
    std::string name;  // as the quota calls it
    k8s::Quantity hard;
    std::optional<k8s::Quantity> used;  // nullopt if it is not what jobs use, such as Services
    std::vector<std::pair<std::string, k8s::Quantity>> jobs;  // that use it, by their ids
  };
  std::string scope;
  std::string ns;
  std::string name;
  std::vector<Resource> resources;
};

struct Total {
  std::string scope;
  std::string ns;
  std::string queue;
  int64_t jobs = 0;
  int64_t nodes = 0;
  int64_t pods = 0;
  std::optional<int64_t> processes = 0;  // nullopt if it is unknown for one of the jobs
  Amounts requests;
};

struct Plan {
  std::vector<JobPlan> jobs;  // in the order of the compilation
  std::vector<Total> totals;  // sorted by scope, namespace and queue
  Total total;
  std::vector<QuotaPlan> quotas;  // of the jobs' namespaces; sorted by scope, namespace and name
};

struct PlanOptions {
  bool ranks = false;
  const Capacity* capacity = nullptr;  // under Kueue's quotas; nullptr: unknown
};

// `objects` are those of one TrainJob, with a JobSet among them, compiled with_defaults.
JobPlan plan_job(std::span<const Object> objects, const PlanOptions& options);

// Adds to their admissions which of the jobs Kueue admits if it gets all of them at the same time. Each scope
// counts as a cluster of its own.
void plan_together(const Capacity& capacity, std::vector<JobPlan>& jobs);

Plan add_totals(std::vector<JobPlan> jobs);

// Reports of plans.

struct PlanFormat {
  bool ranks = false;
  bool quota = false;  // report whether jobs can be admitted
  size_t width = 0;    // of the terminal; 0: no limit
};

// For people: a table of the jobs, one of the totals, and one of the quotas.
std::string format_text(const Plan& plan, const PlanFormat& format);
// For a comment on a pull request, at most as long as GitHub accepts.
std::string format_markdown(const Plan& plan, const PlanFormat& format);
// For programs: {"jobs": [...], "totals": [...], "total": {...}}, and "quotas" if there are any
std::string format_json(const Plan& plan, const PlanFormat& format);

}  // namespace trainjobc::plan
