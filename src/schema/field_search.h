// Finding fields in a schema, for hints.
#pragma once

#include <string>

#include "k8s/path.h"
#include "schema/schema.h"

namespace trainjobc::schema {

// The schema of the value at a path; nullptr if the schema has no such field.
const Schema* schema_at(const Schema& root, const k8s::Path& path);

// The place that takes a field of this name, for one that is at `field` where it is unknown: the nearest
// below it, the one above, one beside its parent, or one near the root. "" if there is none, or several
// are equally near. Lists show as [].
std::string find_place(const Schema& root, const k8s::Path& field);

}  // namespace trainjobc::schema
