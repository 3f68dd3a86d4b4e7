// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::yaml {
namespace {

bool is_before(const Origin& a, const Origin& b) {
  return a.file() == b.file() && (a.line() != b.line() ? a.line() < b.line() : a.column() < b.column());
}

// The last character that is not a space, even if it belongs to a comment.
char last_of(std::string_view before) {
  const size_t at = before.find_last_not_of(base::kSpace);
  return at != std::string_view::npos ? before[at] : '\0';
}

// Whether only indentation and the dashes of lists come before the key.
bool begins_line(std::string_view before) {
  return before.find_first_not_of(" -") == std::string_view::npos;
}

// The line break of the file's first line.
std::string_view line_break_of(const base::SourceFile& file) {
  const size_t at = file.text().find('\n');
  return at != std::string_view::npos && at > 0 && file.text()[at - 1] == '\r' ? "\r\n" : "\n";
}

// The first entry of the map that is `map`'s value if it has text of its own; else nullptr.
const Entry* first_written(const Entry& map) {
  const auto entries = map.value->entries();
  if (entries.empty()) return nullptr;
  const Origin& at = entries.front().key_origin;
  if (!at.file() || !map.key_origin.file() || !is_before(map.key_origin, at)) return nullptr;
  return at.in_flow() || at.line() != map.key_origin.line() ? &entries.front() : nullptr;
}

}  // namespace

NewPair pair_of(std::string_view key, std::string_view value) {
  return {fmt::format("{}: {}", key, value), fmt::format("\"{}\": \"{}\"", key, value)};
}

std::vector<base::Edit> insert_before(const Entry& entry, const NewPair& pair) {
  const Origin& at = entry.key_origin;
  if (!at.file()) return {};
  const base::SourceFile& file = *at.file();
  const std::string_view before = file.line(at.line()).substr(0, at.column() - 1);
  const base::Location place{&file, at.line(), at.column(), at.line(), at.column()};
  const char first = file.line(at.line()).substr(at.column() - 1).front();
  if (at.in_flow()) {
    const bool is_comment =
        at.line() > 1 && begins_line(before) && file.line(at.line() - 1).find('#') != std::string_view::npos;
    const char last = last_of(file.text().substr(0, at.offset()));
    if (is_comment || (last != '{' && last != ',')) return {};
    return {{place, fmt::format("{}, ", first == '"' ? pair.json : pair.yaml)}};
  }
  if (!begins_line(before) || first == '"' || first == '<') return {};
  return {{place, fmt::format("{}{}{}", pair.yaml, line_break_of(file), std::string(before.size(), ' '))}};
}

std::vector<base::Edit> insert_first(const Entry& map, const NewPair& pair) {
  const Entry* first = first_written(map);
  return first ? insert_before(*first, pair) : std::vector<base::Edit>();
}

std::vector<base::Edit> insert_into(const Node& map, const NewPair& pair) {
  if (map.size() > 0) return insert_before(map.entries().front(), pair);
  const Origin& at = map.origin();
  if (!at.file()) return {};
  const std::string_view line = at.file()->line(at.line());
  if (!line.substr(at.column() - 1).starts_with("{}")) return {};
  const std::string_view key = base::trimmed(line.substr(0, at.column() - 1));
  const bool is_json = key.ends_with("\":");
  return {
      {{at.file(), at.line(), at.column() + 1, at.line(), at.column() + 1}, is_json ? pair.json : pair.yaml}};
}

namespace {

constexpr auto kNone = std::string_view::npos;

bool is_space(std::string_view text, size_t at) {
  return at >= text.size() || base::kSpace.find(text[at]) != kNone;
}

// The key's extent if it is at `at`, plain or in quotes.
std::optional<Extent> key_at(std::string_view text, size_t at, std::string_view key) {
  size_t end = at;
  const char quote = at < text.size() && (text[at] == '"' || text[at] == '\'') ? text[at] : '\0';
  if (quote != '\0') ++end;
  if (!text.substr(std::min(end, text.size())).starts_with(key)) return std::nullopt;
  end += key.size();
  if (quote != '\0' && (end >= text.size() || text[end++] != quote)) return std::nullopt;
  end = std::min(text.find_first_not_of(base::kBlanks, end), text.size());
  if (end >= text.size() || text[end] != ':') return std::nullopt;
  if (quote == '\0' && !is_space(text, end + 1) && kNone == std::string_view(",}]").find(text[end + 1]))
    return std::nullopt;
  return Extent{at, end + 1};
}

// One map in block style: all its keys begin in one column, and their values are further right.
class BlockMap {
 public:
  explicit BlockMap(const Origin& key) : file_(*key.file()), line_(key.line()), column_(key.column() - 1) {}

