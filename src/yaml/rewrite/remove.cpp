// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::yaml {
namespace {

struct PlacedEntry {
  const Entry* entry = nullptr;
  size_t offset = 0;  // where its key begins
  bool leaves = false;
};

// The entries that are in the file, in the order of the file.
std::vector<PlacedEntry> placed_entries(const Node& map, std::span<const std::string_view> keys) {
  std::vector<PlacedEntry> placed;
  for (const Entry& entry : map.entries()) {
    const Origin& at = entry.key_origin;
    if (!at.file()) continue;
    const bool leaves = base::contains(keys, entry.key);
    placed.push_back({&entry, at.offset(), leaves});
  }
  std::ranges::sort(placed, {}, &PlacedEntry::offset);
  return placed;
}

// Whether they are entries of one map: those of a merge key are in another one.
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

// The line after the last one of the entry or item that begins on `line`, in the column. `has_items`: it is
// an entry whose value is a list, which may begin in its key's column.
uint32_t line_after(const base::SourceFile& file, uint32_t line, size_t column, bool has_items) {
  uint32_t last = line;
  for (uint32_t at = last + 1; at <= file.line_count(); ++at) {
    const std::string_view text = file.line(at);
    if (is_blank(text)) continue;
    const size_t indent = base::indent_of(text);
    const bool is_item = has_items && indent == column && is_dash(text.substr(indent));
    if (indent <= column && !is_item) break;
    last = at;
  }
  return last + 1;
}

// The extent of consecutive entries; `next` is the one after them, nullptr if there is none.
std::optional<Extent> block_extent(const PlacedEntry& first, const PlacedEntry& last,
                                   const PlacedEntry* next) {
  const Origin& at = first.entry->key_origin;
  const base::SourceFile& file = *at.file();
  const size_t line = file.line_start(at.line());
  if (base::indent_of(file.line(at.line())) == at.column() - 1)
    return Extent{line, file.line_start(line_after(file, last.entry->key_origin.line(), at.column() - 1,
                                                   last.entry->value->is_list()))};
  if (!next) return std::nullopt;  // the map begins after a list's dash
  return Extent{first.offset, next->offset};
}

// Maps and lists in brackets.

constexpr auto kNowhere = std::string_view::npos;

char last_before(std::string_view text, size_t at) {
  const size_t found = at == 0 ? kNowhere : text.find_last_not_of(base::kSpace, at - 1);
  return found == kNowhere ? '\0' : text[found];
}

// The comma or bracket that ends the entry with its key at `at`; npos if there is a comment.
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

// The extent of consecutive entries or items, of which the first and the last begin here.
std::optional<Extent> flow_extent(std::string_view text, size_t first, size_t last) {
  const size_t end = end_in_brackets(text, last);
  if (end == kNowhere) return std::nullopt;
  if (text[end] == ',') {
    const size_t next = text.find_first_not_of(base::kSpace, end + 1);
    return next == kNowhere || text[next] == '#' ? std::nullopt : std::optional(Extent{first, next});
  }
  if (last_before(text, first) != ',') return std::nullopt;
  return Extent{text.find_last_not_of(base::kSpace, first - 1),
                text.find_last_not_of(base::kSpace, end - 1) + 1};
}

// Items of lists.

// The extent of items in lines; `first` is where the first one begins, after its dash.
std::optional<Extent> lines_of_items(const Origin& first, const Origin& last) {
  const base::SourceFile& file = *first.file();
  const std::string_view lead = file.line(first.line()).substr(0, first.column() - 1);
  const size_t dash = base::indent_of(lead);
  const bool is_first_in_line =
      dash < lead.size() && lead[dash] == '-' && is_blank(lead.substr(dash + 1)) && dash + 1 < lead.size();
  if (!is_first_in_line) return std::nullopt;
  return Extent{file.line_start(first.line()), file.line_start(line_after(file, last.line(), dash, false))};
}

std::optional<Extent> extent_of_items(const Origin& first, const Origin& last) {
  if (!first.file() || first.file() != last.file() || first.in_flow() != last.in_flow()) return std::nullopt;
  if (!first.in_flow()) return lines_of_items(first, last);
  const std::string_view text = first.file()->text();
  const char before = last_before(text, first.offset());
  if (before != '[' && before != ',') return std::nullopt;  // an anchor or a tag
  return flow_extent(text, first.offset(), last.offset());
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
                            ? flow_extent(placed[i].entry->key_origin.file()->text(), placed[i].offset,
                                          placed[end - 1].offset)
                            : block_extent(placed[i], placed[end - 1], next);
    if (!extent) return {};
    edits.push_back({location_of(*placed[i].entry->key_origin.file(), *extent), ""});
    i = end - 1;
  }
  return edits;
}

std::vector<base::Edit> remove_items(const Node& list, size_t first, size_t count) {
  if (count == 0 || first + count > list.size() || count == list.size()) return {};
  const Origin& at = list.items()[first]->origin();
  const auto extent = extent_of_items(at, list.items()[first + count - 1]->origin());
  if (!extent) return {};
  return {{location_of(*at.file(), *extent), ""}};
}

namespace {

const Node* value_at(const Node& node, const Step& step) {
  if (const auto* key = std::get_if<std::string_view>(&step)) return node.get(*key);
  const size_t index = std::get<size_t>(step);
  return node.is_list() && index < node.size() ? node.items()[index] : nullptr;
}

// Whether the file shows anything else in the map or list.
bool has_others(const Node& node, const Step& step) {
  if (node.is_list()) return node.size() > 1;
  const std::array keys{std::get<std::string_view>(step)};
  return !std::ranges::all_of(placed_entries(node, keys), &PlacedEntry::leaves);
}

}  // namespace

std::vector<base::Edit> remove_at(const Node& root, std::span<const Step> path) {
  std::vector<const Node*> nodes{&root};
  for (const Step& step : path) {
    nodes.push_back(value_at(*nodes.back(), step));
    if (!nodes.back()) return {};
  }
  for (size_t i = path.size(); i-- > 0;) {
    if (!has_others(*nodes[i], path[i])) continue;
    if (nodes[i]->is_list()) return remove_items(*nodes[i], std::get<size_t>(path[i]));
    const std::array keys{std::get<std::string_view>(path[i])};
    return remove_entries(*nodes[i], keys);
  }
  return {};
}

std::vector<base::Edit> remove_at(const Node& root, std::initializer_list<Step> path) {
  return remove_at(root, std::span(path.begin(), path.size()));
}

}  // namespace trainjobc::yaml
