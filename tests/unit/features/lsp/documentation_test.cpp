// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "features/lsp/answers.h"
#include "support/lsp.h"

namespace trainjobc::documentation_test {
namespace {

constexpr std::string_view kRuntime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-h100
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 2
    torch: {}
  podGroupPolicy:
    volcano: {}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            backoffLimit: 2
            template:
              spec:
                serviceAccountName: reader
                containers:
                - name: node
                  image: registry.example.com/torch:2
                - name: sidecar
                  image: registry.example.com/upload:1
                  env:
                  - name: HF_TOKEN
                    value: hf_runtimeruntimeruntimeruntime12
)";

constexpr std::string_view kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\n  namespace: "
    "team-a\nspec:\n"
    "  runtimeRef:\n    name: torch-h100\n";

constexpr std::string_view kPatch = R"(  runtimePatches:
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
                    serviceAccountName: @Atrainer
                    containers:
                    - name: sidecar
                      env:
                      - name: HF_TOKEN
                        value: @Bhf_jobjobjobjobjobjobjobjobjobjob12
)";

std::string hover(std::string_view text) {
  return test::LspWorkspace()
      .file("runtimes/torch.yaml", std::string(kRuntime))
      .open("jobs/bert.yaml", text)
      .hover();
}

std::string in_job(std::string_view spec) {
  return std::string(kHead).append(spec);
}

// The patch with the cursor at one of its marks.
std::string patch_at(std::string_view mark) {
  std::string text = in_job(kPatch);
  for (const std::string_view one : {"@A", "@B"}) text.replace(text.find(one), 2, one == mark ? "@@" : "");
  return text;
}

}  // namespace

TEST_CASE("hover: what a field means, and what it becomes") {
  CHECK(hover(in_job("  trainer:\n    num@@Nodes: 4\n")) == R"(**spec.trainer.numNodes** · integer

Number of nodes: pods that train.

Becomes `PET_NNODES=4`, `parallelism: 4`, `completions: 4`; from `spec.trainer.numNodes`.)");
  CHECK(hover(in_job("  trainer:\n    numNodes: @@4\n")) == R"(**spec.trainer.numNodes** · integer

Number of nodes: pods that train.

Becomes `PET_NNODES=4`, `parallelism: 4`, `completions: 4`; from `spec.trainer.numNodes`.)");
  CHECK(hover(in_job("  trainer:\n    image: @@registry.example.com/bert:1\n")) ==
        R"(**spec.trainer.image** · string

Image of the training container.

At most 500 characters.

Becomes `image: "registry.example.com/bert:1"`; from `spec.trainer.image`.

Replaces `"registry.example.com/torch:2"` of the runtime at runtimes/torch.yaml:28.)");
  CHECK(hover(in_job("  trainer:\n    resources@@PerNode:\n      limits: {nvidia.com/gpu: 8}\n")) ==
        R"(**spec.trainer.resourcesPerNode** · object

Requests and limits of the training container of each node.

Becomes `limits[nvidia.com/gpu]: "8"`, `PET_NPROC_PER_NODE=auto`.)");
  CHECK(hover(in_job("  sus@@pend: true\n")) == R"(**spec.suspend** · boolean

True: no pod runs until it is false. Queues such as Kueue set it.

Default: false.

Becomes `suspend: true`; from `spec.suspend`.)");
  CHECK(hover(in_job("  trainer:\n    args: [a, @@b]\n")) == R"(**spec.trainer.args[1]** · string

Arguments of the command.

At most 1048576 characters.

Becomes `args[1]: "b"`; from `spec.trainer.args[1]`.)");
  CHECK(hover(in_job("  trainer:\n    non@@sense: 1\n")) == "");
}

TEST_CASE("hover: the runtime of a runtimeRef") {
  CHECK(hover("kind: TrainJob\nspec:\n  runtimeRef:\n    name: @@torch-h100\n") ==
        R"(**spec.runtimeRef.name** · string, required

Name of the runtime.

At least 1 character. At most 253 characters.

---

**ClusterTrainingRuntime torch-h100** · torch

runtimes/torch.yaml:1

2 nodes, torch, gang scheduling with volcano

replicatedJobs:
- `node`: container `node` (registry.example.com/torch:2), container `sidecar` (registry.example.com/upload:1))");
  CHECK(hover("kind: TrainJob\nspec:\n  runtime@@Ref:\n    name: torch-distributed\n") ==
        R"(**spec.runtimeRef** · object, required

The runtime to train on. It can't be changed.

---

**ClusterTrainingRuntime torch-distributed** · torch

catalogue of Trainer 2.3

1 node, torch

replicatedJobs:
- `node`: container `node` (pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime))");
  CHECK(hover("kind: TrainJob\nspec:\n  runtimeRef:\n    name: @@unknown\n") ==
        R"(**spec.runtimeRef.name** · string, required

Name of the runtime.

At least 1 character. At most 253 characters.)");
}

