#include <fmt/format.h>

#include "base/suggest.h"
#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

std::string parent_of(const std::string& field) {
  const size_t dot = field.rfind('.');
  return dot == std::string::npos ? "the object" : field.substr(0, dot);
}

base::Diagnostic unknown_field(const yaml::Entry& entry, const Schema& schema, const Path& path) {
  std::vector<std::string_view> names;
  names.reserve(schema.properties.size());
  for (const Property& property : schema.properties) names.push_back(property.name);
  const auto meant = base::closest(entry.key, names);
  const std::string field = path.str();
  base::Diagnostic diagnostic;
  diagnostic.rule = "input/unknown-field";
  diagnostic.field = field;
  diagnostic.message = fmt::format("unknown field \"{}\" in {}", entry.key, parent_of(field));
  diagnostic.location = yaml::locate_key(entry);
  if (meant) {
    diagnostic.hint = fmt::format("did you mean \"{}\"?", *meant);
  } else if (names.empty()) {
    diagnostic.hint = "it takes no fields";
  }
  return diagnostic;
}

void walk(const yaml::Node& node, const Schema& schema, const Path& path, Violations& out) {
  if (node.is_list()) {
    if (schema.type != Type::Array || !schema.items) return;
    size_t index = 0;
    for (const yaml::Node* item : node.items()) walk(*item, *schema.items, path.child(index++), out);
    return;
  }
  if (!node.is_map() || schema.type != Type::Object) return;
  if (schema.properties.empty() && !schema.additional) {
    for (const yaml::Entry& entry : node.entries()) out.push_back(unknown_field(entry, schema, path.child(entry.key)));
    return;
  }
  for (const yaml::Entry& entry : node.entries()) {
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    const Path at = path.child(entry.key);
    if (child) {
      walk(*entry.value, *child, at, out);
    } else {
      out.push_back(unknown_field(entry, schema, at));
    }
  }
}

}  // namespace

Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, const Path& path) {
  Violations out;
  walk(node, schema, path, out);
  return out;
}

}  // namespace trainjobc::schema
