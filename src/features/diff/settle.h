// SPDX-License-Identifier: Apache-2.0

// Reduces fields that differ to differences that matter.
#pragma once

#include <vector>

#include "schema/compare.h"
#include "features/diff/difference.h"
#include "features/diff/live/field_owners.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// The two objects that were compared.
struct Compared {
  const yaml::Node& live;
  const yaml::Node& rendered;
  const FieldOwners& owners;  // of the live object
  bool is_job_set = false;
  bool is_queued = false;  // Kueue suspends and resumes the job
};

// Drops defaults of the API, and marks fields that others manage as ignored. A map that only live has is one
// difference if all of it has one owner. The result has kind, path, name, values and manager.
std::vector<Difference> settle(std::vector<schema::FieldDifference> fields, const Compared& objects);

}  // namespace trainjobc::diff
