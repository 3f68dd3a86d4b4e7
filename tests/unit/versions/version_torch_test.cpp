// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_torch_test {
using namespace trainjobc::test;

namespace {

std::string processes(const std::string& policy, const std::string& trainer,
                      const std::string& container = "") {
  const std::string runtime = cluster_runtime("mlPolicy: {torch: {" + policy + "}}, " +
                                              template_of(flow_replicated_job("node", "trainer", container)));
  return in_each_version(runtime + train_job("trainer: {" + trainer + "}"), "JobSet",
                         of_node("env/PET_NPROC_PER_NODE/value"));
}

}  // namespace

TEST_CASE("without a number, 2.0 uses only the job's resources, later versions the node's") {
  CHECK(processes("", "") == "2.0 \"auto\"\n2.1 \"1\"\n2.2 \"1\"\n2.3 \"1\"\n");
  const std::string cpus = "resources: {requests: {cpu: 3200m}}";
  CHECK(processes("", "", cpus) == "2.0 \"auto\"\n2.1 \"4\"\n2.2 \"4\"\n2.3 \"4\"\n");
  const std::string gpus = "resources: {limits: {nvidia.com/gpu: 2}}";
  CHECK(processes("", "", gpus) == "2.0 \"auto\"\n2.1 \"auto\"\n2.2 \"auto\"\n2.3 \"auto\"\n");
}

TEST_CASE("2.0 reads limits first, and ignores them if the job has no requests") {
  CHECK(processes("", "resourcesPerNode: {limits: {cpu: 8}, requests: {cpu: 2}}") ==
        "2.0 \"8\"\n2.1 \"2\"\n2.2 \"2\"\n2.3 \"2\"\n");
  CHECK(processes("", "resourcesPerNode: {limits: {nvidia.com/gpu: 4}}") ==
        "2.0 \"1\"\n2.1 \"auto\"\n2.2 \"auto\"\n2.3 \"auto\"\n");
  CHECK(processes("", "resourcesPerNode: {requests: {nvidia.com/gpu: 4}}") ==
        "2.0 \"auto\"\n2.1 \"auto\"\n2.2 \"auto\"\n2.3 \"auto\"\n");
  CHECK(processes("", "numProcPerNode: 3, resourcesPerNode: {limits: {cpu: 8}}") ==
        "2.0 \"1\"\n2.1 \"3\"\n2.2 \"3\"\n2.3 \"3\"\n");
  CHECK(processes("", "resourcesPerNode: {limits: {}}") == "2.0 \"1\"\n2.1 \"1\"\n2.2 \"1\"\n2.3 \"1\"\n");
}

TEST_CASE("numProcPerNode is a word or a number until 2.1, a number afterwards") {
  const std::string refused =
      "refused: spec.trainer.numProcPerNode: spec.trainer.numProcPerNode must be an integer, "
      "not the string \"cpu\"\n";
  CHECK(processes("", "numProcPerNode: cpu, resourcesPerNode: {limits: {cpu: 5, nvidia.com/gpu: 2}}") ==
        "2.0 \"5\"\n2.1 \"5\"\n2.2 " + refused + "2.3 " + refused);
  const std::string word =
      "refused: spec.trainer.numProcPerNode: \"gpus\" is neither a number nor auto, cpu or gpu\n";
  const std::string later =
      "refused: spec.trainer.numProcPerNode: spec.trainer.numProcPerNode must be an integer, "
      "not the string \"gpus\"\n";
  CHECK(processes("", "numProcPerNode: gpus") ==
        "2.0 " + word + "2.1 " + word + "2.2 " + later + "2.3 " + later);
}

TEST_CASE("the runtime's numProcPerNode is read until 2.1 and unknown afterwards") {
  const std::string unknown =
      "refused: spec.mlPolicy.torch.numProcPerNode: unknown field \"numProcPerNode\" in "
      "spec.mlPolicy.torch\n";
  CHECK(processes("numProcPerNode: 6", "") == "2.0 \"6\"\n2.1 \"6\"\n2.2 " + unknown + "2.3 " + unknown);
}

TEST_CASE("until 2.1 reserved variables are checked only in jobs that give numProcPerNode") {
  const std::string runtime =
      cluster_runtime("mlPolicy: {torch: {}}, " + template_of(flow_replicated_job("node", "trainer")));
  const std::string env = "env: [{name: PET_NNODES, value: \"9\"}]";
  const std::string refused =
      "refused: spec.trainer.env: PET_NNODES is reserved: the torch runtime sets it\n";
  CHECK(in_each_version(runtime + train_job("trainer: {" + env + "}"), "JobSet",
                        of_node("env/PET_NNODES/value")) ==
        "2.0 \"9\"\n2.1 \"9\"\n2.2 " + refused + "2.3 " + refused);
  CHECK(in_each_version(runtime + train_job("trainer: {numProcPerNode: 1, " + env + "}"), "JobSet", "kind") ==
        "2.0 " + refused + "2.1 " + refused + "2.2 " + refused + "2.3 " + refused);
}

}  // namespace trainjobc::version_torch_test
