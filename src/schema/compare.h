// SPDX-License-Identifier: Apache-2.0

// Compares rendered objects with those of an API server by their meaning, not by spelling.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

// One step of the path from an object to a field: a map's key, or a list's item.
struct Step {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  const Schema* schema = nullptr;    // the map's or list's; nullptr if the schema does not describe it
  std::string_view key;              // maps only
  const yaml::Node* item = nullptr;  // lists only: the live item, or the rendered one if live has none
  size_t index = kNone;       // lists: index in the rendered list; items that only live has follow its end
  size_t live_index = kNone;  // lists: index in the live list; kNone if it has no such item

  bool is_item() const { return index != kNone; }
};
using FieldPath = std::vector<Step>;

// The schema of the value that a step leads to; nullptr if there is none.
const Schema* value_schema(const Step& step);

// The path as text: spec.replicatedJobs[0].name, labels[app.kubernetes.io/name]
std::string to_string(const FieldPath& path);
// Like to_string, but with the keys of list maps' items: spec.replicatedJobs[node].name
std::string to_keyed_string(const FieldPath& path);
// The keys of a list map's item: node, 80/TCP; "" if the list is not a list map.
std::string item_keys(const yaml::Node& item, const Schema& list);

struct FieldDifference {
  FieldPath path;
  const yaml::Node* live = nullptr;      // nullptr if it has no such field
  const yaml::Node* rendered = nullptr;  // nullptr if it has no such field
  bool order = false;                    // the lists have the same items in another order
};

// Returns the fields in which two objects of one schema differ, in the order of `rendered`, each as deep as
// possible: maps by key, list maps by their keys, sets in any order, other lists item by item (as a whole if
// their lengths differ). These are not differences: the order of keys, null and absent, empty and absent if
// Go's types can't distinguish them, the spelling of a quantity, 80 and "80" of an int-or-string. `schema`
// may be nullptr.
std::vector<FieldDifference> compare(const yaml::Node& rendered, const yaml::Node& live,
                                     const Schema* schema);

}  // namespace trainjobc::schema
