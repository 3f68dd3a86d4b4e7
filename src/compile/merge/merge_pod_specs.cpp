// SPDX-License-Identifier: Apache-2.0

// Trainer 2.0: spec.podSpecOverrides. An override is part of a pod spec, with the names of its target
// jobs.
#include <algorithm>

#include "compile/merge/override_merge.h"
#include "model/overrides.h"

namespace trainjobc::compile {

const yaml::Node* merge_pod_specs(const OverrideMerge& merge, const yaml::Node& spec) {
  const yaml::Node* merged = &spec;
  for (const model::PodOverride& override : model::decode_pod_overrides(merge.job)) {
    const auto is_target = [&](std::string_view name) {
      return std::ranges::find(override.target_jobs, name, &model::LocatedText::value) !=
             override.target_jobs.end();
    };
    const yaml::Node* change = merge.make.with(override.spec, "targetJobs", nullptr);
    merged = merge_into_jobs(merge, *merged, is_target, {"template", "spec", "template", "spec"}, *change,
                             model::kPodSpecOverrides);
    if (!merged) return nullptr;
    merge.steps.push_back(merged);
  }
  return merged;
}

}  // namespace trainjobc::compile
