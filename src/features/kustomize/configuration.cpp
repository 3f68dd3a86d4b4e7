// SPDX-License-Identifier: Apache-2.0

// Source: the schemas of TrainJob and the runtimes, and kustomize's own fields of pods:
// sigs.k8s.io/kustomize/api, internal/konfig/builtinpluginconsts.

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "features/kustomize/checks.h"
#include "model/trainer_names.h"

namespace trainjobc::kustomize {
namespace {

// Where a kind has the specs of pods.
struct PodSpec {
  std::string_view kind;
  std::string_view path;
  bool is_whole = false;  // otherwise it is what a TrainJob may change of one
};

constexpr auto kPodSpecs = std::to_array<PodSpec>({
    {model::kTrainJob,
     "spec/runtimePatches/trainingRuntimeSpec/template/spec/replicatedJobs/template/spec/template/spec"},
    {model::kTrainJob, "spec/podTemplateOverrides/spec"},  // Trainer 2.1
    {model::kTrainJob, "spec/podSpecOverrides"},           // 2.0
    {model::kTrainingRuntime, "spec/template/spec/replicatedJobs/template/spec/template/spec", true},
    {model::kClusterTrainingRuntime, "spec/template/spec/replicatedJobs/template/spec/template/spec", true},
});

// A field of pods that names an object.
struct PodField {
  std::string_view path;
  bool is_patched = true;  // a TrainJob may change it
};

// What kustomize renames, and where pods and TrainJobs name it.
struct Referral {
  std::string_view type;  // as it stands in nameReference
  std::span<const PodField> pods;
  std::span<const std::string_view> jobs;
};

constexpr auto kConfigMapPods = std::to_array<PodField>({
    {"containers/env/valueFrom/configMapKeyRef/name"},
    {"containers/envFrom/configMapRef/name", false},
    {"initContainers/env/valueFrom/configMapKeyRef/name"},
    {"initContainers/envFrom/configMapRef/name", false},
    {"volumes/configMap/name"},
    {"volumes/projected/sources/configMap/name"},
});
constexpr auto kConfigMapJobs = std::to_array<std::string_view>({
    "spec/trainer/env/valueFrom/configMapKeyRef/name",
    "spec/initializer/dataset/env/valueFrom/configMapKeyRef/name",
    "spec/initializer/model/env/valueFrom/configMapKeyRef/name",
});
constexpr auto kSecretPods = std::to_array<PodField>({
    {"containers/env/valueFrom/secretKeyRef/name"},
    {"containers/envFrom/secretRef/name", false},
    {"initContainers/env/valueFrom/secretKeyRef/name"},
    {"initContainers/envFrom/secretRef/name", false},
    {"volumes/secret/secretName"},
    {"volumes/projected/sources/secret/name"},
    {"volumes/csi/nodePublishSecretRef/name"},
    {"imagePullSecrets/name"},
});
constexpr auto kSecretJobs = std::to_array<std::string_view>({
    "spec/trainer/env/valueFrom/secretKeyRef/name",
    "spec/initializer/dataset/env/valueFrom/secretKeyRef/name",
    "spec/initializer/dataset/secretRef/name",
    "spec/initializer/model/env/valueFrom/secretKeyRef/name",
    "spec/initializer/model/secretRef/name",
});
constexpr auto kClaimPods = std::to_array<PodField>({{"volumes/persistentVolumeClaim/claimName"}});
constexpr auto kAccountPods = std::to_array<PodField>({{"serviceAccountName"}});
constexpr auto kPriorityPods = std::to_array<PodField>({{"priorityClassName", false}});
constexpr auto kRuntimeJobs = std::to_array<std::string_view>({"spec/runtimeRef/name"});
constexpr auto kQueueJobs =
    std::to_array<std::string_view>({R"(metadata/labels/kueue.x-k8s.io\/queue-name)"});

constexpr auto kReferrals = std::to_array<Referral>({
    {"group: trainer.kubeflow.org\n  kind: ClusterTrainingRuntime", {}, kRuntimeJobs},
    {"group: trainer.kubeflow.org\n  kind: TrainingRuntime", {}, kRuntimeJobs},
    {"group: kueue.x-k8s.io\n  kind: LocalQueue", {}, kQueueJobs},
    {"kind: ConfigMap\n  version: v1", kConfigMapPods, kConfigMapJobs},
    {"kind: Secret\n  version: v1", kSecretPods, kSecretJobs},
    {"kind: PersistentVolumeClaim\n  version: v1", kClaimPods, {}},
    {"kind: ServiceAccount\n  version: v1", kAccountPods, {}},
    {"kind: PriorityClass\n  version: v1\n  group: scheduling.k8s.io", kPriorityPods, {}},
});

constexpr auto kImageFields =
    std::to_array<std::string_view>({"containers/image", "initContainers/image", "volumes/image/reference"});

void add_images(std::string& text) {
  text += "images:\n- {kind: TrainJob, path: spec/trainer/image}\n";
  for (const PodSpec& pods : kPodSpecs) {
    if (!pods.is_whole) continue;
    for (const std::string_view field : kImageFields)
      text += fmt::format("- {{kind: {}, path: {}/{}}}\n", pods.kind, pods.path, field);
  }
}

void add_referral(const Referral& referral, std::string& text) {
  text += fmt::format("- {}\n  fieldSpecs:\n", referral.type);
  for (const std::string_view path : referral.jobs)
    text += fmt::format("  - {{kind: TrainJob, path: {}}}\n", path);
  for (const PodSpec& pods : kPodSpecs) {
    for (const PodField& field : referral.pods) {
      if (pods.is_whole || field.is_patched)
        text += fmt::format("  - {{kind: {}, path: {}/{}}}\n", pods.kind, pods.path, field.path);
    }
  }
}

}  // namespace

std::string configuration() {
  std::string text =
      "# What kustomize has to know of Kubeflow Trainer: where TrainJobs and runtimes name images, runtimes, "
      "queues,\n"
      "# ConfigMaps, Secrets and the like, and how many nodes a job has. List this file under "
      "configurations: of your\n"
      "# kustomization.yaml.\n";
  add_images(text);
  text +=
      "replicas:\n"
      "- {kind: TrainJob, path: spec/trainer/numNodes, create: true}\n"
      "- {kind: TrainingRuntime, path: spec/mlPolicy/numNodes, create: true}\n"
      "- {kind: ClusterTrainingRuntime, path: spec/mlPolicy/numNodes, create: true}\n"
      "nameReference:\n";
  for (const Referral& referral : kReferrals) add_referral(referral, text);
  return text;
}

}  // namespace trainjobc::kustomize
