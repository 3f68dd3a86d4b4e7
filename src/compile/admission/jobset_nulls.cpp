// JobSet's mutating webhook decodes a JobSet into Go's types and encodes it again: a list or pointer without
// `omitempty` that was absent is null then, and the schema, which validates the result, requires a value.
#include "compile/admission/jobset_nulls.h"

#include <fmt/format.h>

#include <algorithm>

#include "k8s/jobset/view.h"

namespace trainjobc::compile {
namespace {

using schema::Property;
using schema::Schema;
using yaml::Node;

class Nulls {
 public:
  explicit Nulls(k8s::Violations& out) : out_(out) {}

  void check(const Node& node, const Schema& schema, const std::string& field) {
    if (schema.items) {
      for (size_t i = 0; i < node.items().size(); ++i)
        check(*node.items()[i], *schema.items, fmt::format("{}[{}]", field, i));
      return;
    }
    if (!node.is_map()) return;
    for (const Property& property : schema.properties) {
      const std::string path =
          field.empty() ? std::string(property.name) : fmt::format("{}.{}", field, property.name);
      const Node* value = node.get(property.name);
      if (value && !value->is_null()) {
        if (property.schema) check(*value, *property.schema, path);
      } else if (becomes_null(schema, property)) {
        add_null(node, property, path);
      }
    }
  }

 private:
  // The schema itself reports missing required fields; times may be null.
  static bool becomes_null(const Schema& schema, const Property& property) {
    return property.wire == schema::Wire::Null && property.schema &&
           property.schema->format != schema::Format::DateTime &&
           std::ranges::find(schema.required, property.name) == schema.required.end();
  }

  void add_null(const Node& parent, const Property& property, const std::string& path) {
    const std::string_view empty = property.schema->type == schema::Type::String ? "\"\"" : "[]";
    k8s::jobset::add(out_, "jobset/type", path,
                     fmt::format("{} must be set, although it may be empty: JobSet's webhook turns a missing "
                                 "value into null, which its schema refuses",
                                 property.name),
                     &parent, fmt::format("add {}: {}", property.name, empty));
  }

  k8s::Violations& out_;
};

}  // namespace

void check_written_nulls(const Node& job_set, const Schema& schema, k8s::Violations& out) {
  Nulls(out).check(job_set, schema, "");
}

}  // namespace trainjobc::compile
