// SPDX-License-Identifier: Apache-2.0

// Finding fields in a schema, for hints.
#pragma once

#include <string>

#include "k8s/field.h"
#include "schema/schema.h"

namespace trainjobc::schema {

// The schema of the value at a path; nullptr if the schema has no such field.
const Schema* schema_at(const Schema& root, const k8s::Path& path);

// The place where a field of this name is valid, for an unknown field at `field`: the nearest one below it,
// above it, beside its parent, or near the root. "" if there is none, or if several are equally near. Lists
// are shown as [].
std::string find_place(const Schema& root, const k8s::Path& field);

}  // namespace trainjobc::schema
