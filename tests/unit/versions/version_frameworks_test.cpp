// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_frameworks_test {
using namespace trainjobc::test;

TEST_CASE("JAX exists since 2.2, and 2.2 crashes over a runtime without a trainer") {
  const std::string policy = "mlPolicy: {jax: {}}, ";
  CHECK(in_each_version(cluster_runtime(policy + template_of(flow_replicated_job("node", "trainer"))) +
                            train_job("trainer: {}"),
                        "JobSet", of_node("env")) ==
        R"(2.0 refused: spec.mlPolicy.jax: unknown field "jax" in spec.mlPolicy
2.1 refused: spec.mlPolicy.jax: unknown field "jax" in spec.mlPolicy
2.2 [{"name":"JAX_NUM_PROCESSES","value":"1"},{"name":"JAX_PROCESS_ID","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['batch.kubernetes.io/job-completion-index']"}}},{"name":"JAX_COORDINATOR_ADDRESS","value":"job-node-0-0.job:29500"}]
2.3 [{"name":"JAX_NUM_PROCESSES","value":"1"},{"name":"JAX_PROCESS_ID","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['batch.kubernetes.io/job-completion-index']"}}},{"name":"JAX_COORDINATOR_ADDRESS","value":"job-node-0-0.job:29500"}]
)");
  CHECK(in_each_version(cluster_runtime(policy + template_of(flow_replicated_job("node", ""))) + train_job(),
                        "JobSet",
                        "kind") == R"(2.0 refused: spec.mlPolicy.jax: unknown field "jax" in spec.mlPolicy
2.1 refused: spec.mlPolicy.jax: unknown field "jax" in spec.mlPolicy
2.2 refused: spec.runtimeRef: the JAX runtime "rt" has no replicatedJob with the ancestor label "trainer": the controller crashes without it
2.3 "JobSet"
)");
}

TEST_CASE("2.2 doesn't wrap the runtime's command in Flux, and shares no memory") {
  const std::string manifests =
      cluster_runtime("mlPolicy: {flux: {}}, " +
                      template_of(flow_replicated_job("node", "trainer", "command: [lmp, -i]"))) +
      train_job("trainer: {numNodes: 2}");
  CHECK(in_each_version(manifests, "JobSet", of_node("command")) ==
        R"(2.0 refused: spec.mlPolicy.flux: unknown field "flux" in spec.mlPolicy
2.1 refused: spec.mlPolicy.flux: unknown field "flux" in spec.mlPolicy
2.2 ["/bin/bash","/etc/flux-config/entrypoint.sh",""]
2.3 ["/bin/bash","/etc/flux-config/entrypoint.sh","lmp -i"]
)");
  CHECK(in_each_version(manifests, "JobSet", std::string(kPodSpec) + "/volumes/shared-memory") ==
        R"(2.0 refused: spec.mlPolicy.flux: unknown field "flux" in spec.mlPolicy
2.1 refused: spec.mlPolicy.flux: unknown field "flux" in spec.mlPolicy
2.2 -
2.3 {"name":"shared-memory","emptyDir":{"medium":"Memory"}}
)");
}

TEST_CASE("Volcano exists since 2.1, and takes its queue from the job's annotations there") {
  const std::string runtime = cluster_runtime("podGroupPolicy: {volcano: {}}, " +
                                              template_of(flow_replicated_job("node", "trainer")));
  const std::string none =
      "refused: spec.podGroupPolicy.volcano: unknown field \"volcano\" in spec.podGroupPolicy\n";
  CHECK(in_each_version(runtime + train_job(), "PodGroup", "spec/minMember") ==
        "2.0 " + none + "2.1 1\n2.2 1\n2.3 1\n");
  const std::string queue = train_job("annotations: {scheduling.volcano.sh/queue-name: research}");
  CHECK(outcome(compile_for("2.1", runtime + queue), "PodGroup", "spec/queue") == "\"research\"");
}

}  // namespace trainjobc::version_frameworks_test
