// SPDX-License-Identifier: Apache-2.0

// editors/vscode/test/snippets.test.ts expands all snippets in VS Code's own engine, and lints the results.
#include <doctest/doctest.h>

#include "features/lsp/answers.h"
#include "support/lsp.h"

namespace trainjobc::snippets_test {
namespace {

constexpr std::string_view kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torch-h100, namespace: team-a}
spec:
  template:
    spec:
      replicatedJobs:
      - name: fetch
        template: {spec: {template: {spec: {containers: [{name: fetcher, image: "fetch:1"}]}}}}
      - name: node
        template:
          spec:
            template: {spec: {containers: [{name: node, image: "torch:2"}, {name: sidecar, image: "a:1"}]}}
)";

constexpr std::string_view kJob = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: team-a
spec:
  runtimeRef:
    kind: TrainingRuntime
    name: torch-h100
)";

test::LspWorkspace& with_runtime(test::LspWorkspace& workspace, std::string_view runtime = kRuntime) {
  return workspace.file("runtimes/torch.yaml", std::string(runtime));
}

std::string labels(std::string_view text) {
  return test::LspWorkspace().open("job.yaml", text).labels();
}

std::string accept(std::string_view text, std::string_view label, std::string_view runtime = kRuntime) {
  test::LspWorkspace workspace;
  return with_runtime(workspace, runtime).open("job.yaml", text).accept(label);
}

// The text of a snippet, with its placeholders.
std::string snippet(std::string_view text, std::string_view label, std::string_view runtime = kRuntime) {
  test::LspWorkspace workspace;
  with_runtime(workspace, runtime).open("job.yaml", text);
  const nlohmann::json found = lsp::complete(workspace.workspace(), workspace.document(), workspace.cursor());
  for (const nlohmann::json& item : found["items"]) {
    if (item["label"] == label) return item["textEdit"]["newText"];
  }
  return "";
}

}  // namespace

TEST_CASE("snippets: whole documents") {
  CHECK(
      labels("@@") ==
      R"(apiVersion kind metadata spec ClusterTrainingRuntime TrainJob TrainJob with a patch TrainingRuntime)");
  CHECK(
      labels("# a comment\n@@") ==
      R"(apiVersion kind metadata spec ClusterTrainingRuntime TrainJob TrainJob with a patch TrainingRuntime)");
  CHECK(accept("@@", "TrainJob with a patch") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: my-job
  namespace: my-team
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: registry.example.com/train:1.0.0
    command: [torchrun, /workspace/train.py]
    numNodes: 2
    resourcesPerNode:
      limits:
        nvidia.com/gpu: 8
  runtimePatches:
  - manager: example.com/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      )");
  CHECK(accept("@@", "TrainingRuntime") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: my-runtime
  namespace: my-team
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 2
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
            template:
              spec:
                containers:
                - name: node
                  image: registry.example.com/train:1.0.0
                  command: [torchrun, /workspace/train.py]
                  resources:
                    limits:
                      nvidia.com/gpu: 8
)");
}

TEST_CASE("snippets: a patch for a container of the runtime") {
  CHECK(accept(std::string(kJob) + "  @@\n", "patch a container") ==
        R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: team-a
spec:
  runtimeRef:
    kind: TrainingRuntime
    name: torch-h100
  runtimePatches:
  - manager: example.com/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      
)");
}

TEST_CASE("snippets: each place to type has a number of its own") {
  CHECK(snippet("@@", "TrainJob with a patch") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: ${1:my-job}
  namespace: ${2:my-team}
spec:
  runtimeRef:
    name: ${3:torch-distributed}
  trainer:
    image: ${4:registry.example.com/train:1.0.0}
    command: [torchrun, ${5:/workspace/train.py}]
    numNodes: ${6:2}
    resourcesPerNode:
      limits:
        nvidia.com/gpu: ${7:8}
  runtimePatches:
  - manager: ${8:example.com/me}
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: ${9:node}
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: ${10:node}
                      $0)");
}

TEST_CASE("snippets: names with characters that mean something in a snippet") {
  std::string runtime(kRuntime);
  runtime.replace(runtime.find("name: node\n"), 10, "name: \"$a}\\\\\"");
  const std::string text = std::string(kJob) + "  @@\n";
  CHECK(snippet(text, "patch a container", runtime) == R"(runtimePatches:
  - manager: ${1:example.com/me}
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: ${2:\$a\}\\}
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: ${3:node}
                      $0)");
  CHECK(accept(text, "patch a container", runtime) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: team-a
spec:
  runtimeRef:
    kind: TrainingRuntime
    name: torch-h100
  runtimePatches:
  - manager: example.com/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: $a}\
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      
)");
}

}  // namespace trainjobc::snippets_test
