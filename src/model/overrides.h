// SPDX-License-Identifier: Apache-2.0

// The parts of a TrainJob that change its runtime's template. Each Trainer version has one of the three.
#pragma once

#include <span>
#include <vector>

#include "model/train_job.h"

namespace trainjobc::model {

inline constexpr std::string_view kPodSpecOverrides = "podSpecOverrides";
inline constexpr std::string_view kPodTemplateOverrides = "podTemplateOverrides";
inline constexpr std::string_view kRuntimePatches = "runtimePatches";

// spec.podSpecOverrides[] or spec.podTemplateOverrides[].
struct PodOverride {
  const yaml::Node* node = nullptr;
  std::string_view field;  // which of the two
  std::vector<LocatedText> target_jobs;
  const yaml::Node* metadata = nullptr;  // of podTemplateOverrides
  const yaml::Node* spec = nullptr;      // of podSpecOverrides: the override itself
};

std::vector<PodOverride> decode_pod_overrides(const TrainJob& job);

// spec.runtimePatches[]
std::span<const yaml::Node* const> runtime_patches(const TrainJob& job);

// spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[]
std::span<const yaml::Node* const> patched_jobs(const yaml::Node& runtime_patch);

}  // namespace trainjobc::model
