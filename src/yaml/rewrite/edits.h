// SPDX-License-Identifier: Apache-2.0

// Edits of text that insert, remove and replace parts of documents.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

// A pair to insert: as YAML that is also valid inside brackets, and as JSON for maps with quoted keys.
struct NewPair {
  std::string yaml;  // limits: {nvidia.com/gpu: 4}
  std::string json;  // "limits": {"nvidia.com/gpu": 4}
};
// With a string that needs no quotes in YAML.
NewPair pair_of(std::string_view key, std::string_view value);

// The edit that inserts the pair at the beginning of the map that is `map`'s value. Empty if that map has no
// text of its own (it is empty, or an alias) or begins with a merge key.
std::vector<base::Edit> insert_first(const Entry& map, const NewPair& pair);

// The same, but before an entry of a map.
std::vector<base::Edit> insert_before(const Entry& entry, const NewPair& pair);

// The same for a map that may be empty: {}.
std::vector<base::Edit> insert_into(const Node& map, const NewPair& pair);

// The edits that add a map `key` with a pair before `entry`, each for another pair. If the file already
// contains an empty `key`, which the tree may not show since null values are dropped, that one is filled.
// Looks for the key once.
class MapBefore {
 public:
  // Both must outlive it.
  MapBefore(const Entry& entry, std::string_view key) : entry_(entry), key_(key) {}

  std::vector<base::Edit> with(const NewPair& pair);

 private:
  const Entry& entry_;
  std::string_view key_;
  bool was_searched_ = false;
  std::optional<Extent> written_;
};

// The same for the map that is `map`'s value.
std::vector<base::Edit> insert_map_first(const Entry& map, std::string_view key, const NewPair& pair);

// Edits of text that remove entries and items.

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

// Edits of text that replace what is written by what was meant. Each function returns no edits if the file
// does not show the value plainly: it is computed, an alias, or spread over several lines.

// The place of the scalar, if the file shows all of it there, on one line and without a tag.
std::optional<base::Location> written_scalar(const Node& scalar);

// Where the parts of a string are written: in a plain or quoted scalar on one line, and in the lines of a
// block scalar, literal or folded.
class WrittenText {
 public:
  explicit WrittenText(const Node& scalar);

  // The place of `length` bytes of the value, or of those up to the end of their line; nullopt if the file
  // does not show them as they are.
  std::optional<base::Location> place_of(size_t begin, size_t length) const;
  // The same, or else the place of the whole scalar.
  base::Location place_or_all(size_t begin, size_t length) const;
  // The edit that replaces them by a text that needs no quotes. Empty if they are not on one line.
  std::vector<base::Edit> replace(size_t begin, size_t length, std::string_view by) const;

 private:
  // Bytes of the value that are the same bytes of a line of the file.
  struct Segment {
    size_t begin = 0;
    size_t length = 0;
    uint32_t line = 0;
    uint32_t column = 0;
  };

  void read_line(const base::Location& at);
  void read_block(const base::Location& header);

  const Node& scalar_;
  const base::SourceFile* file_ = nullptr;
  std::vector<Segment> segments_;
};

// A string as it can be written anywhere, also in brackets: without quotes if that is clear. `as_json`: with
// quotes.
std::string inline_text(std::string_view value, bool as_json);

// Whether what the file shows at that place is JSON, whose strings and keys have quotes.
bool is_json_at(const base::Location& place);

// The scalar replaced by `text` as it is.
std::vector<base::Edit> replace_scalar(const Node& scalar, std::string text);
// The scalar replaced by another string, in the quotes that it has.
std::vector<base::Edit> replace_text(const Node& scalar, std::string_view value);
// The same for a script, by one with as many lines: in a literal block, each line that differs is replaced.
std::vector<base::Edit> replace_script(const Node& scalar, std::string_view script);
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
