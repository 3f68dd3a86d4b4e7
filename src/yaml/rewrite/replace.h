// SPDX-License-Identifier: Apache-2.0

// Edits of text that replace what is written by what was meant. Each function returns no edits if the file
// does not show the value plainly: it is computed, an alias, or spread over several lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// The place of the scalar, if the file shows all of it there, on one line and without a tag.
std::optional<base::Location> written_scalar(const Node& scalar);

// A string as it can be written anywhere, also in brackets: without quotes if that is clear. `as_json`: with
// quotes.
std::string inline_text(std::string_view value, bool as_json);

// Whether what the file shows at that place is JSON, whose strings and keys have quotes.
bool is_json_at(const base::Location& place);

// The scalar replaced by `text` as it is.
std::vector<base::Edit> replace_scalar(const Node& scalar, std::string text);
// The scalar replaced by another string, in the quotes that it has.
std::vector<base::Edit> replace_text(const Node& scalar, std::string_view value);
// The item of a list replaced by several, each of which is a word.
std::vector<base::Edit> split_item(const Node& item, const std::vector<std::string>& words);
// The entry under another key, in the quotes that it has.
std::vector<base::Edit> rename_key(const Entry& entry, std::string_view key);

// What the two parts of an entry are called when it is written as a map of its own.
struct PairKeys {
  std::string_view key;    // "name"
  std::string_view value;  // "value"
};

// {A: b, C: 4} as a list of maps: [{name: A, value: b}, {name: C, value: "4"}]. In lines or in brackets, as
// it was; values become strings. For values that are scalars.
std::vector<base::Edit> entries_to_pairs(const Node& map, const PairKeys& keys);
// The only entry of a map, {A: b}, as {name: A, value: b}.
std::vector<base::Edit> entry_to_pair(const Node& map, const PairKeys& keys);
// A map in lines as the only element of a list.
std::vector<base::Edit> map_to_element(const Node& map);
// A list in lines with one map as that map.
std::vector<base::Edit> element_to_map(const Node& list);
// `- a: b`, a map of one entry in a line, as the text "a: b".
std::vector<base::Edit> pair_to_text(const Node& map);

}  // namespace trainjobc::yaml
