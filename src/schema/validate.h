// SPDX-License-Identifier: Apache-2.0

// Structural validation of one object, as the API server does it: unknown fields, types, formats, enums,
// patterns, bounds, required fields, list-map and set keys, CEL rules. Each function returns every violation
// it finds, with rule, field, message, hint and location set; the caller adds object and stage.
#pragma once

#include <string>
#include <string_view>

#include "k8s/field.h"
#include "k8s/violations.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// Fields that the schema doesn't know (strict decoding).
k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, const k8s::Path& path = {});
// Like the above, for a whole object of `kind`, with more hints: fields of other Trainer versions, fields
// that belong elsewhere in the object.
k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, std::string_view kind,
                                    std::string_view trainer_version);

struct Validation {
  k8s::Violations violations;
  // False if a value has the wrong type, is missing, unsupported or too long; the API server then evaluates
  // no CEL rule.
  bool types_fit = true;
};

// Checks everything but unknown fields and CEL rules. `node` must have its defaults. The status of a whole
// object is ignored: the API server drops it at creation.
Validation validate_structure(const yaml::Node& node, const Schema& schema, const k8s::Path& path = {});

// Evaluates the CEL rules for a creation; transition rules (self == oldSelf) always hold. `node` must have
// valid types.
k8s::Violations validate_cel(const yaml::Node& node, const Schema& schema, const k8s::Path& path = {});

// The schema of the value at a path; nullptr if the schema has no such field.
const Schema* schema_at(const Schema& root, const k8s::Path& path);

// The CEL rules of the schemas, each known by its text and written as a function.

// Whether the code knows the rule. The schema tables contain no others: tools/schemagen checks that.
bool knows_cel_rule(std::string_view rule);

// The patterns of the schemas, matched without a regular expression engine: there are only a few, and each is
// identified by its text.

// Whether `text` matches; `pattern` is one of the schema's patterns, or "date-time" for RFC 3339.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Whether the code knows this pattern. The schema tables contain no others: tools/schemagen checks that.
bool knows_pattern(std::string_view pattern);

struct PatternAdvice {
  std::string_view rule;  // the diagnostic's rule
  std::string_view what;  // "a quantity"
  std::string_view hint;
};

PatternAdvice explain_pattern(std::string_view pattern);

// What to write instead of a text that doesn't match; "" if that isn't obvious.
std::string corrected(std::string_view pattern, std::string_view text);

}  // namespace trainjobc::schema
