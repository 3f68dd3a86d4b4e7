// SPDX-License-Identifier: Apache-2.0

// --fix, migrate and function over styles that are hard to rewrite; the test `rewriting` takes every manifest
// of the repository.
#include "support/properties/rewriting.h"

#include <doctest/doctest.h>

namespace trainjobc::rewriting_test {
namespace {

const std::string kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: TrainJob\n"
    "metadata: {name: job}\n";

}  // namespace

TEST_CASE("rewriting: overrides among comments, anchors and block scalars") {
  CHECK(test::wrong_with_rewriting("# first\n" + kHead +
                                   "spec:  # of the job\n"
                                   "  runtimeRef: {name: torch-distributed}  # installed\n"
                                   "  trainer: &trainer\n"
                                   "    args: ['# none', \"a\\\n      b # c\"]\n"
                                   "    env:\n"
                                   "    - name: SCRIPT\n"
                                   "      value: &script |\n"
                                   "        train # all\n"
                                   "        #\n"
                                   "  podTemplateOverrides:\n"
                                   "  - targetJobs: [{name: node}]  # only\n"
                                   "    spec:\n"
                                   "      nodeSelector: {gpu: h100}\n"
                                   "      containers:\n"
                                   "      - name: node\n"
                                   "        env:\n"
                                   "        - name: NOTE\n"
                                   "          value: |-\n"
                                   "            ends in #\n"
                                   "---\n"
                                   "# another's\n"
                                   "apiVersion: v1\n"
                                   "kind: ConfigMap\n"
                                   "metadata: {name: c}\n"
                                   "data: {a: \"b # c\"}\n") == "");
}

TEST_CASE("rewriting: empty limits and labels") {
  for (const char* nothing : {"", " ~", " null", " {}", "  # none"}) {
    const std::string value = nothing;
    CAPTURE(value);
    CHECK(test::wrong_with_rewriting(kHead +
                                     "spec:\n"
                                     "  runtimeRef: {name: torch-distributed}\n"
                                     "  trainer:\n"
                                     "    resourcesPerNode:\n"
                                     "      limits:" +
                                     value +
                                     "\n"
                                     "      requests: {nvidia.com/gpu: 2}\n"
                                     "  labels:" +
                                     value + "\n") == "");
  }
}

TEST_CASE("rewriting: a dialect, a List and one line of JSON") {
  CHECK(test::wrong_with_rewriting("apiVersion: trainer.kubeflow.org/v2alpha1\n"
                                   "kind: TrainJob\n"
                                   "metadata: {name: job}\n"
                                   "spec: {runtimeRef: {name: torch-distributed}}\n") == "");
  CHECK(test::wrong_with_rewriting("apiVersion: v1\n"
                                   "kind: List\n"
                                   "items:\n"
                                   "  # a job\n"
                                   "  - apiVersion: trainer.kubeflow.org/v1alpha1\n"
                                   "    kind: TrainJob\n"
                                   "    metadata: {name: job}\n"
                                   "    spec:\n"
                                   "      runtimeRef: {name: torch-distributed}\n"
                                   "      podSpecOverrides:\n"
                                   "      - targetJobs: [{name: node}]\n"
                                   "        nodeSelector: {gpu: h100}  # fast\n") == "");
  CHECK(
      test::wrong_with_rewriting(
          R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "a"},)"
          R"( "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": "2"}}})"
          "\n") == "");
}

}  // namespace trainjobc::rewriting_test
