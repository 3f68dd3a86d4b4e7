// SPDX-License-Identifier: Apache-2.0

// JobSet's mutating webhook decodes a JobSet into Go's types and encodes it again: a list or pointer without
// `omitempty` that was absent is null then, and the schema, which validates the result, requires a value.
#include "compile/admission/jobset_nulls.h"

#include <fmt/format.h>

#include <algorithm>

#include "k8s/field.h"
#include "k8s/jobset/view.h"

namespace trainjobc::compile {
namespace {

using k8s::Field;
using schema::Property;
using schema::Schema;
using yaml::Node;

class Nulls {
 public:
  explicit Nulls(k8s::Violations& out) : out_(out) {}

  void check(const Field& field, const Schema& schema) {
    const Node& node = *field.node();
    if (schema.items) {
      for (size_t i = 0; i < node.items().size(); ++i) {
        if (const Field item = field.item(i)) check(item, *schema.items);
      }
      return;
    }
    if (!node.is_map()) return;
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.value->is_scalar()) continue;
      const Property* property = schema.property(entry.key);
      if (!property || !property->schema) continue;
      const Field value = field.child(entry.key);
      check(value, *property->schema);
    }
    for (const Property& property : schema.properties) {
      if (!becomes_null(schema, property)) continue;
      const Field value = field.child(property.name);
      if (!value) add_null(value, node, property);
    }
  }

 private:
  // The schema itself reports missing required fields; times may be null.
  static bool becomes_null(const Schema& schema, const Property& property) {
    return property.wire == schema::Wire::Null && property.schema &&
           property.schema->format != schema::Format::DateTime &&
           std::ranges::find(schema.required, property.name) == schema.required.end();
  }

  void add_null(const Field& field, const Node& parent, const Property& property) {
    const std::string_view empty = property.schema->type == schema::Type::String ? "\"\"" : "[]";
    k8s::jobset::add(out_, "jobset/type", field.path(),
                     fmt::format("{} must be set, although it may be empty: JobSet's webhook turns a missing "
                                 "value into null, which its schema refuses",
                                 property.name),
                     &parent, fmt::format("add {}: {}", property.name, empty));
  }

  k8s::Violations& out_;
};

}  // namespace

void check_written_nulls(const Node& job_set, const Schema& schema, k8s::Violations& out) {
  Nulls(out).check(Field(&job_set), schema);
}

}  // namespace trainjobc::compile
