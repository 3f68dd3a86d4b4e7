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
  std::string_view ns;  // "" if the job has no namespace
  int64_t nodes = 1;
  int64_t tasks_per_node = 1;
  int64_t gpus_per_node = 0;
  bool counts_resources =
      true;  // whether each node's resources follow from tasks and GPUs; otherwise it detects them
  std::string_view network_device;  // the interface of the brokers: eth0
  std::string_view queue_policy;    // the scheduler's policy: fcfs
};

// init.sh, for the init container: copies Flux into the shared volume and writes the broker's configuration.
std::string init_script(const FluxCluster& cluster);

// entrypoint.sh, for every node: starts a broker; the first node then runs its arguments as a command on the
// whole cluster.
std::string entrypoint_script(const FluxCluster& cluster);

}  // namespace trainjobc::policy::flux
