// Textual fixes.
#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// A pair to insert. The block form is YAML, the flow form JSON: it must stand in a JSON file too.
struct NewPair {
  std::string_view block;  // limits: {nvidia.com/gpu: 4}
  std::string_view flow;   // "limits": {"nvidia.com/gpu": 4}
};

// The edit that inserts the pair as the first of the map which is `map`'s value. Empty where that is no map
// with text of its own: an empty one, an alias, or one that begins with a merge key.
std::vector<base::Edit> insert_first(const yaml::Entry& map, const NewPair& pair);

}  // namespace trainjobc::compile::advice
