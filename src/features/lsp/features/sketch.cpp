// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/sketch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "features/lsp/features/sketch_scan.h"

namespace trainjobc::lsp {

const SketchEntry* Sketch::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &SketchEntry::key);
  return is_map() && found != entries.end() ? &*found : nullptr;
}

const Sketch* Sketch::get(std::string_view key) const {
  const SketchEntry* entry = find(key);
  return entry ? &entry->value : nullptr;
}

std::string_view Sketch::text_of(std::string_view key) const {
  const Sketch* value = get(key);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

namespace {

bool separates_documents(std::string_view line) {
  return line.starts_with("---") &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

constexpr size_t kDeepest = 100;
constexpr int kAboveAll = -1;  // the column above a document's root

// A line that is more than a comment.
struct ContentLine {
  size_t content = 0;  // its first character
  int column = 0;      // of that, from 0
  bool is_item = false;
};

// Reads blocks by their columns. `above` is the column of the key or dash that a value belongs to.
class BlockSketcher {
 public:
  BlockSketcher(std::string_view text, DocumentExtent extent)
      : scan_(text.substr(0, extent.end)), at_(extent.begin) {}

  Sketch read() { return read_below(kAboveAll, false); }

 private:
  // The next line with content, to which it moves; nullopt at the document's end.
  std::optional<ContentLine> peek() {
    while (at_ < scan_.size()) {
      const size_t content = scan_.after_blanks(at_);
      if (content < scan_.size() && !scan_.ends_line(content) && scan_[content] != '#')
        return ContentLine{content, static_cast<int>(content - at_), scan_.is_dash(content)};
      at_ = scan_.next_line(content);
    }
    return std::nullopt;
  }

  // The block in the lines below a key or dash. The items of a key's list may be in the key's own column.
  Sketch read_below(int above, bool is_of_key) {
    const auto line = peek();
    if (!line || depth_ >= kDeepest) return {};
    const bool in_column = is_of_key && line->is_item && line->column == above;
    if (line->column <= above && !in_column) return {};
    return read_block(line->content, line->column, in_column ? above - 1 : above, in_column);
  }

  // The block that begins at `content`, perhaps after a dash.
  Sketch read_block(size_t content, int column, int above, bool in_column) {
    ++depth_;
    Sketch block = scan_.is_dash(content) && depth_ <= kDeepest ? read_list(content, column, above, in_column)
                                                                : read_map(content, column, above);
    --depth_;
    return block;
  }

  Sketch read_list(size_t content, int column, int above, bool in_column) {
    Sketch list{.kind = Sketch::Kind::List, .begin = content, .end = content};
    for (bool is_item = true;;) {
      list.entries.push_back(is_item ? read_item(content, column) : read_stray(content, column));
      const auto line = peek();
      const bool goes_on = line && line->column > above && (line->is_item || !in_column);
      if (!goes_on) break;
      content = line->content;
      column = line->column;
      is_item = line->is_item;
    }
    return list;
  }

  SketchEntry read_item(size_t dash, int column) {
    SketchEntry item{.begin = dash, .key_end = dash + 1};
    last_ = dash + 1;
    const size_t content = scan_.after_blanks(dash + 1);
    if (scan_.ends_content(content)) {
      at_ = scan_.next_line(content);
      item.value = read_below(column, false);
      if (item.value.kind == Sketch::Kind::Absent) item.value.begin = item.value.end = dash + 1;
    } else {
      item.value = read_block(content, column + static_cast<int>(content - dash), column, false);
    }
    item.end = last_;
    return item;
  }

  // A line without a dash among the items.
  SketchEntry read_stray(size_t content, int column) {
    SketchEntry item{.begin = content, .key_end = content, .is_complete = false};
    item.value = read_block(content, column, column, false);
    item.end = last_;
    return item;
  }

  Sketch read_map(size_t content, int column, int above) {
    Sketch map{.kind = Sketch::Kind::Map, .begin = content, .end = content};
    for (;;) {
      map.entries.push_back(read_entry(content, column, above));
      auto line = peek();
      while (line && line->is_item && line->column > above) {  // items that belong to no key
        Sketch& last = map.entries.back().value;
        Sketch more = read_block(line->content, line->column, above, false);
        absorb(last, std::move(more));
        map.entries.back().end = last_;
        line = peek();
      }
      if (!line || line->column <= above) break;
      content = line->content;
      column = line->column;
    }
    return settled(std::move(map));
  }

  // Puts what is below into a value that has text already.
  static void absorb(Sketch& value, Sketch more) {
    if (value.kind == Sketch::Kind::Absent) {
      value = std::move(more);
    } else if (value.is_scalar() && more.kind != Sketch::Kind::Scalar) {
      more.begin = value.begin;
      more.end = value.end;
      more.text = std::move(value.text);
      value = std::move(more);
    } else {
      std::ranges::move(more.entries, std::back_inserter(value.entries));
    }
  }

  // A map without any colon is a value.
  static Sketch settled(Sketch map) {
    const auto is_text = [](const SketchEntry& entry) {
      return !entry.is_complete && entry.value.kind == Sketch::Kind::Absent;
    };
    SketchEntry& first = map.entries.front();
    if (map.entries.size() == 1 && !first.is_complete && first.key.empty()) return std::move(first.value);
    if (!std::ranges::all_of(map.entries, is_text)) return map;
    Sketch scalar{.kind = Sketch::Kind::Scalar, .own_line = true, .begin = first.begin};
    for (const SketchEntry& entry : map.entries) {
      if (!scalar.text.empty()) scalar.text += ' ';
      scalar.text += entry.key;
      scalar.end = entry.key_end;
    }
    return scalar;
  }

  // A line of a map: `key:` with its value, or a word that may become a key.
  SketchEntry read_entry(size_t content, int column, int above) {
    SketchEntry entry{.begin = content, .key_end = content};
    const size_t value = scan_.after_properties(content);
    const auto key = scan_.find_key(value);
    if (key) {
      entry.begin = key->begin;
      entry.key = scan_.plain_text(key->begin, key->end);
      entry.key_end = key->end;
      last_ = key->colon + 1;
      read_value(key->colon + 1, column, entry.value);
    } else if (scan_.begins_value(value)) {
      entry.is_complete = false;
      read_value(value, above, entry.value);
      entry.value.own_line = entry.value.is_scalar();
    } else {
      entry.is_complete = false;
      entry.begin = value;
      entry.key_end = scan_.end_of_plain(value);
      entry.key = scan_.plain_text(value, entry.key_end);
      last_ = entry.key_end;
      at_ = scan_.next_line(entry.key_end);
      entry.value = read_continuation(column, entry.key_end, entry.key);
    }
    entry.end = last_;
    return entry;
  }

  // What is deeper than a plain scalar: more of it, up to a line with a key or an item; then a block.
  Sketch read_continuation(int column, size_t& end, std::string& text) {
    for (auto line = peek(); line && line->column > column; line = peek()) {
      if (line->is_item || scan_.find_key(line->content)) return read_below(column, true);
      end = last_ = scan_.end_of_plain(line->content);
      text += ' ';
      text += scan_.plain_text(line->content, end);
      at_ = scan_.next_line(end);
    }
    return {};
  }

  // The value after a colon or in the place of one.
  void read_value(size_t from, int column, Sketch& value) {
    const size_t begin = scan_.after_properties(scan_.after_blanks(from));
    value.begin = value.end = begin;
    if (scan_.ends_content(begin)) {
      at_ = scan_.next_line(begin);
      Sketch below = read_below(column, true);
      if (below.kind != Sketch::Kind::Absent) value = std::move(below);
      return;
    }
    const char first = scan_[begin];
    if (first == '[' || first == '{') {
      value = sketch_flow(scan_, begin, column);
      last_ = value.end;
      at_ = scan_.next_line(value.end);
      return;
    }
    value.kind = Sketch::Kind::Scalar;
    if (first == '|' || first == '>') {
      read_block_scalar(begin, column, value);
    } else if (first == '"' || first == '\'') {
      value.end = last_ = scan_.end_of_quoted(begin, column);
      value.text = scan_.plain_text(begin, value.end);
      at_ = scan_.next_line(value.end);
    } else {
      value.end = last_ = scan_.end_of_plain(begin);
      value.text = scan_.plain_text(begin, value.end);
      at_ = scan_.next_line(value.end);
      absorb_below(column, value);
    }
  }

  void absorb_below(int column, Sketch& value) {
    Sketch more = read_continuation(column, value.end, value.text);
    if (more.kind == Sketch::Kind::Absent) {
      const auto line = peek();
      if (line && line->is_item && line->column == column) more = read_below(column, true);
    }
    if (more.kind != Sketch::Kind::Absent) absorb(value, std::move(more));
  }

  void read_block_scalar(size_t begin, int column, Sketch& value) {
    value.is_block = true;
    value.end = scan_.end_of_plain(begin);
    at_ = scan_.next_line(value.end);
    while (at_ < scan_.size()) {
      const size_t content = scan_.after_blanks(at_);
      const bool is_empty = content >= scan_.size() || scan_.ends_line(content);
      if (!is_empty && static_cast<int>(content - at_) <= column) break;
      const size_t end = scan_.end_of_line(content);
      if (!is_empty) value.end = end;
      at_ = scan_.next_line(end);
    }
    last_ = value.end;
  }

  SketchScan scan_;
  size_t at_;        // the beginning of the next line
  size_t last_ = 0;  // after the last character that was read
  size_t depth_ = 0;
};

}  // namespace

std::vector<DocumentExtent> document_extents(std::string_view text) {
  std::vector<DocumentExtent> extents;
  size_t begin = 0;
  for (size_t line = 0; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size());
    if (separates_documents(text.substr(line, end - line))) {
      extents.push_back({begin, line});
      begin = std::min(end + 1, text.size());
    }
    line = end + 1;
  }
  extents.push_back({begin, text.size()});
  return extents;
}

Sketch sketch_document(std::string_view text, DocumentExtent extent) {
  return BlockSketcher(text, extent).read();
}

}  // namespace trainjobc::lsp
