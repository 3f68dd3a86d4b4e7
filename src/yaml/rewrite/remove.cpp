// SPDX-License-Identifier: Apache-2.0

#include "yaml/rewrite/remove.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "yaml/rewrite/insert.h"

namespace trainjobc::yaml {
namespace {

struct PlacedEntry {
  const Entry* entry = nullptr;
  size_t offset = 0;  // of its key
  bool leaves = false;
};

// The entries that are in the file, in the order of the file.
std::vector<PlacedEntry> placed_entries(const Node& map, std::span<const std::string_view> keys) {
  std::vector<PlacedEntry> placed;
  for (const Entry& entry : map.entries()) {
    const Origin& at = entry.key_origin;
    if (!at.file()) continue;
    const bool leaves = std::ranges::find(keys, entry.key) != keys.end();
    placed.push_back({&entry, at.file()->line_start(at.line()) + at.column() - 1, leaves});
  }
  std::ranges::sort(placed, {}, &PlacedEntry::offset);
  return placed;
}

// Whether they are the entries of one map: a merge key has others.
bool are_together(const std::vector<PlacedEntry>& placed) {
  const Origin& first = placed.front().entry->key_origin;
  return std::ranges::all_of(placed, [&](const PlacedEntry& one) {
    const Origin& at = one.entry->key_origin;
    return at.file() == first.file() && at.in_flow() == first.in_flow() &&
           (at.in_flow() || at.column() == first.column());
  });
}

// Maps in block style.

bool is_blank(std::string_view line) {
  return line.find_first_not_of(base::kSpace) == std::string_view::npos;
}

bool is_dash(std::string_view text) {
  return text.starts_with('-') && (text.size() == 1 || base::kSpace.find(text[1]) != std::string_view::npos);
}

// The line after the last one of the entry. The items of a list may begin in its key's column.
uint32_t line_after(const base::SourceFile& file, const Entry& entry) {
  const size_t column = entry.key_origin.column() - 1;
  uint32_t last = entry.key_origin.line();
  for (uint32_t at = last + 1; at <= file.line_count(); ++at) {
    const std::string_view line = file.line(at);
    if (is_blank(line)) continue;
    const size_t indent = base::indent_of(line);
    const bool is_item = entry.value->is_list() && indent == column && is_dash(line.substr(indent));
    if (indent <= column && !is_item) break;
    last = at;
  }
  return last + 1;
}

// Of entries that follow one another; `next` is the one after them, nullptr if there is none.
std::optional<Extent> block_extent(const PlacedEntry& first, const PlacedEntry& last,
                                   const PlacedEntry* next) {
  const Origin& at = first.entry->key_origin;
  const base::SourceFile& file = *at.file();
  const size_t line = file.line_start(at.line());
  if (base::indent_of(file.line(at.line())) == at.column() - 1)
    return Extent{line, file.line_start(line_after(file, *last.entry))};
  if (!next) return std::nullopt;  // after a list's dash
  return Extent{first.offset, next->offset};
}

// Maps in brackets.

constexpr auto kNowhere = std::string_view::npos;

// The closing quote of the text whose opening quote is at `at`.
size_t closing_quote(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || !text.substr(at + 1).starts_with(quote)) return at;
      ++at;
    }
  }
  return kNowhere;
}

char last_before(std::string_view text, size_t at) {
  const size_t found = at == 0 ? kNowhere : text.find_last_not_of(base::kSpace, at - 1);
  return found == kNowhere ? '\0' : text[found];
}

// The comma or bracket that ends the entry with its key at `at`; nowhere if there is a comment.
size_t end_in_brackets(std::string_view text, size_t at) {
  constexpr std::string_view kBeforeValue = "{[,:";
  size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_quote = c == '"' || c == '\'';
    if (is_quote && kBeforeValue.find(last_before(text, at)) != kNowhere) {
      at = closing_quote(text, at);
      if (at == kNowhere) return kNowhere;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return at;
    } else if (c == ',' && depth == 0) {
      return at;
    } else if (c == '#') {
      return kNowhere;
    }
  }
  return kNowhere;
}

std::optional<Extent> flow_extent(const PlacedEntry& first, const PlacedEntry& last) {
  const std::string_view text = first.entry->key_origin.file()->text();
  const size_t end = end_in_brackets(text, last.offset);
  if (end == kNowhere) return std::nullopt;
  if (text[end] == ',') {
    const size_t next = text.find_first_not_of(base::kSpace, end + 1);
    return next == kNowhere || text[next] == '#' ? std::nullopt : std::optional(Extent{first.offset, next});
  }
  if (last_before(text, first.offset) != ',') return std::nullopt;
  return Extent{text.find_last_not_of(base::kSpace, first.offset - 1),
                text.find_last_not_of(base::kSpace, end - 1) + 1};
}

base::Location to_location(const base::SourceFile& file, Extent extent) {
  const auto column = [&](size_t offset) {
    return static_cast<uint32_t>(offset - file.line_start(file.line_at(offset)) + 1);
  };
  return {&file, file.line_at(extent.begin), column(extent.begin), file.line_at(extent.end),
          column(extent.end)};
}

}  // namespace

std::vector<base::Edit> remove_entries(const Node& map, std::span<const std::string_view> keys) {
  const std::vector<PlacedEntry> placed = placed_entries(map, keys);
  if (placed.empty() || !are_together(placed) || std::ranges::all_of(placed, &PlacedEntry::leaves)) return {};
  std::vector<base::Edit> edits;
  for (size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i].leaves) continue;
    size_t end = i + 1;
    while (end < placed.size() && placed[end].leaves) ++end;
    const PlacedEntry* next = end < placed.size() ? &placed[end] : nullptr;
    const auto extent = placed[i].entry->key_origin.in_flow()
                            ? flow_extent(placed[i], placed[end - 1])
                            : block_extent(placed[i], placed[end - 1], next);
    if (!extent) return {};
    edits.push_back({to_location(*placed[i].entry->key_origin.file(), *extent), ""});
    i = end - 1;
  }
  return edits;
}

}  // namespace trainjobc::yaml
