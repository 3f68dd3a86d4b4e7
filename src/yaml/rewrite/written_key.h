// SPDX-License-Identifier: Apache-2.0

// Keys as written in their file, including those that are not in the tree.
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

// The key `key` of the map that has the key at `sibling`, with its colon.
std::optional<Extent> find_written_key(const yaml::Origin& sibling, std::string_view key);

// The value after a colon if it is null in any spelling, or an empty map in brackets: its extent, which is
// empty and right after the colon if nothing is written. nullopt for another value.
std::optional<Extent> empty_value(const base::SourceFile& file, size_t colon_end);

}  // namespace trainjobc::yaml
