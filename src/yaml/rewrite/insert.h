// SPDX-License-Identifier: Apache-2.0

// Edits of text that insert entries.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// A pair to insert: as YAML that is also valid inside brackets, and as JSON for maps with quoted keys.
struct NewPair {
  std::string_view yaml;  // limits: {nvidia.com/gpu: 4}
  std::string_view json;  // "limits": {"nvidia.com/gpu": 4}
};

// The edit that inserts the pair at the beginning of the map that is `map`'s value. Empty if that map has no
// text of its own (it is empty, or an alias) or begins with a merge key.
std::vector<base::Edit> insert_first(const yaml::Entry& map, const NewPair& pair);

// The same, but before an entry of a map.
std::vector<base::Edit> insert_before(const yaml::Entry& entry, const NewPair& pair);

// The same for a map that may be empty: {}.
std::vector<base::Edit> insert_into(const yaml::Node& map, const NewPair& pair);

// Byte offsets of the file's text.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};

// The edit that adds a map `key` with the pair before `entry`. If the file already contains an empty `key`,
// which the tree may not show since null values are dropped, that one is filled.
std::vector<base::Edit> insert_map_before(const yaml::Entry& entry, std::string_view key,
                                          const NewPair& pair);

// The same for several pairs, each an edit of its own. Looks for the key once.
class MapBefore {
 public:
  // Both must outlive it.
  MapBefore(const yaml::Entry& entry, std::string_view key) : entry_(entry), key_(key) {}

  std::vector<base::Edit> with(const NewPair& pair);

 private:
  const yaml::Entry& entry_;
  std::string_view key_;
  bool was_searched_ = false;
  std::optional<Extent> written_;
};

// The same for the map that is `map`'s value.
std::vector<base::Edit> insert_map_first(const yaml::Entry& map, std::string_view key, const NewPair& pair);

// Keys as written in their file, including those that are not in the tree.

// The key `key` of the map that has the key at `sibling`, with its colon.
std::optional<Extent> find_written_key(const yaml::Origin& sibling, std::string_view key);

// The value after a colon if it is null in any spelling, or an empty map in brackets: its extent, which is
// empty and right after the colon if nothing is written. nullopt for another value.
std::optional<Extent> empty_value(const base::SourceFile& file, size_t colon_end);

}  // namespace trainjobc::yaml
