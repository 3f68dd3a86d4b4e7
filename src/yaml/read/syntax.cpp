// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/syntax.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::yaml {

void SyntaxRecorder::open(bool is_map, bool is_flow, bool is_plain, size_t begin) {
  Syntax value;
  value.kind = is_map ? Syntax::Kind::Map : Syntax::Kind::List;
  value.flow = is_flow;
  value.plain = std::exchange(plain_, true) && is_plain;
  value.begin = value.end = begin + file_offset_;
  const auto dash = std::exchange(dash_, std::nullopt);
  value.lead = dash ? *dash + file_offset_ : value.begin;
  open_.push_back(std::move(value));
}

// A block collection ends with its last value.
void SyntaxRecorder::close(size_t end) {
  Syntax value = std::move(open_.back());
  open_.pop_back();
  if (value.flow) {
    value.end = end + file_offset_;
  } else if (!value.children.empty()) {
    value.end = value.children.back().end;
  }
  put(std::move(value));
}

void SyntaxRecorder::leaf(Syntax::Kind kind, bool is_plain, size_t begin, size_t end) {
  Syntax value;
  value.kind = kind;
  value.plain = std::exchange(plain_, true) && is_plain;
  value.begin = begin + file_offset_;
  value.end = trimmed(value.begin, end + file_offset_);
  const auto dash = std::exchange(dash_, std::nullopt);
  value.lead = dash ? *dash + file_offset_ : value.begin;
  put(std::move(value));
}

std::optional<Syntax> SyntaxRecorder::take() {
  return std::exchange(root_, std::nullopt);
}

void SyntaxRecorder::put(Syntax value) {
  if (open_.empty()) {
    root_ = std::move(value);
  } else {
    open_.back().children.push_back(std::move(value));
  }
}

size_t SyntaxRecorder::trimmed(size_t begin, size_t end) const {
  while (end > begin && base::kSpace.find(file_.text()[end - 1]) != std::string_view::npos) --end;
  return end;
}

namespace {

void collect_leaves(const Syntax& syntax, std::vector<const Syntax*>& leaves) {
  if (syntax.children.empty()) leaves.push_back(&syntax);
  for (const Syntax& child : syntax.children) collect_leaves(child, leaves);
}

}  // namespace

SourceIndex::SourceIndex(const base::SourceFile& file, const Document& document, const Syntax& syntax)
    : file_(file), line_break_(document.text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n") {
  add(*document.root, syntax);
}

void SourceIndex::add(const Node& node, const Syntax& syntax) {
  if (syntax.kind == Syntax::Kind::Alias || !nodes_.try_emplace(&node, &syntax).second) return;
  if (node.is_list() && syntax.is_list()) {
    collections_.try_emplace(node.origin().offset(), &syntax);
    for (size_t i = 0; i < node.size() && i < syntax.children.size(); ++i) {
      items_[&syntax.children[i]] = {&syntax, i};
      add(*node.items()[i], syntax.children[i]);
    }
  }
  if (!node.is_map() || !syntax.is_map()) return;
  collections_.try_emplace(node.origin().offset(), &syntax);
  std::map<size_t, const Entry*> by_offset;
  for (const Entry& entry : node.entries()) {
    if (entry.key_origin.file() == &file_) by_offset[entry.key_origin.offset()] = &entry;
  }
  std::vector<WrittenEntry>& entries = entries_[&syntax];
  entries.reserve(syntax.children.size() / 2);  // entry_of_ and entry_at_ point to them
  for (size_t i = 0; i + 1 < syntax.children.size(); i += 2) {
    const auto found = by_offset.find(syntax.children[i].begin);
    if (found == by_offset.end()) continue;
    const Entry& entry = *found->second;
    entries.push_back(
        {entry.key, entry.value, &syntax.children[i], &syntax.children[i + 1], &syntax, entries.size()});
    entry_of_.try_emplace(entry.value, &entries.back());
    entry_at_.try_emplace(entries.back().value_syntax, &entries.back());
    add(*entry.value, syntax.children[i + 1]);
  }
}

const Syntax* SourceIndex::of(const Node& node) const {
  return base::value_or(nodes_, &node);
}

const Syntax* SourceIndex::place_of(const Node& node) const {
  if (node.origin().file() != &file_) return nullptr;
  const Syntax* found = base::value_or(collections_, node.origin().offset());
  return found && found->is_map() == node.is_map() ? found : nullptr;
}

const Syntax* SourceIndex::of_or_replaced(const Node& node) const {
  const Syntax* own = of(node);
  return own ? own : place_of(node);
}

const std::vector<WrittenEntry>& SourceIndex::entries(const Syntax& map) const {
  static const std::vector<WrittenEntry> kNone;
  const auto found = entries_.find(&map);
  return found != entries_.end() ? found->second : kNone;
}

const WrittenEntry* SourceIndex::entry(const Syntax* map, std::string_view key) const {
  return map ? base::find(entries(*map), key, &WrittenEntry::key) : nullptr;
}

const WrittenEntry* SourceIndex::entry_of(const Node& value) const {
  return base::value_or(entry_of_, &value);
}

const WrittenEntry* SourceIndex::entry_at(const Syntax& value) const {
  return base::value_or(entry_at_, &value);
}

const WrittenItem* SourceIndex::item_of(const Syntax& value) const {
  const auto found = items_.find(&value);
  return found != items_.end() ? &found->second : nullptr;
}

bool SourceIndex::is_plain_map(const Syntax& map) const {
  if (entries(map).size() * 2 != map.children.size()) return false;
  return std::ranges::all_of(entries(map), [](const WrittenEntry& e) { return e.key_syntax->plain; });
}

std::vector<Extent> SourceIndex::comments(const Syntax& root) const {
  std::vector<const Syntax*> leaves;
  collect_leaves(root, leaves);
  std::vector<Extent> found;
  size_t from = root.begin;
  const size_t last = end_with_comment(root.end);
  const auto search = [&](size_t to) {
    for (size_t at = from; at < to; ++at) {
      if (file_.text()[at] != '#') continue;
      const bool starts = at == 0 || base::kSpace.find(file_.text()[at - 1]) != std::string_view::npos;
      if (!starts) continue;
      found.push_back({at, line_end(at)});
      at = line_end(at);
    }
  };
  for (const Syntax* leaf : leaves) {
    search(std::max(from, leaf->begin));
    from = std::max(from, leaf->end);
  }
  search(last);
  return found;
}

size_t SourceIndex::line_start(size_t offset) const {
  if (offset == 0) return 0;
  const size_t before = file_.text().rfind('\n', offset - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

size_t SourceIndex::line_end(size_t offset) const {
  size_t end = std::min(file_.text().find('\n', offset), file_.text().size());
  while (end > offset && file_.text()[end - 1] == '\r') --end;
  return end;
}

size_t SourceIndex::indent(size_t offset) const {
  const size_t start = line_start(offset);
  const size_t first = std::min(file_.text().find_first_not_of(' ', start), file_.text().size());
  return first - start;
}

size_t SourceIndex::end_with_comment(size_t end) const {
  const size_t stop = line_end(end);
  const std::string_view rest = slice(end, stop);
  const size_t first = rest.find_first_not_of(base::kBlanks);
  return first == std::string_view::npos || rest[first] == '#' ? stop : end;
}

size_t SourceIndex::gap_start(size_t end, size_t offset) const {
  const size_t start = line_start(offset);
  if (line_start(end) == start) return start;
  const size_t next = file_.text().find('\n', end);
  return next == std::string_view::npos ? start : std::min(next + 1, start);
}

}  // namespace trainjobc::yaml
