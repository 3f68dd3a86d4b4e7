// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "yaml/rewrite/edits.h"
#include "yaml/scalar.h"
#include "yaml/write/writer.h"

namespace trainjobc::yaml {
namespace {

using base::Edit;
using base::Location;
using Edits = std::vector<Edit>;

std::string_view text_at_place(const Location& at) {
  return at.file->line(at.line).substr(at.column - 1, at.end_column - at.column);
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// Whether the token's text, which is not empty, is the whole scalar.
bool shows(std::string_view text, const Node& scalar) {
  if (is_quote(text.front())) return text.size() > 1 && text.back() == text.front();
  if (std::string_view("|>&*!%@`[]{},?").find(text.front()) != std::string_view::npos) return false;
  return !scalar.is_string() || text == scalar.text();
}

// The place of a key if the file shows it on one line.
std::optional<Location> written_key(const Entry& entry) {
  if (!entry.key_origin.file()) return std::nullopt;
  const Location at = locate_key(entry);
  if (at.line != at.end_line) return std::nullopt;
  const std::string_view text = text_at_place(at);
  const bool is_whole =
      !text.empty() &&
      (is_quote(text.front()) ? text.back() == text.front() && text.size() > 1 : text == entry.key);
  return is_whole ? std::optional(at) : std::nullopt;
}

Location from_to(const Location& begin, const Location& end) {
  return {begin.file, begin.end_line, begin.end_column, end.line, end.column};
}

// An empty range just before the place.
Location before(const Location& at) {
  return {at.file, at.line, at.column, at.line, at.column};
}

Location after(const Location& at) {
  return {at.file, at.end_line, at.end_column, at.end_line, at.end_column};
}

std::string_view line_end_in(const base::SourceFile& file) {
  return file.text().find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
}

// The value in the quotes of `old`; without quotes if it is clear without them.
std::string in_quotes_of(std::string_view old, std::string_view value) {
  if (old.starts_with('"')) return inline_text(value, true);
  if (old.starts_with('\'') && value.find_first_of("'\n") == std::string_view::npos)
    return fmt::format("'{}'", value);
  return inline_text(value, false);
}

// The colon after a key and the blanks around it, up to the beginning of the value.
std::optional<Location> colon_after(const Location& key) {
  const std::string_view line = key.file->line(key.line);
  size_t at = key.end_column - 1;
  while (at < line.size() && base::is_blank(line[at])) ++at;
  if (at >= line.size() || line[at] != ':') return std::nullopt;
  Location colon = after(key);
  colon.end_column = static_cast<uint32_t>(at + 2);
  return colon;
}

// An entry whose value is a scalar, to be written as two.
struct WrittenPair {
  Location key;
  Location colon;  // with the blanks up to the value
  Location value;  // empty if nothing is written
  bool needs_quotes = false;
};

std::optional<WrittenPair> written_pair(const Entry& entry) {
  const auto key = written_key(entry);
  const auto colon = key ? colon_after(*key) : std::nullopt;
  if (!colon || !entry.value->is_scalar()) return std::nullopt;
  WrittenPair pair{*key, *colon, after(*colon), true};
  if (!entry.value->is_null()) {
    const auto value = written_scalar(*entry.value);
    if (!value || value->line != key->line) return std::nullopt;
    pair.colon = from_to(*key, *value);
    pair.value = *value;
    pair.needs_quotes = !entry.value->is_string();
  } else if (const Location at = locate(*entry.value);
             at.line == key->line && at.column > colon->end_column) {
    return std::nullopt;  // null or ~
  }
  return pair;
}

// Writes an entry as the two entries of a map. Its value stays as it is written; a string at most gets
// quotes.
void write_pair(const WrittenPair& pair, const PairKeys& keys, bool in_flow, std::string_view lead,
                std::string_view tail, Edits& edits) {
  const bool as_json = in_flow && is_json_at(pair.key);
  const auto key = [&](std::string_view name) { return inline_text(name, as_json); };
  const std::string between = in_flow ? ", "
                                      : fmt::format("{}{}", line_end_in(*pair.key.file),
                                                    std::string(pair.key.column - 1 + lead.size(), ' '));
  edits.push_back({before(pair.key), fmt::format("{}{}: ", lead, key(keys.key))});
  const std::string_view quote = pair.needs_quotes ? "\"" : "";
  edits.push_back({pair.colon, fmt::format("{}{}: {}", between, key(keys.value), quote)});
  if (pair.needs_quotes || !tail.empty())
    edits.push_back({after(pair.value), fmt::format("{}{}", quote, tail)});
}

// Whether every reader takes the text without quotes for this string, wherever it is written.
bool is_clear(std::string_view value) {
  const auto is_plain = [](char c) {
    return base::is_alnum(c) || std::string_view("_./-").find(c) != std::string_view::npos;
  };
  return !value.empty() && value.front() != '-' && std::ranges::all_of(value, is_plain) &&
         !is_ambiguous_plain(value);
}

bool stands_first(const Location& at) {
  return at.file->line(at.line).substr(0, at.column - 1).find_first_not_of(' ') == std::string_view::npos;
}

// The bracket that opens a map at its own place, and the one that closes it after the last value.
std::optional<std::pair<Location, Location>> braces_of(const Node& map, const Location& last) {
  const Location open = locate(map);
  if (text_at_place(open) != "{") return std::nullopt;
  const base::SourceFile& file = *last.file;
  const std::string_view text = file.text();
  size_t at = file.line_start(last.end_line) + last.end_column - 1;
  while (at < text.size() && (base::kSpace.find(text[at]) != std::string_view::npos || text[at] == ',')) ++at;
  if (at >= text.size() || text[at] != '}') return std::nullopt;
  return std::pair(open, location_of(file, {at, at + 1}));
}

}  // namespace

std::optional<Location> written_scalar(const Node& scalar) {
  if (!scalar.is_scalar() || !scalar.origin().file()) return std::nullopt;
  const Location at = locate(scalar);
  if (at.line != at.end_line) return std::nullopt;
  const std::string_view text = text_at_place(at);
  return !text.empty() && shows(text, scalar) ? std::optional(at) : std::nullopt;
}

WrittenText::WrittenText(const Node& scalar) : scalar_(scalar) {
  if (!scalar.is_string() || !scalar.origin().file()) return;
  const Location at = locate(scalar);
  file_ = at.file;
  if (const auto written = written_scalar(scalar)) {
    read_line(*written);
  } else if (const std::string_view rest = at.file->line(at.line).substr(at.column - 1);
             rest.starts_with('|') || rest.starts_with('>')) {
    read_block(at);
  }
}

// An escape ends a segment. After one that stands for something other than its last character, the positions
// are unknown.
void WrittenText::read_line(const Location& at) {
  std::string_view text = text_at_place(at);
  uint32_t column = at.column;
  const char quote = is_quote(text.front()) ? text.front() : '\0';
  if (quote != 0) text = text.substr(1, text.size() - 2), ++column;
  const std::string_view value = scalar_.text();
  const char escape = quote == '"' ? '\\' : '\'';
  size_t begin = 0;
  size_t from = 0;
  size_t end = quote == 0 ? text.size() : std::min(text.find(escape), text.size());
  while (true) {
    const std::string_view same = text.substr(from, end - from);
    if (!value.substr(begin).starts_with(same)) return;
    if (!same.empty())
      segments_.push_back({begin, same.size(), at.line, static_cast<uint32_t>(column + from)});
    begin += same.size();
    if (end == text.size()) return;
    from = end + 1;  // skips the escaped character
    end = std::min(text.find(escape, from + 1), text.size());
  }
}

void WrittenText::read_block(const Location& header) {
  const std::string_view value = scalar_.text();
  std::optional<size_t> indent;
  size_t begin = 0;
  for (uint32_t line = header.line + 1; line <= file_->line_count() && begin < value.size(); ++line) {
    const std::string_view shown = file_->line(line);
    const size_t blanks = shown.find_first_not_of(' ');
    while (begin < value.size() && value[begin] == '\n') ++begin;
    if (blanks == std::string_view::npos && shown.size() <= indent.value_or(shown.size())) continue;
    if (!indent) {
      const size_t kept =
          value.find_first_not_of(' ', begin) - begin;  // in a block with an indentation indicator
      if (blanks == std::string_view::npos || blanks < kept) return;
      indent = blanks - kept;
    }
    if (shown.size() < *indent || !value.substr(begin).starts_with(shown.substr(*indent))) return;
    segments_.push_back({begin, shown.size() - *indent, line, static_cast<uint32_t>(*indent + 1)});
    begin += segments_.back().length;
    if (begin < value.size() && value[begin] == ' ') ++begin;  // a folded line break
  }
}

std::optional<Location> WrittenText::place_of(size_t begin, size_t length) const {
  auto segment = std::ranges::upper_bound(segments_, begin, {}, &Segment::begin);
  if (segment == segments_.begin()) return std::nullopt;
  --segment;
  if (begin >= segment->begin + segment->length) return std::nullopt;
  const auto column = static_cast<uint32_t>(segment->column + (begin - segment->begin));
  const auto shown = static_cast<uint32_t>(std::min(length, segment->begin + segment->length - begin));
  return Location{file_, segment->line, column, segment->line, column + shown};
}

Location WrittenText::place_or_all(size_t begin, size_t length) const {
  return place_of(begin, length).value_or(locate(scalar_));
}

Edits WrittenText::replace(size_t begin, size_t length, std::string_view by) const {
  const auto at = place_of(begin, length);
  if (!at || at->end_column - at->column != length) return {};
  return {{*at, std::string(by)}};
}

std::string inline_text(std::string_view value, bool as_json) {
  if (is_clear(value) && !as_json) return std::string(value);
  std::string text;
  write_json_string(value, text);
  return text;
}

bool is_json_at(const Location& place) {
  return text_at_place(place).starts_with('"');
}

Edits replace_scalar(const Node& scalar, std::string text) {
  const auto at = written_scalar(scalar);
  return at ? Edits{{*at, std::move(text)}} : Edits();
}

Edits replace_text(const Node& scalar, std::string_view value) {
  const auto at = written_scalar(scalar);
  return at ? Edits{{*at, in_quotes_of(text_at_place(*at), value)}} : Edits();
}

Edits replace_script(const Node& scalar, std::string_view script) {
  Edits edits = replace_text(scalar, script);
  if (!edits.empty() || !scalar.origin().file()) return edits;
  const Location at = locate(scalar);
  if (!at.file->line(at.line).substr(at.column - 1).starts_with('|')) return {};
  const WrittenText written(scalar);
  const base::Lines lines(script);
  auto now = lines.begin();
  size_t begin = 0;
  for (const std::string_view was : base::Lines(scalar.text())) {
    if (now == lines.end()) return {};
    if (was != *now) {
      const Edits changed = written.replace(begin, was.size(), *now);
      if (changed.empty()) return {};
      edits.push_back(changed.front());
    }
    begin += was.size() + 1;
    ++now;
  }
  return edits;
}

Edits split_item(const Node& item, const std::vector<std::string>& words) {
  const auto at = written_scalar(item);
  if (!at) return {};
  const std::string_view lead = at->file->line(at->line).substr(0, at->column - 1);
  const bool in_flow = item.origin().in_flow();
  if (!in_flow &&
      (lead.find_first_not_of(" -") != std::string_view::npos || std::ranges::count(lead, '-') != 1))
    return {};
  const std::string between = in_flow ? ", " : fmt::format("{}{}", line_end_in(*at->file), lead);
  std::string text;
  const bool as_json = is_json_at(*at);
  for (const std::string& word : words) text += (text.empty() ? "" : between) + inline_text(word, as_json);
  return {{*at, std::move(text)}};
}

Edits rename_key(const Entry& entry, std::string_view key) {
  const auto at = written_key(entry);
  return at ? Edits{{*at, in_quotes_of(text_at_place(*at), key)}} : Edits();
}

Edits entries_to_pairs(const Node& map, const PairKeys& keys) {
  Edits edits;
  std::optional<WrittenPair> last;
  bool in_flow = false;
  for (const Entry& entry : map.entries()) {
    const auto pair = written_pair(entry);
    if (!pair) return {};
    in_flow = entry.key_origin.in_flow();
    if (in_flow) {
      write_pair(*pair, keys, true, "{", "}", edits);
    } else {
      if (!stands_first(pair->key)) return {};
      write_pair(*pair, keys, false, "- ", "", edits);
    }
    last = pair;
  }
  if (!last || !in_flow) return edits;
  const auto braces = braces_of(map, last->value);
  if (!braces) return {};
  edits.push_back({braces->first, "["});
  edits.push_back({braces->second, "]"});
  return edits;
}

Edits entry_to_pair(const Node& map, const PairKeys& keys) {
  if (map.size() != 1) return {};
  const Entry& entry = map.entries().front();
  const auto pair = written_pair(entry);
  Edits edits;
  if (pair) write_pair(*pair, keys, entry.key_origin.in_flow(), "", "", edits);
  return edits;
}

Edits map_to_element(const Node& map) {
  if (map.size() == 0 || map.entries().front().key_origin.in_flow()) return {};
  const auto first = written_key(map.entries().front());
  if (!first || !stands_first(*first)) return {};
  const base::SourceFile& file = *first->file;
  const size_t indent = first->column - 1;
  Edits edits{{before(*first), "- "}};
  for (uint32_t line = first->line + 1; line <= file.line_count(); ++line) {
    const std::string_view text = file.line(line);
    const size_t begin = text.find_first_not_of(" \r");
    if (begin == std::string_view::npos) continue;
    if (begin < indent && text[begin] == '#') continue;
    if (begin < indent || text.starts_with("---") || text.starts_with("...")) break;
    edits.push_back({{&file, line, 1, line, 1}, "  "});
  }
  return edits;
}

Edits element_to_map(const Node& list) {
  const Node* map = list.size() == 1 ? list.items().front() : nullptr;
  if (!map || map->size() == 0 || map->entries().front().key_origin.in_flow()) return {};
  const auto first = written_key(map->entries().front());
  if (!first) return {};
  const std::string_view lead = first->file->line(first->line).substr(0, first->column - 1);
  const size_t dash = lead.find_first_not_of(' ');
  if (dash == std::string_view::npos || lead[dash] != '-' ||
      lead.find_first_not_of(' ', dash + 1) != std::string_view::npos)
    return {};
  const auto column = static_cast<uint32_t>(dash + 1);
  return {{{first->file, first->line, column, first->line, column + 1}, " "}};
}

Edits pair_to_text(const Node& map) {
  if (map.size() != 1) return {};
  const Entry& entry = map.entries().front();
  const auto pair = written_pair(entry);
  // A map in braces is intentional.
  if (!pair || text_at_place(locate(map)).starts_with('{')) return {};
  const Location all{pair->key.file, pair->key.line, pair->key.column, pair->value.end_line,
                     pair->value.end_column};
  std::string text;
  write_json_string(base::trimmed(text_at_place(all), base::kBlanks), text);
  return {{all, std::move(text)}};
}

}  // namespace trainjobc::yaml
