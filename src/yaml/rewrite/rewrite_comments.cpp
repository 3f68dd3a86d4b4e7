// SPDX-License-Identifier: Apache-2.0

// Comments, and the text that is kept.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"
#include "yaml/rewrite/rewriter.h"

namespace trainjobc::yaml {

std::string_view Rewriter::use(size_t begin, size_t end) {
  used_.push_back({begin, end});
  return index_.slice(begin, end);
}

std::map<size_t, Comment> Rewriter::unused_comments() {
  std::map<size_t, Comment> unused;
  std::ranges::sort(used_, {}, &Range::begin);
  auto next = used_.begin();
  size_t used_to = 0;
  for (const Comment& comment : index_.comments(root_)) {
    for (; next != used_.end() && next->begin <= comment.begin; ++next)
      used_to = std::max(used_to, next->end);
    if (comment.end > used_to) unused.emplace(comment.begin, comment);
  }
  return unused;
}

std::string Rewriter::shifted(std::string_view text, size_t from, size_t to) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line = text.substr(at, end - at);
    if (at > 0) {
      const size_t spaces = std::min(line.find_first_not_of(' '), line.size());
      const bool is_blank = line.find_first_not_of(" \r\n") == std::string_view::npos;
      if (to > from && !is_blank) out.append(to - from, ' ');
      if (to < from) line.remove_prefix(std::min(spaces, from - to));
    }
    out += line;
    at = end;
  }
  return out;
}

std::string Rewriter::gap(size_t end, const Syntax& child, size_t indent) {
  if (child.lead == root_.begin || !index_.begins_line(child.lead)) return "";
  if (!taken_gaps_.insert(child.lead).second) return "";
  const size_t stop = index_.line_start(child.lead);
  const size_t start = std::min(index_.gap_start(end, child.lead), stop);
  const std::string_view lines = use(start, stop);
  const size_t from = index_.column(child.lead);
  if (from == indent || lines.empty()) return std::string(lines);
  const std::string moved = shifted(fmt::format("\n{}", lines), from, indent).substr(1);
  return moved.substr(std::min(moved.find_first_not_of("\r\n"), moved.size()));
}

size_t Rewriter::end_before(const Syntax& collection, size_t child) const {
  if (child > 0) return index_.end_with_comment(collection.children[child - 1].end);
  // The line of the collection's own key or dash: the nearest one above that is not a comment.
  size_t at = index_.line_start(collection.children.front().lead);
  while (at > 0) {
    const size_t above = index_.line_start(at - 1);
    const std::string_view line = index_.slice(above, index_.line_end(above));
    const size_t first = line.find_first_not_of(base::kBlanks);
    if (first != std::string_view::npos && line[first] != '#') return index_.line_end(above);
    at = above;
  }
  return index_.line_start(collection.children.front().lead);
}

std::vector<Rewriter::PlacedComments> Rewriter::take_removed(const Syntax* place, const Node& map) {
  std::vector<PlacedComments> placed;
  if (!place || unplaced_.empty()) return placed;
  for (const WrittenEntry& entry : index_.entries(*place)) {
    if (!map.get(entry.key)) take_comments(*place, entry.index, placed);
  }
  return placed;
}

void Rewriter::take_comments(const Syntax& place, size_t child, std::vector<PlacedComments>& placed) {
  const size_t width = place.is_map() ? 2 : 1;
  const size_t begin = end_before(place, child * width);
  const size_t end = index_.end_with_comment(place.children[(child + 1) * width - 1].end);
  PlacedComments found{child, {}};
  for (auto at = unplaced_.lower_bound(begin); at != unplaced_.end() && at->second.end <= end;) {
    found.comments.push_back(at->second);
    at = unplaced_.erase(at);
  }
  if (!found.comments.empty()) placed.push_back(std::move(found));
}

void Rewriter::settle(const Syntax* place, std::vector<PlacedComments> placed,
                      const std::vector<size_t>& sources, size_t indent, std::vector<Piece>& pieces) {
  if (!place || pieces.empty()) return;
  const size_t children = place->children.size() / (place->is_map() ? 2 : 1);
  for (size_t i = 0; i < children && !unplaced_.empty(); ++i) take_comments(*place, i, placed);
  for (const PlacedComments& comments : placed) {
    std::string lines;
    for (const Comment& comment : comments.comments) {
      lines += fmt::format("{}{}{}", std::string(indent, ' '), index_.slice(comment.begin, comment.end),
                           index_.line_break());
    }
    const auto after = std::ranges::find_if(sources, [&](size_t source) { return source >= comments.child; });
    if (after != sources.end()) {
      Piece& piece = pieces[static_cast<size_t>(after - sources.begin())];
      piece.gap = lines + piece.gap;
    } else {
      const size_t length = lines.size() - index_.line_break().size();
      pieces.back().body += fmt::format("{}{}", index_.line_break(), lines.substr(0, length));
    }
  }
}

}  // namespace trainjobc::yaml
