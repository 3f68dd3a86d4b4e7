// SPDX-License-Identifier: Apache-2.0

// Pass 4, merge: a TrainJob's overrides and resources into its runtime. Each generation of the API has its
// own function for overrides, selected by Behaviours::overrides.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "model/train_job.h"
#include "policy/plugin.h"
#include "policy/runtime_info.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::compile {

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
std::optional<policy::RuntimeInfo> merge_runtime(const model::TrainJob& job, const model::Runtime& runtime,
                                                 const schema::Schema& job_set_spec,
                                                 const model::Behaviours& behaviours, const yaml::Maker& make,
                                                 base::Diagnostics& diagnostics);

// Whether a job's resourcesPerNode applies to the set's first container `node`.
bool takes_node_resources(const policy::RuntimeInfo& info, const policy::PodSet& set);

// The same job with another number of nodes or processes, or another image: what it would be if its
// spec.trainer said so.

// Changes the job; `merged` is it with its runtime before that. False if its framework has no such number,
// which is a finding.
bool scale_job(model::TrainJob& job, const policy::RuntimeInfo& merged, const JobScale& scale,
               const yaml::Maker& make, policy::Findings& findings);

}  // namespace trainjobc::compile
