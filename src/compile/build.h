// SPDX-License-Identifier: Apache-2.0

// Pass 6, build: the JobSet from the runtime that the plugins have expanded.
// Source of the rules: Trainer's JobSet plugin, jobset.go and builder.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/input.h"
#include "model/train_job.h"
#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The namespace and name of a TrainJob: --namespace, and metadata.generateName offline.

// Five characters that depend only on the tree's content.
std::string content_suffix(const yaml::Node& root);

// `root`; if it has no namespace and `ns` is not "", with metadata.namespace set to `ns`; if it has no name,
// with metadata.name set to its generateName and a suffix: `suffix` or, if that is "", five characters from
// the hash of the object's content, so that the same input always gets the same name.
const yaml::Node* with_own_name(const yaml::Node& root, const std::string& ns, std::string_view suffix,
                                const yaml::Maker& make);

const yaml::Node* build_job_set(const policy::RuntimeInfo& info, const yaml::Maker& make);

// `job_set` with the volumeClaimPolicies of the stored JobSet. JobSet's webhook completes them when the
// JobSet is created, but not when it is updated, and they can't be changed: applying less than what is stored
// is always refused.
const yaml::Node* with_stored_claims(const yaml::Node* job_set, const yaml::Node& admitted,
                                     const yaml::Maker& make);

// Drops the empty maps that Go writes for structs by value: metadata, resources, status, strategy. Keeps
// those in volumeClaimPolicies.
const yaml::Node* without_empty_structs(const yaml::Node& node, const yaml::Maker& make);

// Runtime snapshots: Trainer 2.3 stores the runtime of a new TrainJob in a ConfigMap, and uses that copy from
// then on.

inline constexpr std::string_view kSnapshotSuffix = "-runtime-snapshot";
// The name of the job's snapshot: the TrainJob's, with a suffix.
std::string snapshot_name(const model::TrainJob& job);

// The ConfigMap that contains the runtime as YAML, as Go encodes it.
const yaml::Node* build_snapshot(const model::TrainJob& job, const yaml::Node& encoded_runtime,
                                 const yaml::Maker& make);

// The runtime in a snapshot of the job. nullopt, with a diagnostic, if the controller would refuse it:
// another TrainJob owns it, it can't be read, or it contains a runtime that the job doesn't refer to. Nodes
// live in `memory`; their lines are those of the snapshot's text.
std::optional<InputObject> read_snapshot(const yaml::Node& config_map, const model::TrainJob& job,
                                         InputSet& memory, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
