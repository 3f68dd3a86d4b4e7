// SPDX-License-Identifier: Apache-2.0

#include "platform/kind_types.h"

#include <array>
#include <initializer_list>
#include <ranges>

#include "base/arena.h"
#include "schema/schema.h"

namespace trainjobc::platform {
namespace {

using schema::Schema;

// "[]" steps into the items of a list.
const Schema* schema_at(const Schema* schema, std::initializer_list<std::string_view> path) {
  for (const std::string_view step : path) {
    if (schema) schema = step == "[]" ? schema->items : schema->child(step);
  }
  return schema;
}

// Of the spec of a kind's objects; nullptr if the version does not have the kind.
const Schema* spec_schema(const schema::VersionSchemas& version, std::string_view kind) {
  const bool is_part = kind == "Job" || kind == "Pod";
  const schema::KindSchema* found = version.kind(is_part ? "JobSet" : kind);
  if (!found) return nullptr;
  if (!is_part) return schema_at(found->schema, {"spec"});
  const Schema* job = schema_at(found->schema, {"spec", "replicatedJobs", "[]", "template", "spec"});
  return kind == "Job" ? job : schema_at(job, {"template", "spec"});
}

}  // namespace

std::vector<cel::Issue> issues_of_fields(std::string_view expression, std::string_view kind,
                                         const cel::Type& plan) {
  std::vector<cel::Issue> first;
  for (const schema::VersionSchemas& version : schema::all_versions() | std::views::reverse) {
    const Schema* spec = spec_schema(version, kind);
    if (!spec) continue;
    base::Arena arena;
    cel::Types types(arena);
    const std::array<cel::TypeField, 5> fields{{{"apiVersion", &cel::types::kString},
                                                {"kind", &cel::types::kString},
                                                {"metadata", &cel::types::kDyn},
                                                {"spec", types.of_schema(*spec, "spec")},
                                                {"status", &cel::types::kDyn}}};
    const std::array<cel::Variable, 2> variables{{{"object", types.object(kind, fields)}, {"plan", &plan}}};
    std::vector<cel::Issue> issues;
    cel::Program::compile(expression, variables, issues);
    // Other complaints are about the names of types, which an object that is not declared doesn't have.
    std::erase_if(issues,
                  [](const cel::Issue& issue) { return !issue.message.starts_with("undefined field"); });
    if (issues.empty()) return {};
    if (first.empty()) first = std::move(issues);
  }
  return first;
}

}  // namespace trainjobc::platform
