// From fields that differ to differences that matter.
#pragma once

#include <vector>

#include "schema/compare.h"
#include "tools/diff/difference.h"
#include "tools/diff/live/field_owners.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// The two objects that were compared.
struct Compared {
  const yaml::Node& live;
  const yaml::Node& rendered;
  const FieldOwners& owners;  // of the live one
  bool is_job_set = false;
  bool is_queued = false;  // Kueue suspends and resumes it
};

// Drops what is a default of the API, and sets fields that others manage apart. A map that only live has is
// one difference if it is all one's own. The result has kind, path, name, values and manager.
std::vector<Difference> settle(std::vector<schema::FieldDifference> fields, const Compared& objects);

}  // namespace trainjobc::diff