  std::optional<Extent> find(std::string_view key) const {
    uint32_t first = line_;
    while (first > 1 && !begins_item(first) && !ends_above(first)) --first;
    for (uint32_t line = first; line == first || (line <= file_.line_count() && !is_outside(line)); ++line) {
      const std::string_view before = file_.line(line).substr(0, column_);
      if (before.find_first_not_of(" -") != kNone) continue;
      if (const auto found = key_at(file_.text(), file_.line_start(line) + column_, key)) return found;
    }
    return std::nullopt;
  }

 private:
  // Whether the line is a dash, or several, and the first key of the map.
  bool begins_item(uint32_t line) const {
    const std::string_view before = file_.line(line).substr(0, column_);
    return before.find('-') != kNone && before.find_first_not_of(" -") == kNone;
  }

  bool ends_above(uint32_t line) const { return is_outside(line - 1) && !begins_item(line - 1); }

  // Whether the line is outside the map: its text begins left of the keys, or it begins another document.
  bool is_outside(uint32_t number) const {
    const std::string_view line = file_.line(number);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == kNone || line[first] == '#') return false;
    return first < column_ || line.starts_with("---") || line.starts_with("...");
  }

  const base::SourceFile& file_;
  uint32_t line_;
  size_t column_;
};

// The brace that opens the map around `at`.
size_t opening_brace(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at > 0) {
    const char c = text[--at];
    if (c == '"' || c == '\'') {
      const size_t begin = at > 0 ? text.rfind(c, at - 1) : kNone;
      if (begin == kNone) return kNone;
      at = begin;
    } else if (c == '}' || c == ']') {
      ++depth;
    } else if (c == '{' || c == '[') {
      if (depth == 0) return c == '{' ? at : kNone;
      --depth;
    }
  }
  return kNone;
}

std::optional<Extent> find_in_braces(std::string_view text, size_t sibling, std::string_view key) {
  const size_t brace = opening_brace(text, sibling);
  if (brace == kNone) return std::nullopt;
  size_t depth = 0;
  bool is_key_next = true;
  for (size_t at = brace + 1; at < text.size(); ++at) {
    const char c = text[at];
    if (base::kSpace.find(c) != kNone) continue;
    if (is_key_next && depth == 0) {
      if (const auto found = key_at(text, at, key)) return found;
    }
    is_key_next = c == ',';
    if (c == '"' || c == '\'') at = std::min(closing_quote(text, at), text.size());
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth-- == 0) return std::nullopt;
  }
  return std::nullopt;
}

// The extent of the key `key`, with its colon, in the map that has a key at `sibling`, as written in its
// file: even if it is not in the tree.
std::optional<Extent> find_written_key(const Origin& sibling, std::string_view key) {
  const base::SourceFile& file = *sibling.file();
  if (!sibling.in_flow()) return BlockMap(sibling).find(key);
  return find_in_braces(file.text(), sibling.offset(), key);
}

// The extent of the value after a colon if it is null in any spelling, or an empty map in brackets; empty and
// right after the colon if nothing is written. nullopt for another value.
std::optional<Extent> empty_value(const base::SourceFile& file, size_t colon_end) {
  const std::string_view text = file.text();
  const size_t begin = std::min(text.find_first_not_of(base::kBlanks, colon_end), text.size());
  const auto ends = [&](size_t at) {
    return is_space(text, at) || kNone != std::string_view(",}]").find(text[at]);
  };
  static constexpr std::array<std::string_view, 6> kEmpty{"~", "null", "Null", "NULL", "{}", "{ }"};
  for (const std::string_view word : kEmpty) {
    if (text.substr(begin).starts_with(word) && ends(begin + word.size()))
      return Extent{begin, begin + word.size()};
  }
  const bool is_comment = begin > colon_end && begin < text.size() && text[begin] == '#';
  if (is_comment || ends(begin)) return Extent{colon_end, colon_end};
  return std::nullopt;
}

}  // namespace

std::vector<base::Edit> MapBefore::with(const NewPair& pair) {
  if (!entry_.key_origin.file()) return {};
  const base::SourceFile& file = *entry_.key_origin.file();
  if (!was_searched_) written_ = find_written_key(entry_.key_origin, key_);
  was_searched_ = true;
  if (written_) {
    const auto empty = empty_value(file, written_->end);
    if (!empty) return {};
    const bool is_json = file.text()[written_->begin] == '"';
    return {{location_of(file, *empty), fmt::format("{}{{{}}}", empty->begin == empty->end ? " " : "",
                                                    is_json ? pair.json : pair.yaml)}};
  }
  return insert_before(
      entry_, {fmt::format("{}: {{{}}}", key_, pair.yaml), fmt::format("\"{}\": {{{}}}", key_, pair.json)});
}

std::vector<base::Edit> insert_map_first(const Entry& map, std::string_view key, const NewPair& pair) {
  const Entry* first = first_written(map);
  return first ? MapBefore(*first, key).with(pair) : std::vector<base::Edit>();
}

}  // namespace trainjobc::yaml
