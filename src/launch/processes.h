// SPDX-License-Identifier: Apache-2.0

// How many nodes, pods and processes a rendered job has: `plan` and the rules of teams count in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/jobset/jobset.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "launch/mpirun.h"
#include "launch/start.h"
#include "launch/words.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::launch {

// A JobSet, as its admission stores it, and what was rendered with it.
struct RenderedJob {
  k8s::jobset::JobSetView view;
  std::string_view ns;
  const yaml::Node* hostfile = nullptr;  // the ConfigMap that mpirun reads; nullptr if there is none
  std::string_view flux_script;          // "" if Flux starts nothing
  bool has_processes = false;            // the TrainJob has its own numProcPerNode
};
RenderedJob rendered_job(const yaml::Node& job_set, std::string_view ns, const yaml::Node& train_job,
                         std::span<const yaml::Node* const> objects);

struct JobCount {
  const policy::Framework* framework = nullptr;  // nullptr if it has none
  int64_t nodes = 0;                             // that train
  int64_t pods = 0;                              // with initializers and launchers
  std::optional<int64_t> processes;              // the world size; nullopt if it depends on the machine
  std::string unknown;                           // why nothing says how many there are; "" if that is plain
};
JobCount count_of(const RenderedJob& job);

// The name of Kueue's or Volcano's queue; nullptr if the job goes into none.
const yaml::Node* queue_of(const yaml::Node& train_job, const yaml::Node& job_set,
                           std::span<const yaml::Node* const> objects);

// The container called `node`, else the first; nullptr if there is none.
const yaml::Node* node_container(const yaml::Node& pod_spec);

// A container that trains, or starts the training.
struct Worker {
  const k8s::jobset::ReplicatedJob* job = nullptr;
  const yaml::Node* container = nullptr;
};

// The workers of the replicatedJobs that train, in order.
std::vector<Worker> workers_of(const RenderedJob& job);

// What a container of the worker's first pod starts, and the settings that it sees.
class Settings {
 public:
  Settings(const policy::Framework& framework, const RenderedJob& job, const Worker& worker);

  const Launch& launch() const { return launch_; }
  // Returns nullopt if no launcher is known.
  const std::optional<Start>& start() const { return start_; }
  const CommandLine& line() const { return line_; }

  std::string_view value(std::string_view variable) const { return value_of(env_, variable); }

  // Whether torchrun takes any number of nodes in a range such as "1:4".
  bool is_elastic() const;

 private:
  std::vector<Variable> env_;
  CommandLine line_;
  Launch launch_;
  std::optional<Start> start_;
};

// Jobs that mpirun starts: the launcher reads the hostfile and fills one host after the other, up to its
// slots.

struct Host {
  std::string name;
  int64_t slots = 1;
};
std::vector<Host> hosts_of(const RenderedJob& job);

// The container that mounts the hostfile, and what it says to mpirun; nullopt if it starts something else.
Worker launcher_of(const RenderedJob& job);
std::optional<Mpirun> mpirun_of(const RenderedJob& job, const Worker& launcher);

// Returns nullopt if one is unknown, or the sum overflows.
std::optional<int64_t> sum_of(std::optional<int64_t> a, std::optional<int64_t> b);
// Adds numbers of pods or nodes; stays at the maximum instead of overflowing.
int64_t capped_sum(int64_t a, int64_t b);

}  // namespace trainjobc::launch
