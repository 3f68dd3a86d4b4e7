// SPDX-License-Identifier: Apache-2.0

// v1 jobs: which failures are retried
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_restarts_test {
using namespace trainjobc::test;

namespace {

const std::string kExitCode = "      restartPolicy: ExitCode\n";

}  // namespace

TEST_CASE("migrate v1: ExitCode fails the Job for the codes that the operator takes as permanent") {
  CHECK(said(torch("", kExitCode)) == "1 of 1 object migrated to Trainer 2.3\n");
  CHECK(written(torch("", kExitCode), {"--runtime-name", "team"}) ==
        R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: team
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              podFailurePolicy:
                rules:
                  - action: FailJob
                    onExitCodes:
                      containerName: node
                      operator: In
                      values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34,
                        35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
                        54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72,
                        73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91,
                        92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108,
                        109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123,
                        124, 125, 126, 127]
              template: {spec: {containers: [{name: node}], restartPolicy: Never}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: team
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
  CHECK(written(torch("  runPolicy: {backoffLimit: 5}\n", kExitCode), {"--runtime-name", "team"})
            .find("backoffLimit: 5") != std::string::npos);
}

TEST_CASE("migrate v1: ExitCode names the container, which keeps its name with --plain") {
  const std::string text =
      written(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
                  replica("Master", "1", "name: pytorch, image: 'r.io/a:1', args: [--master]", kExitCode) +
                  replica("Worker", "1", "name: pytorch, image: 'r.io/a:1'", "      restartPolicy: Never\n"),
              {"--plain"});
  const size_t policy = text.find("podFailurePolicy");
  REQUIRE(policy != std::string::npos);
  CHECK(text.find("podFailurePolicy", policy + 1) == std::string::npos);
  const std::string name = "containerName: ";
  const size_t at = text.find(name, policy) + name.size();
  CHECK(text.substr(at, text.find('\n', at) - at) == "pytorch");
}

TEST_CASE("migrate v1: Never fails with the first pod, OnFailure has a limit") {
  const std::string limit = "backoffLimit: ";
  const auto limit_of = [&](const std::string& spec, const std::string& policy) {
    const std::string text =
        written(torch(spec, "      restartPolicy: " + policy + "\n"), {"--runtime-name", "team"});
    const size_t at = text.find(limit);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  CHECK(limit_of("", "Never") == "backoffLimit: 0");
  CHECK(limit_of("  runPolicy: {backoffLimit: 4}\n", "Never") == "backoffLimit: 0");
  CHECK(limit_of("", "OnFailure") == "");
  CHECK(limit_of("  runPolicy: {backoffLimit: 4}\n", "OnFailure") == "backoffLimit: 4");
  CHECK(
      said(torch("", "      restartPolicy: Always\n")) ==
      R"(in.yaml:8:22: warning: Trainer starts a pod again only if it failed, as with OnFailure [advice/v1-difference]
    8 |       restartPolicy: Always
      |                      ^~~~~~ write OnFailure if this is what you want
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_restarts_test
