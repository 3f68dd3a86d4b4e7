// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>

#include "features/lsp/answers.h"
#include "support/lsp.h"

namespace trainjobc::completion_test {
namespace {

constexpr std::string_view kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\n  namespace: "
    "team-a\nspec:\n";

constexpr std::string_view kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: torch-h100
  namespace: team-a
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 2
    torch: {}
  template:
    spec:
      replicatedJobs:
      - name: fetch
        template:
          spec:
            template:
              spec:
                containers:
                - name: fetcher
                  image: registry.example.com/fetch:1
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                initContainers:
                - name: warm-up
                  image: registry.example.com/warm:1
                containers:
                - name: node
                  image: registry.example.com/torch:2
                - name: sidecar
                  image: registry.example.com/sidecar:1
)";

std::string in_job(std::string_view spec) {
  return std::string(kHead).append(spec);
}

std::string complete(std::string_view text, const std::string& version = "auto") {
  return test::LspWorkspace(version).open("job.yaml", text).complete();
}

std::string labels(std::string_view text, const std::string& version = "auto") {
  return test::LspWorkspace(version).open("job.yaml", text).labels();
}

std::string names(std::string_view text) {
  return test::LspWorkspace()
      .file("runtimes/torch.yaml", std::string(kRuntime))
      .open("job.yaml", text)
      .complete();
}

std::string accept(std::string_view text, std::string_view label) {
  return test::LspWorkspace()
      .file("runtimes/torch.yaml", std::string(kRuntime))
      .open("job.yaml", text)
      .accept(label);
}

std::string complete_settings(std::string_view text) {
  return test::LspWorkspace().open(".trainjobc.yaml", text).complete();
}

std::string accept_setting(std::string_view text, std::string_view label) {
  return test::LspWorkspace().open(".trainjobc.yaml", text).accept(label);
}

constexpr std::string_view kReference = "  runtimeRef:\n    kind: TrainingRuntime\n    name: torch-h100\n";

std::string in_job_of_runtime(std::string_view rest) {
  return in_job(std::string(kReference).append(rest));
}

}  // namespace

TEST_CASE("completion: fields that are not there yet, the required ones first") {
  CHECK(complete(in_job("  runtimeRef:\n    name: x\n  trainer:\n    numNodes: 2\n    @@\n")) ==
        R"(image (string): image: 
command (list of strings): command:⏎    - 
args (list of strings): args:⏎    - 
env (list of objects): env:⏎    - 
numProcPerNode (integer): numProcPerNode: 
resourcesPerNode (object): resourcesPerNode:⏎      
)");
  CHECK(complete(in_job("  runtimeRef:\n    @@\n")) == R"(name (string, required): name: 
kind (string): kind: 
apiGroup (string): apiGroup: 
)");
  CHECK(
      labels(in_job("  @@\n")) ==
      R"(runtimeRef trainer initializer runtimePatches activeDeadlineSeconds managedBy suspend patch a container)");
  CHECK(labels(in_job("  trainer: {}\n  sus@@\n")) ==
        R"(runtimeRef initializer runtimePatches activeDeadlineSeconds managedBy suspend patch a container)");
  CHECK(complete("kind: TrainJob\nmeta@@\n") == R"(apiVersion (string, required): apiVersion: 
metadata (object, required): metadata:⏎  
spec (object): spec:⏎  
)");
  CHECK(complete("apiVersion: trainer.kubeflow.org/v1alpha1\n@@\n") == R"(kind (string, required): kind: 
metadata (object, required): metadata:⏎  
spec (object): spec:⏎  
)");
}

TEST_CASE("completion: an item as clients get it") {
  test::LspWorkspace workspace;
  workspace.open("job.yaml", in_job("  trainer:\n    numN@@\n"));
  const nlohmann::json completions =
      lsp::complete(workspace.workspace(), workspace.document(), workspace.cursor());
  const auto& items = completions["items"];
  const auto found =
      std::ranges::find_if(items, [](const nlohmann::json& item) { return item["label"] == "numNodes"; });
  REQUIRE(found != items.end());
  CHECK(*found == nlohmann::json::parse(R"({
    "label": "numNodes", "kind": 5, "detail": "integer", "sortText": "142numNodes", "insertTextFormat": 1,
    "documentation": {"kind": "markdown", "value": "Number of nodes: pods that train."},
    "textEdit": {"newText": "numNodes: ",
                 "range": {"start": {"line": 7, "character": 4}, "end": {"line": 7, "character": 8}}}})"));
}

