// SPDX-License-Identifier: Apache-2.0

// Edits of text that remove entries and items.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// The edits that remove these keys and their values from the map, as it is written in its file; comments
// above them stay. Empty if the map would be empty, or if its text doesn't show where they end: an alias, a
// merge key.
std::vector<base::Edit> remove_entries(const Node& map, std::span<const std::string_view> keys);

// The same for items of a list, `count` from `first` on. Empty if the list would be empty.
std::vector<base::Edit> remove_items(const Node& list, size_t first, size_t count = 1);

// From a value to one inside it: a key, or the index of an item.
using Step = std::variant<std::string_view, size_t>;

// The edits that remove the value at the end of the path, and with it the maps and lists that have nothing
// else; `root` stays. Empty as above, and if there is no such value.
std::vector<base::Edit> remove_at(const Node& root, std::span<const Step> path);
std::vector<base::Edit> remove_at(const Node& root, std::initializer_list<Step> path);

}  // namespace trainjobc::yaml
