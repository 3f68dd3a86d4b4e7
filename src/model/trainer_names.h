// SPDX-License-Identifier: Apache-2.0

// The fixed names of Kubeflow Trainer: kinds, labels, replicatedJobs and containers.
#pragma once

#include <string_view>

namespace trainjobc::model {

inline constexpr std::string_view kTrainerGroup = "trainer.kubeflow.org";
inline constexpr std::string_view kTrainerApiVersion = "trainer.kubeflow.org/v1alpha1";
inline constexpr std::string_view kJobSetApiVersion = "jobset.x-k8s.io/v1alpha2";

inline constexpr std::string_view kTrainJob = "TrainJob";
inline constexpr std::string_view kTrainingRuntime = "TrainingRuntime";
inline constexpr std::string_view kClusterTrainingRuntime = "ClusterTrainingRuntime";

inline constexpr std::string_view kOptimizationJob = "OptimizationJob";

constexpr bool is_runtime_kind(std::string_view kind) {
  return kind == kTrainingRuntime || kind == kClusterTrainingRuntime;
}

// A label of Job templates: which part of the TrainJob the replicatedJob runs.
inline constexpr std::string_view kAncestorLabel = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr std::string_view kTrainer = "trainer";
inline constexpr std::string_view kDatasetInitializer = "dataset-initializer";
inline constexpr std::string_view kModelInitializer = "model-initializer";

// A label of runtimes.
inline constexpr std::string_view kFrameworkLabel = "trainer.kubeflow.org/framework";
inline constexpr std::string_view kSupportLabel = "trainer.kubeflow.org/support";
// "disabled": the webhook configuration of the release excludes the runtime.
inline constexpr std::string_view kValidationLabel = "trainer.kubeflow.org/webhook-validation";

// The spec.managedBy of Trainer itself.
inline constexpr std::string_view kTrainJobController = "trainer.kubeflow.org/trainjob-controller";

// The replicatedJob and the container that train, and MPI's launcher.
inline constexpr std::string_view kNode = "node";
inline constexpr std::string_view kLauncher = "launcher";

// The volume mount that an initializer writes to.
inline constexpr std::string_view kInitializerVolume = "initializer";

// The port of the first node, to which the others connect.
inline constexpr int kTrainerPort = 29500;

// The fieldPath of a pod's index in an Indexed Job.
inline constexpr std::string_view kCompletionIndexField =
    "metadata.annotations['batch.kubernetes.io/job-completion-index']";

// How objects name queues of Kueue and Volcano.

inline constexpr std::string_view kKueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kKueuePriorityLabel = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";  // an annotation

}  // namespace trainjobc::model
