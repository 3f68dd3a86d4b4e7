// SPDX-License-Identifier: Apache-2.0

#include "model/v1_kinds.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainjobc::model {
namespace {

constexpr std::string_view kGroup = "kubeflow.org";
constexpr std::string_view kXgboostGroup = "xgboostjob.kubeflow.org";  // until it joined the others
constexpr std::array<std::string_view, 4> kOldVersions{"v1alpha1", "v1alpha2", "v1beta1", "v1beta2"};

using Names2 = std::array<std::string_view, 2>;
constexpr std::array<std::string_view, 1> kWorker{"Worker"};
constexpr Names2 kMasterAndWorker{"Master", "Worker"};
constexpr Names2 kLauncherAndWorker{"Launcher", "Worker"};
constexpr std::array<std::string_view, 5> kOfTensorFlow{"Chief", "Master", "PS", "Worker", "Evaluator"};

constexpr Names2 kTorchFields{"elasticPolicy", "nprocPerNode"};
constexpr Names2 kTensorFlowFields{"enableDynamicWorker", "successPolicy"};
constexpr std::array<std::string_view, 1> kPaddleFields{"elasticPolicy"};
constexpr std::array<std::string_view, 3> kMpiFields{"cleanPodPolicy", "mainContainer", "slotsPerWorker"};
constexpr std::array<std::string_view, 5> kMpiV2Fields{"launcherCreationPolicy", "mpiImplementation",
                                                       "runLauncherAsWorker", "slotsPerWorker",
                                                       "sshAuthMountPath"};

// Source of the facts: the API types and defaults of kubeflow/training-operator v1.9 and
// kubeflow/mpi-operator v0.7.
constexpr std::array kKinds = std::to_array<V1Kind>({
    {"JAXJob", "kubeflow.org/v1", "jaxReplicaSpecs", kWorker, {}, "jax", "jaxjob-port", 6666, "Never"},
    {"MPIJob", "kubeflow.org/v1", "mpiReplicaSpecs", kLauncherAndWorker, kMpiFields, "", "", 0, "Never"},
    {"MPIJob", "kubeflow.org/v2beta1", "mpiReplicaSpecs", kLauncherAndWorker, kMpiV2Fields, "", "", 0,
     "Never"},
    {"PaddleJob", "kubeflow.org/v1", "paddleReplicaSpecs", kMasterAndWorker, kPaddleFields, "paddle",
     "master", 36543, "OnFailure"},
    {"PyTorchJob", "kubeflow.org/v1", "pytorchReplicaSpecs", kMasterAndWorker, kTorchFields, "pytorch",
     "pytorchjob-port", 23456, "OnFailure"},
    {"TFJob", "kubeflow.org/v1", "tfReplicaSpecs", kOfTensorFlow, kTensorFlowFields, "tensorflow",
     "tfjob-port", 2222, "Never"},
    {"XGBoostJob",
     "kubeflow.org/v1",
     "xgbReplicaSpecs",
     kMasterAndWorker,
     {},
     "xgboost",
     "xgboostjob-port",
     9999,
     "Never"},
});

}  // namespace

const V1Kind* find_v1_kind(std::string_view api_version, std::string_view kind) {
  const auto found = std::ranges::find_if(
      kKinds, [&](const V1Kind& row) { return row.api_version == api_version && row.kind == kind; });
  return found != kKinds.end() ? &*found : nullptr;
}

const V1Kind* find_older_v1_kind(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const std::string_view group = api_version.substr(0, slash);
  const std::string_view version = api_version.substr(slash + 1);
  if (group == kXgboostGroup && kind == "XGBoostJob") return find_v1_kind("kubeflow.org/v1", kind);
  const bool is_old = kind == "MPIJob" ? version == "v1alpha1" || version == "v1alpha2"
                                       : base::contains(kOldVersions, version);
  if (group != kGroup || !is_old || (kind != "MPIJob" && kind != "PyTorchJob" && kind != "TFJob"))
    return nullptr;
  return find_v1_kind("kubeflow.org/v1", kind);
}

bool is_v1_kind(std::string_view group, std::string_view kind) {
  // v1.9 no longer has MXJob.
  if (group == kXgboostGroup) return kind == "XGBoostJob";
  return group == kGroup && (kind == "MXJob" || base::contains(kKinds, kind, &V1Kind::kind));
}

bool is_v1_kind_of(std::string_view api_version, std::string_view kind) {
  return is_v1_kind(api_version.substr(0, api_version.find('/')), kind);
}

}  // namespace trainjobc::model
