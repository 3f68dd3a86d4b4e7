// SPDX-License-Identifier: Apache-2.0

// What compiled TrainJobs will occupy: pods, processes, resources, host names, and what each process sees.
// All of it is read off the rendered objects.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"
#include "features/objects/pods.h"
#include "features/plan/quota/admit.h"
#include "launch/environment.h"

namespace trainjobc::plan {

using objects::Amounts;
using objects::in_order;
using objects::PodSet;

// One container that starts processes of the training, or mpirun.
struct RankNode {
  std::string host;
  std::string pod_set;
  std::string container;
  std::optional<int64_t> first_rank;  // nullopt if the ranks are not known before the job runs, or for none
  int64_t ranks = 0;                  // how many follow; 0 for a launcher that trains nothing itself
  std::vector<std::string> command;   // with its arguments; empty: the image's own
  std::vector<launch::Variable> env;  // in the container's order
};

// What starts the processes of a node, and what it is told.
struct LaunchPlan {
  struct Setting {
    std::string name;    // "nodes"
    std::string value;   // "?" if it is not known before the pod runs
    std::string source;  // "PET_NNODES", "--nnodes", "the default"
    std::string place;   // of a flag: "jobs/llama.yaml:12:30"; "" for others
    bool is_default = false;
  };
  std::string program;
  std::string version;  // on which this was seen
  std::string result;   // what becomes of the nodes: "one world"
  std::vector<Setting> settings;
};

struct JobPlan {
  std::string scope;  // "", unless the inputs have several
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
  Amounts requests;                     // of all pods
  std::vector<PodSet> pod_sets;
  std::vector<RankNode> ranks;         // if they were asked for
  std::optional<LaunchPlan> launch;    // if they were asked for, and the launcher is known
  int64_t ranks_left_out = 0;          // containers that would be too many to list
  std::string hostfile;                // of MPI
  std::optional<Admission> admission;  // if quotas were given
};

struct Total {
  std::string scope;
  std::string ns;
  std::string queue;
  int64_t jobs = 0;
  int64_t nodes = 0;
  int64_t pods = 0;
  std::optional<int64_t> processes = 0;  // nullopt if one job's are not known
  Amounts requests;
};

struct Plan {
  std::vector<JobPlan> jobs;  // in the order of the compilation
  std::vector<Total> totals;  // by scope, namespace and queue
  Total total;
};

struct PlanOptions {
  bool ranks = false;
  const Capacity* capacity = nullptr;  // of Kueue's quotas; nullptr: none is known
};

// `objects` are those of one TrainJob, a JobSet among them, compiled with_defaults.
JobPlan plan_job(std::span<const Object> objects, const PlanOptions& options);

// Adds to their admissions which of them Kueue admits if it gets them at the same time. Each scope is a
// cluster of its own.
void plan_together(const Capacity& capacity, std::vector<JobPlan>& jobs);

Plan add_totals(std::vector<JobPlan> jobs);

// Reports of plans.

struct PlanFormat {
  bool ranks = false;
  bool quota = false;  // whether jobs could be admitted
  size_t width = 0;    // of the terminal; 0: none
};

// For people: a table of the jobs, and one of the totals.
std::string format_text(const Plan& plan, const PlanFormat& format);
// For a comment on a pull request, at most as long as GitHub accepts.
std::string format_markdown(const Plan& plan, const PlanFormat& format);
// For programs: {"jobs": [...], "totals": [...], "total": {...}}
std::string format_json(const Plan& plan, const PlanFormat& format);

}  // namespace trainjobc::plan
