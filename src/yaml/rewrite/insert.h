// Textual fixes.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// A pair to insert, in YAML, which must do inside brackets too, and in JSON for where the keys are quoted.
struct NewPair {
  std::string_view yaml;  // limits: {nvidia.com/gpu: 4}
  std::string_view json;  // "limits": {"nvidia.com/gpu": 4}
};

// The edit that inserts the pair as the first of the map which is `map`'s value. Empty if that is not a map
// with text of its own: an empty one, an alias, or one that begins with a merge key.
std::vector<base::Edit> insert_first(const yaml::Entry& map, const NewPair& pair);

// The same before an entry of a map.
std::vector<base::Edit> insert_before(const yaml::Entry& entry, const NewPair& pair);

// The edit that gives the map of `entry` a map `key` that holds the pair. In the file `key` may be there with
// nothing in it, which the tree need not know: null values are dropped. Then it is filled.
std::vector<base::Edit> insert_map_before(const yaml::Entry& entry, std::string_view key,
                                          const NewPair& pair);

// The same for the map which is `map`'s value.
std::vector<base::Edit> insert_map_first(const yaml::Entry& map, std::string_view key, const NewPair& pair);

}  // namespace trainjobc::yaml
