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

// The rule that a JobSet's spec derives from: its inputs are the runtime's spec, and the spec after each
// override of the job, in order.
inline constexpr std::string_view kMergedRule = "merge";

// The rule that merged labels and annotations derive from: their inputs are the runtime's, the job's, and
// each patch's.
inline constexpr std::string_view kMergedMetadataRule = "merge/metadata";

// The inputs of the JobSet's "labels" or "annotations": the runtime's, the job's, and each patch's. Empty
// maps for missing ones.
policy::NodeList metadata_steps(const policy::RuntimeInfo& info, std::string_view key,
                                const yaml::Maker& make);

// The runtime's JobSet spec with the job's overrides and resourcesPerNode, and the JobSet's labels and
// annotations. nullopt if an override can't be merged, which is reported.
std::optional<policy::RuntimeInfo> merge_runtime(const model::TrainJob& job, const model::Runtime& runtime,
                                                 const schema::Schema& job_set_spec,
                                                 const model::Behaviours& behaviours, const yaml::Maker& make,
                                                 base::Diagnostics& diagnostics);

// Whether a job's resourcesPerNode applies to the set's first container `node`.
bool takes_node_resources(const policy::RuntimeInfo& info, const policy::PodSet& set);

// The job with another number of nodes or processes, or another image, as if its spec.trainer said so.

// Changes the job; `merged` is the job with its runtime before the change. Returns false, and reports it, if
// the framework has no such number.
bool scale_job(model::TrainJob& job, const policy::RuntimeInfo& merged, const JobScale& scale,
               const yaml::Maker& make, policy::Findings& findings);

}  // namespace trainjobc::compile
