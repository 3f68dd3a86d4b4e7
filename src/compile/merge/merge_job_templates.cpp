// SPDX-License-Identifier: Apache-2.0

// Trainer 2.2: spec.runtimePatches, one replicatedJob at a time. Patches for jobs that the runtime
// doesn't have are skipped here; the webhook refuses them.
#include "compile/merge/override_merge.h"
#include "model/overrides.h"

namespace trainjobc::compile {

using yaml::Node;

const Node* merge_job_templates(const OverrideMerge& merge, const Node& spec) {
  const Node* merged = &spec;
  for (const Node* patch : model::runtime_patches(merge.job)) {
    for (const Node* job : model::patched_jobs(*patch)) {
      const auto target = model::decode_text(job->get("name"));
      const Node* change = job->get("template");
      if (!target || !change) continue;
      const auto is_target = [&](std::string_view name) { return name == target->value; };
      merged = merge_into_jobs(merge, *merged, is_target, {"template"}, *change, model::kRuntimePatches);
      if (!merged) return nullptr;
      merge.steps.push_back(merged);
    }
  }
  return merged;
}

}  // namespace trainjobc::compile