TEST_CASE("completion: fields by Trainer version") {
  CHECK(
      labels(in_job("  @@\n"), "2.0") ==
      R"(runtimeRef labels annotations trainer initializer podSpecOverrides managedBy suspend patch a container)");
  CHECK(
      labels(in_job("  @@\n"), "2.2") ==
      R"(runtimeRef trainer initializer runtimePatches activeDeadlineSeconds managedBy suspend patch a container)");
}

TEST_CASE("completion: items of lists") {
  CHECK(complete(in_job("  trainer:\n    env:\n    - @@\n")) == R"(name (string, required): name: 
value (string): value: 
valueFrom (object): valueFrom:⏎        
)");
  CHECK(complete(in_job("  trainer:\n    env:\n      @@\n")) == R"(- name (string, required): - name: 
- value (string): - value: 
- valueFrom (object): - valueFrom:⏎          
)");
  CHECK(complete(in_job("  trainer:\n    env:\n    - name: A\n      va@@\n    - name: B\n")) ==
        R"(value (string): value: 
valueFrom (object): valueFrom:⏎        
)");
  CHECK(complete(in_job("  runtimeRef: {@@}\n")) == R"(name (string, required): name: 
kind (string): kind: 
apiGroup (string): apiGroup: 
)");
}

TEST_CASE("completion: values") {
  CHECK(complete(in_job("  suspend: @@\n")) == R"(false: false
true: true
)");
  CHECK(complete(in_job("  runtimeRef:\n    kind: @@\n")) == R"(ClusterTrainingRuntime: ClusterTrainingRuntime
TrainingRuntime: TrainingRuntime
)");
  CHECK(complete(in_job("  managedBy: @@\n")) ==
        R"(trainer.kubeflow.org/trainjob-controller (default): trainer.kubeflow.org/trainjob-controller
)");
  CHECK(complete("kind: @@\n") ==
        R"(ClusterTrainingRuntime (trainer.kubeflow.org/v1alpha1): ClusterTrainingRuntime
TrainJob (trainer.kubeflow.org/v1alpha1): TrainJob
TrainingRuntime (trainer.kubeflow.org/v1alpha1): TrainingRuntime
)");
  CHECK(complete("apiVersion: @@\nkind: TrainJob\n") ==
        R"(trainer.kubeflow.org/v1alpha1: trainer.kubeflow.org/v1alpha1
)");
  CHECK(complete(in_job("  trainer:\n    image: @@\n")) == "");
  CHECK(complete(in_job("  trainer:\n    nonsense:\n      @@\n")) == "");
}

TEST_CASE("completion: runtimes of the workspace before those of the catalogue") {
  CHECK(names(in_job("  runtimeRef:\n    name: @@\n")) ==
        R"(torch-h100 (TrainingRuntime): torch-h100⏎    kind: TrainingRuntime
deepspeed-distributed (ClusterTrainingRuntime): deepspeed-distributed
jax-distributed (ClusterTrainingRuntime): jax-distributed
mlx-distributed (ClusterTrainingRuntime): mlx-distributed
torch-distributed (ClusterTrainingRuntime): torch-distributed
torch-distributed-with-cache (ClusterTrainingRuntime): torch-distributed-with-cache
torchtune-llama3.2-1b (ClusterTrainingRuntime): torchtune-llama3.2-1b
torchtune-llama3.2-3b (ClusterTrainingRuntime): torchtune-llama3.2-3b
torchtune-qwen2.5-1.5b (ClusterTrainingRuntime): torchtune-qwen2.5-1.5b
xgboost-distributed (ClusterTrainingRuntime): xgboost-distributed
)");
  CHECK(names(in_job("  runtimeRef:\n    kind: TrainingRuntime\n    name: to@@\n")) ==
        R"(torch-h100 (TrainingRuntime): torch-h100
)");
  CHECK(names(in_job("  runtimeRef: {name: to@@}\n")) ==
        R"(torch-h100 (TrainingRuntime): torch-h100, kind: TrainingRuntime
deepspeed-distributed (ClusterTrainingRuntime): deepspeed-distributed
jax-distributed (ClusterTrainingRuntime): jax-distributed
mlx-distributed (ClusterTrainingRuntime): mlx-distributed
torch-distributed (ClusterTrainingRuntime): torch-distributed
torch-distributed-with-cache (ClusterTrainingRuntime): torch-distributed-with-cache
torchtune-llama3.2-1b (ClusterTrainingRuntime): torchtune-llama3.2-1b
torchtune-llama3.2-3b (ClusterTrainingRuntime): torchtune-llama3.2-3b
torchtune-qwen2.5-1.5b (ClusterTrainingRuntime): torchtune-qwen2.5-1.5b
xgboost-distributed (ClusterTrainingRuntime): xgboost-distributed
)");
  // A TrainingRuntime of another namespace can't be referred to.
  CHECK(names("kind: TrainJob\nmetadata: {namespace: team-b}\nspec:\n  runtimeRef:\n    kind: "
              "TrainingRuntime\n    name: @@\n") == "");
}

