// SPDX-License-Identifier: Apache-2.0

#include "compile/versions/version_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "compile/target.h"
#include "schema/defaults.h"
#include "schema/validate.h"

namespace trainjobc::compile {
namespace {

using base::Diagnostic;
using k8s::Violations;

// The schema's errors about fields and types. Values are left out: one that an older version accepts is more
// likely to be a mistake than to be written for that version.
Violations violations_under(const InputObject& object, const Target& target, const yaml::Maker& make) {
  const schema::Schema& schema = *target.schemas->kind(object.id.kind)->schema;
  Violations violations = schema::find_unknown_fields(*object.root, schema);
  const yaml::Node* root = schema::apply_defaults(*object.root, schema, make);
  for (Diagnostic& violation : schema::validate_structure(*root, schema).violations) {
    if (violation.rule == "input/type") violations.push_back(std::move(violation));
  }
  return violations;
}

// The fields that one version refuses.
class RefusedFields {
 public:
  explicit RefusedFields(const Violations& violations) {
    for (const Diagnostic& violation : violations) fields_.insert(violation.field);
  }

  // Whether `field` is one of them, or inside one.
  bool cover(std::string_view field) const {
    if (fields_.contains(field)) return true;
    for (size_t end = field.find_first_of(".["); end != std::string_view::npos;
         end = field.find_first_of(".[", end + 1)) {
      if (end > 0 && fields_.contains(field.substr(0, end))) return true;
    }
    return false;
  }

 private:
  std::unordered_set<std::string_view> fields_;
};

VersionSet versions_without(const std::vector<RefusedFields>& by_version, std::string_view field) {
  VersionSet versions = VersionSet::none();
  for (size_t i = 0; i < by_version.size(); ++i) {
    if (!by_version[i].cover(field)) versions.add(i);
  }
  return versions;
}

std::vector<Objection> objections_of(const Violations& violations,
                                     const std::vector<RefusedFields>& by_version) {
  std::vector<Objection> objections;
  for (const Diagnostic& violation : violations) {
    const VersionSet accepted_by = versions_without(by_version, violation.field);
    if (accepted_by.empty()) continue;
    objections.push_back(
        {violation.field, violation.location, violation.rule == "input/unknown-field", accepted_by});
  }
  std::ranges::stable_sort(objections, {},
                           [](const Objection& o) { return std::pair(o.location.line, o.location.column); });
  return objections;
}

// The last two names of a path, without list indices: torch.numProcPerNode.
std::string tail_of(std::string_view field) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : field) {
    if (c == '[') ++depth;
    if (c == '.' && depth == 0) {
      names.emplace_back();
    } else if (depth == 0) {
      names.back() += c;
    }
    if (c == ']') --depth;
  }
  const size_t count = names.size();
  return count == 1 ? names[0] : fmt::format("{}.{}", names[count - 2], names[count - 1]);
}

}  // namespace

std::string Objection::text() const {
  return fmt::format("{} {} only {}", tail_of(field), unknown_field ? "exists" : "accepts such a value",
                     accepted_by.range());
}

SurveyedObject survey(const InputObject& object) {
  base::Arena arena;
  const yaml::Maker make(arena);
  std::vector<Violations> by_version;
  for (const model::Behaviours& row : model::all_behaviours()) {
    by_version.push_back(violations_under(object, target_for(row), make));
  }
  SurveyedObject surveyed;
  surveyed.object = &object;
  surveyed.id = object.id.str();
  surveyed.accepted_by = VersionSet::none();
  const std::vector<RefusedFields> refused(by_version.begin(), by_version.end());
  for (size_t i = 0; i < by_version.size(); ++i) {
    surveyed.objections.push_back(objections_of(by_version[i], refused));
    if (surveyed.objections.back().empty()) surveyed.accepted_by.add(i);
  }
  return surveyed;
}

}  // namespace trainjobc::compile
