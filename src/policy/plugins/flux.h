// SPDX-License-Identifier: Apache-2.0

// The two shell scripts in a Flux job's entrypoint ConfigMap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::policy::flux {

// What the scripts need to know about a job.
struct FluxCluster {
  std::string_view job_name;
  std::string_view ns;  // "" if the job names none
  int64_t nodes = 1;
  int64_t tasks_per_node = 1;
  int64_t gpus_per_node = 0;
  bool counts_resources = true;     // of each node, from tasks and GPUs; false: each node detects them
  std::string_view network_device;  // the brokers' interface: eth0
  std::string_view queue_policy;    // of the scheduler: fcfs
};

// init.sh, for the init container: copies Flux into the shared volume and writes the broker's configuration.
std::string init_script(const FluxCluster& cluster);

// entrypoint.sh, for every node: starts a broker; the first node then runs its arguments as a command on the
// whole cluster.
std::string entrypoint_script(const FluxCluster& cluster);

}  // namespace trainjobc::policy::flux
