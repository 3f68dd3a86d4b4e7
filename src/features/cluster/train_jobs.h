// SPDX-License-Identifier: Apache-2.0

// Live TrainJobs, and which live objects belong to them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/objects/differences.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

// Whether the TrainJob has fields whose changes Trainer's webhook restricts: runtimePatches (since
// Trainer 2.2), podTemplateOverrides (2.1) or podSpecOverrides (2.0).
bool has_guarded_fields(const yaml::Node& train_job);

// Whether the object's label names a Kueue queue, so that Kueue suspends and resumes it.
bool names_queue(const yaml::Node& object);

// The differences in these fields, marked as refused; empty if the webhook allows the change. Patches of
// managers that `wanted` doesn't name are ignored. `job_set` is the live JobSet, nullptr if there is none.
// Source of the rule: Trainer, pkg/runtime/framework/plugins/jobset (checkRuntimePatchesImmutability).
std::vector<objects::Difference> refused_patches(const yaml::Node& wanted, const yaml::Node& live,
                                                 const yaml::Node* job_set, const schema::Schema* schema);

// The JobSet with the patches of managers that `wanted` doesn't name: Trainer merged them into the live one.
// Since 0.17, Kueue puts what it decides when it admits a TrainJob, such as a flavor's node selector, into
// such a patch.
const yaml::Node* with_patches_of_others(const yaml::Node& job_set, const yaml::Node& wanted,
                                         const yaml::Node& live, const schema::Schema& schema,
                                         const yaml::Maker& make);

// The object's first ownerReference to a TrainJob; nullptr if it has none.
const yaml::Node* owning_job(const yaml::Node& object);

// A number for each TrainJob, by namespace and name.
using JobNames = std::map<std::pair<std::string, std::string>, size_t>;

// Whether Trainer created `object`, judging by its owner, its manager, a JobSet's labels or a helper's name.
// `jobs` are the TrainJobs whose helper objects are recognised by name; snapshots of runtimes never are.
bool is_trainers(const LiveObject& object, const JobNames& jobs);

// Whether `name` is the name of a Secret or ConfigMap that a plugin creates for the TrainJob.
bool is_helper_name(std::string_view kind, std::string_view name, std::string_view job);

// The number of the job in `jobs` to which the object belongs; kNoJob if there is none.
size_t job_of(const LiveObject& object, const JobNames& jobs);

}  // namespace trainjobc::cluster
