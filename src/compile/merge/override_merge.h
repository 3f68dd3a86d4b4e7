// SPDX-License-Identifier: Apache-2.0

// How a TrainJob's changes are merged into its runtime's JobSet spec: one function and file per generation of
// the API, selected by Behaviours::overrides.
#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "model/train_job.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::compile {

struct OverrideMerge {
  const model::TrainJob& job;
  const schema::Schema& job_set_spec;
  const yaml::Maker& make;
  base::Diagnostics& diagnostics;
  std::vector<const yaml::Node*>& steps;  // gets the spec after each of the changes
};

// Each returns the spec with the job's changes, typed like the old one; nullptr if a change can't be merged,
// which is a diagnostic.
const yaml::Node* merge_pod_specs(const OverrideMerge& merge, const yaml::Node& spec);
const yaml::Node* merge_pod_templates(const OverrideMerge& merge, const yaml::Node& spec);
const yaml::Node* merge_job_templates(const OverrideMerge& merge, const yaml::Node& spec);
const yaml::Node* merge_job_sets(const OverrideMerge& merge, const yaml::Node& spec);

// Shared by all four.

// A place in a map or its schema. In a schema, lists are skipped.
using FieldPath = std::initializer_list<std::string_view>;

// Strategic merge of `change` into `original`, then the round trip through the Go type of `schema`. `field`
// is the field of the TrainJob to name in an error. nullptr as above.
const yaml::Node* merge_typed(const OverrideMerge& merge, const yaml::Node* original,
                              const yaml::Node& change, const schema::Schema& schema, std::string_view field);

// The same for one part, at `path`, of every replicatedJob that `names` accepts.
const yaml::Node* merge_into_jobs(const OverrideMerge& merge, const yaml::Node& spec,
                                  const std::function<bool(std::string_view)>& names, FieldPath path,
                                  const yaml::Node& change, std::string_view field);

}  // namespace trainjobc::compile
