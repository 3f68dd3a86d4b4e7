// SPDX-License-Identifier: Apache-2.0

// Pass 4, merge: the job's overrides and resources into its runtime.
#pragma once

#include <optional>
#include <string_view>

#include "compile/admission/admission.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/runtime_info.h"

namespace trainjobc::compile {

struct MergeInputs {
  const model::TrainJob& job;
  const model::Runtime& runtime;
  const schema::Schema& job_set_spec;
  const model::Behaviours& behaviours;
};

// The origin of a JobSet's spec: made of the spec in the runtime, and of what each override of the job made
// of it, in their order.
inline constexpr std::string_view kMergedRule = "merge";

// The same of its labels and its annotations: made of those of the runtime, of the job, and of each patch.
inline constexpr std::string_view kMergedMetadataRule = "merge/metadata";

// The JobSet's "labels" or "annotations": those of the runtime, of the job, and of each patch. Empty maps for
// none.
policy::NodeList metadata_steps(const policy::RuntimeInfo& info, std::string_view key,
                                const yaml::Maker& make);

// The runtime's JobSet spec with the job's overrides and resourcesPerNode, and the labels and annotations of
// the JobSet. nullopt if an override can't be merged, which is a diagnostic.
std::optional<policy::RuntimeInfo> merge_runtime(const MergeInputs& inputs, const yaml::Maker& make,
                                                 base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