TEST_CASE("redact: hover shows the runtime of a runtimeRef without keys") {
  std::string runtime(kRuntime);
  const auto replace = [&](std::string_view old, std::string_view by) {
    runtime.replace(runtime.find(old), old.size(), by);
  };
  replace("numNodes: 2", "numNodes: user:pa55word@registry.example/a");
  replace("framework: torch", "framework: hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA");
  replace("name: sidecar", "name: --token=hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA");
  const std::string shown =
      test::LspWorkspace()
          .file("runtimes/torch.yaml", runtime)
          .open("jobs/bert.yaml", "kind: TrainJob\nspec:\n  runtimeRef:\n    name: @@torch-h100\n")
          .hover();
  CHECK(shown.substr(shown.find("**Cluster")) == R"(**ClusterTrainingRuntime torch-h100** · ***

runtimes/torch.yaml:1

user:***@registry.example/a nodes, torch, gang scheduling with volcano

replicatedJobs:
- `node`: container `node` (registry.example.com/torch:2), container `--token=***` (registry.example.com/upload:1))");
}

TEST_CASE("hover: what a patch replaces, and where that was set") {
  CHECK(
      hover(patch_at("@A")) ==
      R"(**spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]…serviceAccountName** · string

ServiceAccount of the pods.

At most 253 characters.

Becomes `serviceAccountName: "trainer"`; from `spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]…serviceAccountName`.

Replaces `"reader"` of the runtime at runtimes/torch.yaml:25.)");
}

TEST_CASE("hover: what a later patch replaces") {
  std::string text = in_job(kPatch);
  text += text.substr(text.find("  - manager"));
  text.replace(text.rfind("example.com/me"), 14, "example.com/it");
  text.replace(text.rfind("@Atrainer"), 9, "writer");
  text.replace(text.find("@A"), 2, "@@");
  for (size_t at = text.find("@B"); at != std::string::npos; at = text.find("@B")) text.erase(at, 2);
  CHECK(
      hover(text) ==
      R"(**spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]…serviceAccountName** · string

ServiceAccount of the pods.

At most 253 characters.

Replaced by `"writer"` at jobs/bert.yaml:36.)");
}

TEST_CASE("hover: secrets are not shown") {
  const std::string text = hover(patch_at("@B"));
  CHECK(
      text ==
      R"(**spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]…containers[0].env[0].value** · string

Value of the variable; $(NAME) stands for one before it.

Becomes `HF_TOKEN=***`; from `spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0]…containers[0].env[0].value`.)");
  CHECK(text.find("hf_") == std::string::npos);
}

TEST_CASE("hover: a half-typed document shows what was compiled last") {
  test::LspWorkspace workspace;
  workspace.file("runtimes/torch.yaml", std::string(kRuntime));
  workspace.open("jobs/bert.yaml", in_job("  trainer:\n    numNodes: 4\n"));
  CHECK(workspace.open("jobs/bert.yaml", in_job("  trainer:\n    num@@Nodes: 4\n    image: [\n")).hover() ==
        R"(**spec.trainer.numNodes** · integer

Number of nodes: pods that train.

Becomes `PET_NNODES=4`, `parallelism: 4`, `completions: 4`; from `spec.trainer.numNodes`.)");
}

TEST_CASE("hover: what a runtime's field becomes in a job that uses it") {
  const auto in_runtime = [](std::string_view before) {
    std::string text(kRuntime);
    text.insert(text.find(before), "@@");
    return test::LspWorkspace()
        .file("jobs/bert.yaml", in_job("  trainer:\n    image: registry.example.com/bert:1\n"))
        .open("runtimes/torch.yaml", text)
        .hover();
  };
  CHECK(in_runtime("reader") == R"(**spec.template.spec.replicatedJobs[0]…serviceAccountName** · string

ServiceAccount of the pods.

In TrainJob/team-a/bert:

Becomes `serviceAccountName: "reader"`; from `spec.template.spec.replicatedJobs[0]…serviceAccountName`.)");
  CHECK(in_runtime("registry.example.com/torch:2") ==
        R"(**spec.template.spec.replicatedJobs[0]…containers[0].image** · string

Image of the container.

In TrainJob/team-a/bert:

Replaced by `"registry.example.com/bert:1"` at jobs/bert.yaml:10.)");
  CHECK(in_runtime("numNodes") == R"(**spec.mlPolicy.numNodes** · integer

Number of nodes of jobs that don't say it.

In TrainJob/team-a/bert:

Becomes `PET_NNODES=2`, `parallelism: 2`, `completions: 2`; from `spec.mlPolicy.numNodes`.)");
}

namespace {

// By the name of a field that has a description: the fields below it that have none.
using Undescribed = std::map<std::string, std::set<std::string>>;

void collect_undescribed(std::string_view kind, const schema::Schema& schema, lsp::CursorPath& path,
                         Undescribed& names) {
  if (schema.items) return collect_undescribed(kind, *schema.items, path, names);
  for (const schema::Property& property : schema.properties) {
    const std::string parent = path.empty() ? "" : path.back().key;
    path.push_back({std::string(property.name)});
    if (lsp::description_of(kind, path).empty()) {
      names[parent].emplace(property.name);
    } else {
      collect_undescribed(kind, *property.schema, path, names);
    }
    path.pop_back();
  }
}

}  // namespace

