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
// A pair whose value is a string that needs no quotes in YAML.
NewPair pair_of(std::string_view key, std::string_view value);

// Inserts the pair at the beginning of the map that is `map`'s value. No edits if that map has no text of its
// own (it is empty, or an alias) or begins with a merge key.
std::vector<base::Edit> insert_first(const Entry& map, const NewPair& pair);

// Inserts the pair before an entry of a map.
std::vector<base::Edit> insert_before(const Entry& entry, const NewPair& pair);

// Inserts the pair into a map that may be empty: {}.
std::vector<base::Edit> insert_into(const Node& map, const NewPair& pair);

// Adds a map `key` before `entry`, with a pair in it. If the file already contains an empty `key`, which the
// tree may not show since null values are dropped, fills that one. with() may be called for many pairs; the
// key is looked for once.
class MapBefore {
 public:
  // Both must outlive this object.
  MapBefore(const Entry& entry, std::string_view key) : entry_(entry), key_(key) {}

  std::vector<base::Edit> with(const NewPair& pair);

 private:
  const Entry& entry_;
  std::string_view key_;
  bool was_searched_ = false;
  std::optional<Extent> written_;
};

// Adds a map `key` with a pair at the beginning of the map that is `map`'s value.
std::vector<base::Edit> insert_map_first(const Entry& map, std::string_view key, const NewPair& pair);

// Edits of text that remove entries and items.

// Removes these keys and their values from the map, as it is written in its file; comments above them stay.
// No edits if the map would be empty, or if its text doesn't show where they end: an alias, a merge key.
std::vector<base::Edit> remove_entries(const Node& map, std::span<const std::string_view> keys);

// Removes `count` items of a list from `first` on. No edits if the list would be empty.
std::vector<base::Edit> remove_items(const Node& list, size_t first, size_t count = 1);

// A step from a value to one inside it: a key, or the index of an item.
using Step = std::variant<std::string_view, size_t>;

// Removes the value at the end of the path, and with it the maps and lists that contain nothing else; `root`
// stays. No edits in the same cases as above, or if there is no such value.
std::vector<base::Edit> remove_at(const Node& root, std::span<const Step> path);
std::vector<base::Edit> remove_at(const Node& root, std::initializer_list<Step> path);

// Edits of text that replace what is written by what was meant. Each function returns no edits if the file
// does not show the value plainly: it is computed, an alias, or spread over several lines.

// The place of the scalar if the file shows all of it there, on one line and without a tag.
std::optional<base::Location> written_scalar(const Node& scalar);

// Where the parts of a string are written: in a plain or quoted scalar on one line, and in the lines of a
// block scalar, literal or folded.
class WrittenText {
 public:
  explicit WrittenText(const Node& scalar);

  // The place of `length` bytes of the value, or of those up to the end of their line; nullopt if the file
  // does not show them as they are.
  std::optional<base::Location> place_of(size_t begin, size_t length) const;
  // Like place_of, but falls back to the place of the whole scalar.
  base::Location place_or_all(size_t begin, size_t length) const;
  // Replaces those bytes by a text that needs no quotes. No edits if they are not on one line.
  std::vector<base::Edit> replace(size_t begin, size_t length, std::string_view by) const;

 private:
  // Bytes of the value that equal bytes of a line of the file.
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

// A string as it can be written anywhere, even in brackets: without quotes if it is clear without them.
// `as_json`: always with quotes.
std::string inline_text(std::string_view value, bool as_json);

// Whether the file shows JSON at that place, whose strings and keys have quotes.
bool is_json_at(const base::Location& place);

// Replaces the scalar by `text` as it is.
std::vector<base::Edit> replace_scalar(const Node& scalar, std::string text);
// Replaces the scalar by another string, in the same quotes.
std::vector<base::Edit> replace_text(const Node& scalar, std::string_view value);
// Replaces a script by one with as many lines; in a literal block, only the lines that differ.
std::vector<base::Edit> replace_script(const Node& scalar, std::string_view script);
// Replaces a list's item by several, one per word.
std::vector<base::Edit> split_item(const Node& item, const std::vector<std::string>& words);
// Renames the entry's key, in the same quotes.
std::vector<base::Edit> rename_key(const Entry& entry, std::string_view key);

// The keys of the two parts of an entry when it is written as a map of its own.
struct PairKeys {
  std::string_view key;    // "name"
  std::string_view value;  // "value"
};

// Turns {A: b, C: 4} into a list of maps: [{name: A, value: b}, {name: C, value: "4"}], in lines or in
// brackets, as it was. The values must be scalars, and become strings.
std::vector<base::Edit> entries_to_pairs(const Node& map, const PairKeys& keys);
// Turns a map with one entry, {A: b}, into {name: A, value: b}.
std::vector<base::Edit> entry_to_pair(const Node& map, const PairKeys& keys);
// Makes a map that is written in lines the only element of a list.
std::vector<base::Edit> map_to_element(const Node& map);
// Turns a list in lines with one map into that map.
std::vector<base::Edit> element_to_map(const Node& list);
// Turns `- a: b`, a map with one entry on one line, into the text "a: b".
std::vector<base::Edit> pair_to_text(const Node& map);

}  // namespace trainjobc::yaml