TEST_CASE("completion: names in patches are those of the runtime") {
  CHECK(names(in_job_of_runtime(
            "  runtimePatches:\n  - manager: a.b/c\n    trainingRuntimeSpec:\n      template:\n"
            "        spec:\n          replicatedJobs:\n          - name: @@\n")) ==
        R"(fetch (replicatedJob of torch-h100): fetch
node (replicatedJob of torch-h100): node
)");
  const std::string patch =
      "  runtimePatches:\n  - manager: a.b/c\n    trainingRuntimeSpec:\n      template:\n        spec:\n"
      "          replicatedJobs:\n          - name: node\n            template:\n              spec:\n"
      "                template:\n                  spec:\n";
  CHECK(
      names(in_job_of_runtime(patch + "                    containers:\n                    - name: @@\n")) ==
      R"(node (container of torch-h100): node
sidecar (container of torch-h100): sidecar
)");
  CHECK(names(in_job_of_runtime(patch + "                    initContainers: [{name: @@}]\n")) ==
        R"(warm-up (init container of torch-h100): warm-up
)");
  CHECK(names(in_job_of_runtime("  podTemplateOverrides:\n  - targetJobs:\n    - name: @@\n")) ==
        R"(fetch (replicatedJob of torch-h100): fetch
node (replicatedJob of torch-h100): node
)");
  CHECK(names(in_job_of_runtime("  podTemplateOverrides:\n  - targetJobs: [{name: fetch}]\n    spec:\n"
                                "      containers:\n      - name: @@\n")) ==
        R"(fetcher (container of torch-h100): fetcher
)");
}

TEST_CASE("completion: a runtime's own names") {
  const std::string text(kRuntime);
  const size_t at = text.find("      replicatedJobs:");
  std::string edited = text;
  edited.insert(at, "      successPolicy:\n        operator: All\n        targetReplicatedJobs: [@@]\n");
  CHECK(complete(edited) == R"(fetch: fetch
node: node
)");
  edited = text;
  edited.insert(text.find("  template:\n    spec:\n      replicatedJobs"),
                "    torch:\n      envInjection:\n        targets:\n        - jobName: @@\n");
  CHECK(complete(edited) == R"(fetch: fetch
node: node
)");
}

TEST_CASE("completion: variables that the runtime's framework reads come first") {
  std::string runtime(kRuntime);
  runtime.replace(runtime.find("torch: {}"), 9, "flux: {}");
  const std::string found = test::LspWorkspace()
                                .file("runtimes/flux.yaml", runtime)
                                .open("job.yaml", in_job_of_runtime("  trainer:\n    env:\n    - name: @@\n"))
                                .complete();
  CHECK(found.substr(0, found.find("CUDA_")) == R"(FLUX_NETWORK_DEVICE (read by Flux): FLUX_NETWORK_DEVICE
FLUX_QUEUE_POLICY (read by Flux): FLUX_QUEUE_POLICY
FLUX_VIEW_IMAGE (read by Flux): FLUX_VIEW_IMAGE
)");
}

