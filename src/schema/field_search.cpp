// SPDX-License-Identifier: Apache-2.0

#include "schema/field_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace trainjobc::schema {
namespace {

constexpr size_t kAnyDepth = 100;
constexpr size_t kNearRoot = 2;  // below spec: trainer, initializer.model

// A reachable map, and its place as text.
struct Place {
  const Schema* schema = nullptr;
  std::string text;
};

// Goes through lists to the place of their elements.
Place elements_of(Place place) {
  while (place.schema->type == Type::Array && place.schema->items) {
    place.schema = place.schema->items;
    place.text += "[]";
  }
  return place;
}

// The fields below a map; the status is left out, since hints to it don't help.
std::vector<Place> children_of(const Place& place) {
  std::vector<Place> children;
  for (const Property& property : place.schema->properties) {
    if (place.text.empty() && property.name == "status") continue;
    const std::string dot = place.text.empty() ? "" : ".";
    children.push_back(elements_of({property.schema, fmt::format("{}{}{}", place.text, dot, property.name)}));
  }
  return children;
}

// The one place that has the field; "" if none has it or several have.
std::string only_holder(const std::vector<Place>& places, std::string_view name) {
  std::string found;
  for (const Place& place : places) {
    if (!place.schema->property(name)) continue;
    if (!found.empty()) return "";
    found = place.text;
  }
  return found;
}

// Level by level below `top`, at most `depth` levels, every schema at its first appearance.
std::string search_below(const Place& top, std::string_view name, size_t depth) {
  std::set<const Schema*> seen;
  std::vector<Place> level = {top};
  for (size_t i = 0; i < depth && !level.empty(); ++i) {
    std::vector<Place> below;
    for (const Place& place : level) {
      for (Place& child : children_of(place)) {
        if (seen.insert(child.schema).second) below.push_back(std::move(child));
      }
    }
    const auto holds = [&](const Place& place) { return place.schema->property(name) != nullptr; };
    if (std::ranges::any_of(below, holds)) return only_holder(below, name);
    level = std::move(below);
  }
  return "";
}

// The map around the one at `path`; its elements' list is skipped.
const k8s::Path& outer_map(const k8s::Path& path) {
  const k8s::Path* above = path.parent();
  while (above->is_index()) above = above->parent();
  return *above;
}

}  // namespace

const Schema* schema_at(const Schema& root, const k8s::Path& path) {
  if (path.is_root()) return &root;
  const Schema* parent = schema_at(root, *path.parent());
  if (!parent || path.is_index()) return parent ? parent->items : nullptr;
  const Property* property = parent->property(path.key());
  return property ? property->schema : parent->additional;
}

std::string find_place(const Schema& root, const k8s::Path& field) {
  const std::string_view name = field.key();
  const k8s::Path& parent = *field.parent();
  const Schema* here = schema_at(root, parent);
  if (!here) return "";
  if (std::string place = search_below({here, parent.str()}, name, kAnyDepth); !place.empty()) return place;
  if (!parent.is_root()) {
    const k8s::Path& above = outer_map(parent);
    const Schema* outer = schema_at(root, above);
    if (outer && outer->property(name)) return above.is_root() ? "the object itself" : above.str();
    if (!outer) return "";
    if (std::string place = only_holder(children_of({outer, above.str()}), name); !place.empty())
      return place;
  }
  const Property* spec = root.property("spec");
  if (!spec) return "";
  return spec->schema->property(name) ? "spec" : search_below({spec->schema, "spec"}, name, kNearRoot);
}

}  // namespace trainjobc::schema
