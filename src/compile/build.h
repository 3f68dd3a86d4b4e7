// SPDX-License-Identifier: Apache-2.0

// Pass 6, build: the JobSet from the runtime that the plugins have expanded.
// Source of the rules: Trainer's JobSet plugin, jobset.go and builder.go.
#pragma once

#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::compile {

const yaml::Node* build_job_set(const policy::RuntimeInfo& info, const yaml::Maker& make);

// `job_set` with the volumeClaimPolicies of the stored JobSet. JobSet's webhook completes them when the
// JobSet is created, but not when it is updated, and they can't be changed: applying less than what is stored
// is always refused.
const yaml::Node* with_stored_claims(const yaml::Node* job_set, const yaml::Node& admitted,
                                     const yaml::Maker& make);

// Drops the empty maps that Go writes for structs by value: metadata, resources, status, strategy. Keeps
// those in volumeClaimPolicies.
const yaml::Node* without_empty_structs(const yaml::Node& node, const yaml::Maker& make);

}  // namespace trainjobc::compile