TEST_CASE("completion: rules in comments that suppress them") {
  const std::string found = labels(in_job("  suspend: true  # trainjobc:ignore advice/image@@\n"));
  CHECK(found.find("advice/image-tag ") != std::string::npos);
  CHECK(labels(in_job("  suspend: true  # trainjobc:ignore advice/image-tag -- be@@\n")) == "");
  CHECK(
      complete(in_job("  suspend: true  # @@\n")) ==
      R"(trainjobc:ignore (suppress findings on this line or the next): trainjobc:ignore ${1:rule} -- ${2:reason}
)");
  CHECK(labels(in_job("  suspend: true  # a word @@\n")) == "");
}

TEST_CASE("completion: settings") {
  CHECK(complete_settings("@@\n") == R"(allowPrivileged (boolean): allowPrivileged: 
cache (boolean): cache: 
catalogue (boolean): catalogue: 
exclude (list of strings): exclude:⏎- 
failOn (string): failOn: 
featureGates (list of strings): featureGates:⏎- 
helm (object): helm:⏎  
kubernetesVersion (string): kubernetesVersion: 
kustomize (object): kustomize:⏎  
namespace (string): namespace: 
platform (string): platform: 
podSecurity (object): podSecurity:⏎  
policies (list of objects): policies:⏎- 
programTimeout (any value): programTimeout: 
roots (boolean): roots: 
rules (map of strings): rules:⏎  
runtimes (list of strings): runtimes:⏎- 
scope (boolean): scope: 
suppress (list of objects): suppress:⏎- 
trainerVersion (string): trainerVersion: 
)");
  CHECK(complete_settings("trainerVersion: @@\n") == R"("2.0": "2.0"
"2.1": "2.1"
"2.2": "2.2"
"2.3": "2.3"
"2.4-preview": "2.4-preview"
auto: auto
)");
  CHECK(complete_settings("failOn: @@\n") == R"(error: error
never: never
warning: warning
)");
  CHECK(complete_settings("rules:\n  advice/queue: @@\n") == R"(error: error
info: info
off: off
warning: warning
)");
  CHECK(complete_settings("kustomize:\n  build: @@\n") == R"(auto: auto
never: never
required: required
)");
  CHECK(complete_settings("helm:\n  charts:\n  - @@\n") == R"(chart (string, required): chart: 
namespace (string): namespace: 
release (string): release: 
values (list of strings): values:⏎    - 
)");
  CHECK(complete_settings("suppress:\n- @@\n") == R"(reason (string, required): reason: 
rule (string, required): rule: 
labels (map of strings): labels:⏎    
paths (list of strings): paths:⏎  - 
)");
  CHECK(accept_setting("rules:\n  adv@@\n", "advice/queue") == "rules:\n  advice/queue: \n");
  CHECK(accept_setting("suppress:\n- rule: @@\n", "advice/queue") == "suppress:\n- rule: advice/queue\n");
}

TEST_CASE("completion: what is accepted is the next place to type") {
  CHECK(accept("kind: TrainJob\nspec:\n  tr@@\n", "trainer") == "kind: TrainJob\nspec:\n  trainer:\n    \n");
  CHECK(accept("kind: TrainJob\nspec:\n  trainer:\n    e@@\n", "env") ==
        "kind: TrainJob\nspec:\n  trainer:\n    env:\n    - \n");
  CHECK(accept("kind: TrainJob\nspec:\n  trainer:\n    env:\n    - na@@\n", "name") ==
        "kind: TrainJob\nspec:\n  trainer:\n    env:\n    - name: \n");
  CHECK(accept("kind: TrainJob\nspec:\n  trainer:\n    env:\n    - name: A\n      valueF@@\n", "valueFrom") ==
        "kind: TrainJob\nspec:\n  trainer:\n    env:\n    - name: A\n      valueFrom:\n        \n");
  CHECK(accept("kind: TrainJob\nspec:\n  trainer:\n    num@@Nodes: 4\n", "numNodes") ==
        "kind: TrainJob\nspec:\n  trainer:\n    numNodes: 4\n");
}

}  // namespace trainjobc::completion_test
