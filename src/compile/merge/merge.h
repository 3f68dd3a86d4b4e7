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

// The runtime's JobSet spec with the job's overrides and resourcesPerNode, and the labels and annotations of
// the JobSet. nullopt if an override can't be merged, which is a diagnostic.
std::optional<policy::RuntimeInfo> merge_runtime(const MergeInputs& inputs, const yaml::Maker& make,
                                                 base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
