// Structural validation of one object, as the API server does it: unknown fields, types, formats, enums,
// patterns, bounds, required fields, list-map and set keys, CEL rules. Each function returns every violation
// it finds, with rule, field, message, hint and location set; the caller adds object and stage.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "schema/path.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

using Violations = std::vector<base::Diagnostic>;

// Fields that the schema doesn't know (strict decoding).
Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, const Path& path = {});

struct Validation {
  Violations violations;
  bool types_fit = true;  // false: a value has the wrong type, and the API server evaluates no CEL rule
};

// Everything but unknown fields and CEL rules. `node` has its defaults.
Validation validate_structure(const yaml::Node& node, const Schema& schema, const Path& path = {});

// The CEL rules of creation; transition rules (self == oldSelf) hold trivially.
Violations validate_cel(const yaml::Node& node, const Schema& schema, const Path& path = {});

}  // namespace trainjobc::schema
