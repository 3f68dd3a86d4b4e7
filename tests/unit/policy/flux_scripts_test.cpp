// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "policy/plugins/flux.h"

namespace trainjobc::flux_scripts_test {
using namespace trainjobc::policy::flux;

namespace {

// The lines that hold a text.
std::string lines_with(const std::string& script, std::string_view text) {
  std::string found;
  for (size_t begin = 0; begin < script.size();) {
    const size_t end = script.find('\n', begin);
    const std::string line = script.substr(begin, end - begin + 1);
    if (line.find(text) != std::string::npos) found += line;
    begin = end + 1;
  }
  return found;
}

FluxCluster plan(int64_t nodes, int64_t tasks, int64_t gpus) {
  return {.job_name = "demo",
          .ns = "team",
          .nodes = nodes,
          .tasks_per_node = tasks,
          .gpus_per_node = gpus,
          .network_device = "eth0",
          .queue_policy = "fcfs"};
}

}  // namespace

TEST_CASE("Flux: brokers are found in their namespace, or in the pod's own if the job names none") {
  FluxCluster one = plan(1, 1, 0);
  CHECK(lines_with(init_script(one), "default_connect") ==
        "default_connect = \"tcp://%h.demo.team.svc.cluster.local:%p\"\n");
  one.ns = "";
  CHECK(lines_with(init_script(one), "default_connect") == "default_connect = \"tcp://%h.demo:%p\"\n");
}

TEST_CASE("Flux: cores and GPUs are counted") {
  const auto resources = [](const FluxCluster& cluster) {
    const std::string script = entrypoint_script(cluster);
    return lines_with(script, "flux R encode") + lines_with(script, "flux run");
  };
  const std::string encode = R"sh(flux R encode --hosts="$(cat "$config/etc/flux/system/hostlist")" )sh";
  const std::string file = " > \"$config/etc/flux/system/R\"\n";
  const std::string start = R"(  flux start -o --config "$config/etc/flux/config" "${broker[@]}" flux run )";
  CHECK(resources(plan(1, 1, 0)) == encode + "--cores=0" + file + start + "-N 1 -n 1 $command\n");
  CHECK(resources(plan(3, 2, 4)) ==
        encode + "--cores=0-1 --gpu=0-3" + file + start + "-N 3 -n 6 -g 4 $command\n");
  FluxCluster uncounted = plan(3, 2, 4);
  uncounted.counts_resources = false;
  CHECK(resources(uncounted) == encode + "--local" + file + start + "-N 3 -n 6 -g 4 $command\n");
}

}  // namespace trainjobc::flux_scripts_test
