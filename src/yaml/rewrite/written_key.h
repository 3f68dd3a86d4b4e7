// Keys as written in their file, those included that the tree does not know.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// Byte offsets of the file's text.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};

// The key `key` of the map that has another one at `sibling`, with the colon.
std::optional<Extent> find_written_key(const yaml::Origin& sibling, std::string_view key);

// The value after a colon if it is null, however that is written, or an empty map in brackets: its own
// extent, or nothing right after the colon. nullopt for another value.
std::optional<Extent> empty_value(const base::SourceFile& file, size_t colon_end);

}  // namespace trainjobc::yaml
