// SPDX-License-Identifier: Apache-2.0

// Edits of text that remove entries.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// The edits that remove these keys and their values from the map, as it is written in its file; comments
// above them stay. Empty if the map would be empty, or if its text doesn't show where they end: an alias, a
// merge key.
std::vector<base::Edit> remove_entries(const Node& map, std::span<const std::string_view> keys);

}  // namespace trainjobc::yaml