TEST_CASE("hover: all fields have a meaning but for rare ones") {
  Undescribed names;
  for (const std::string_view kind : {"TrainJob", "TrainingRuntime"}) {
    lsp::CursorPath path;
    collect_undescribed(kind, *schema::find_version("2.3")->kind(kind)->schema, path, names);
  }
  std::string text;
  for (const auto& [parent, fields] : names) text += fmt::format("{}: {}\n", parent, fmt::join(fields, " "));
  CHECK(text == R"(conditions: lastTransitionTime message observedGeneration reason status type
exec: command
grpc: port service
httpGet: host httpHeaders path port scheme
items: fieldRef key mode path resourceFieldRef
labelSelector: matchExpressions matchLabels
metadata: creationTimestamp deletionGracePeriodSeconds deletionTimestamp generation managedFields resourceVersion selfLink uid
options: name value
ownerReferences: apiVersion blockOwnerDeletion controller kind name uid
postStart: exec httpGet sleep tcpSocket
preStop: exec httpGet sleep tcpSocket
preferredDuringSchedulingIgnoredDuringExecution: podAffinityTerm preference weight
readinessGates: conditionType
requiredDuringSchedulingIgnoredDuringExecution: labelSelector matchLabelKeys mismatchLabelKeys namespaceSelector namespaces nodeSelectorTerms topologyKey
resizePolicy: resourceName restartPolicy
restartPolicyRules: action exitCodes
rules: action onExitCodes onPodConditions
securityContext: procMount seLinuxChangePolicy seLinuxOptions supplementalGroupsPolicy windowsOptions
selector: matchExpressions matchLabels
sources: clusterTrustBundle configMap downwardAPI podCertificate secret serviceAccountToken
spec: ephemeralContainers schedulingGroup
successPolicy: rules
sysctls: name value
tcpSocket: host port
trainerStatus: estimatedRemainingSeconds lastUpdatedTime metrics progressPercentage
valueFrom: fileKeyRef
volumeClaimPolicies: retentionPolicy templates
volumeClaimTemplate: metadata spec
volumeDevices: devicePath name
volumes: awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk gitRepo glusterfs iscsi photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume
)");
  CHECK(hover(in_job(
            "  trainer:\n    env:\n    - name: A\n      value@@From: {secretKeyRef: {name: a, key: b}}\n")) ==
        R"(**spec.trainer.env[0].valueFrom** · object

Where the value comes from.

Becomes `name: "a"`, `key: "b"`.)");
}

TEST_CASE("hover: fields of runtimes, of settings, and rules") {
  std::string runtime(kRuntime);
  runtime.insert(runtime.find("numNodes"), "@@");
  CHECK(hover(runtime) == R"(**spec.mlPolicy.numNodes** · integer

Number of nodes of jobs that don't say it.)");
  CHECK(test::LspWorkspace().open(".trainjobc.yaml", "fail@@On: error\n").hover() == R"(**failOn** · string

Lowest severity for which lint exits with status 1.

One of: error, warning, never.)");
  CHECK(test::LspWorkspace().open(".trainjobc.yaml", "helm:\n  charts:\n  - ch@@art: x\n").hover() ==
        R"(**helm.charts[0].chart** · string, required

Glob of folders, relative to this file.)");
  CHECK(test::LspWorkspace().open(".trainjobc.yaml", "trainer@@Version: '2.3'\n").hover() ==
        R"(**trainerVersion** · string

Kubeflow Trainer version to compile for.)");
  CHECK(test::LspWorkspace().open(".trainjobc.yaml", "rules:\n  advice/@@queue: off\n").hover() ==
        R"(**advice/queue** · info

The job needs a queue that must exist in the cluster.

Kueue keeps a job suspended while its LocalQueue is missing from the job's namespace, and Volcano keeps its pods pending. Neither can be checked offline. Make sure that the queue exists with exactly this name. If the inputs have queues of the namespace, nothing is said; if they have no queues at all, it is said once.)");
  CHECK(hover(in_job("  suspend: true  # trainjobc:ignore advice/@@bad-suppression -- why\n")) ==
        R"(**advice/bad-suppression** · warning

A suppression lacks its rule or its reason, or would hide what the cluster refuses.

A comment that suppresses findings names the rules and, after two dashes, why they don't matter here, so the next reader knows. A comment that lacks one of them suppresses nothing. Nor can a comment or a setting hide an error of admission: lint would pass what render refuses.

    image: torch  # trainjobc:ignore advice/image-tag -- the registry serves one build only)");
  CHECK(hover(in_job("  suspend: true  # a @@word\n")) == "");
}

}  // namespace trainjobc::documentation_test
