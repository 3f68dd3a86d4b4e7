// SPDX-License-Identifier: Apache-2.0

// Trainer 2.1: spec.podTemplateOverrides. Of an override's metadata only labels and annotations count.
#include <algorithm>

#include "compile/merge/override_merge.h"
#include "model/overrides.h"
#include "policy/build_nodes.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

const Node* template_change(const model::PodOverride& override, const yaml::Maker& make) {
  const Node* metadata = override.metadata;
  if (metadata) {
    metadata = policy::map_of(
        make, {{"labels", metadata->get("labels")}, {"annotations", metadata->get("annotations")}},
        metadata->origin());
  }
  return policy::map_of(make, {{"metadata", metadata}, {"spec", override.spec}}, override.node->origin());
}

}  // namespace

const Node* merge_pod_templates(const OverrideMerge& merge, const Node& spec) {
  const Node* merged = &spec;
  for (const model::PodOverride& override : model::decode_pod_overrides(merge.job)) {
    const auto is_target = [&](std::string_view name) {
      return std::ranges::find(override.target_jobs, name, &model::LocatedText::value) !=
             override.target_jobs.end();
    };
    merged = merge_into_jobs(merge, *merged, is_target, {"template", "spec", "template"},
                             *template_change(override, merge.make), model::kPodTemplateOverrides);
    if (!merged) return nullptr;
    merge.steps.push_back(merged);
  }
  return merged;
}

}  // namespace trainjobc::compile
