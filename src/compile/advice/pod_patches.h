// SPDX-License-Identifier: Apache-2.0

// What a TrainJob changes in its runtime's template: spec.runtimePatches, or the overrides of older versions.
#pragma once

#include <string>
#include <vector>

#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// The part of a patch that is for one replicatedJob.
struct PodPatch {
  const yaml::Node* job_name = nullptr;
  std::string job_field;                 // of its name
  const yaml::Node* pod_spec = nullptr;  // nullptr if the patch does not change it
  std::string pod_field;
};

std::vector<PodPatch> pod_patches(const model::TrainJob& job);

// A tree that is merged into another one.
struct PatchTree {
  std::string who;     // manager "example.com/me"
  std::string prefix;  // distinguishes targets; "" if the tree names them itself
  std::string field;   // of the root
  const yaml::Node* root = nullptr;
};

// In the order in which they are merged.
std::vector<PatchTree> patch_trees(const model::TrainJob& job);

// The same for a TrainJob as it was written, or as Go encodes it. Only for runtimePatches.
std::vector<PatchTree> written_patches(const yaml::Node& source);

// The key by which the list's elements are merged; "" if a patch replaces the list as a whole.
std::string_view merge_key_of(std::string_view list);

// The element of the list that has the same merge key; nullptr if there is none, or if it is not a list.
const yaml::Node* find_element(const yaml::Node* list, std::string_view merge_key, const yaml::Node& element);

}  // namespace trainjobc::compile::advice
