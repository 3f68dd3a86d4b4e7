// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/syntax_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::lsp {

const SyntaxEntry* SyntaxNode::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &SyntaxEntry::key);
  return is_map() && found != entries.end() ? &*found : nullptr;
}

const SyntaxNode* SyntaxNode::get(std::string_view key) const {
  const SyntaxEntry* entry = find(key);
  return entry ? &entry->value : nullptr;
}

std::string_view SyntaxNode::text_of(std::string_view key) const {
  const SyntaxNode* value = get(key);
  return value && value->is_scalar() ? std::string_view(value->text) : std::string_view();
}

const SyntaxNode* SyntaxNode::at(std::initializer_list<std::string_view> keys) const {
  const SyntaxNode* value = this;
  for (const std::string_view key : keys) value = value ? value->get(key) : nullptr;
  return value;
}

std::span<const SyntaxEntry> entries_of(const SyntaxNode* value) {
  return value ? std::span<const SyntaxEntry>(value->entries) : std::span<const SyntaxEntry>();
}

namespace {

constexpr size_t kDeepest = 100;  // nested values

// Finds parts of YAML's syntax in a text. All offsets may equal its size.
class SyntaxScanner {
 public:
  explicit SyntaxScanner(std::string_view text) : text_(text) {}

  size_t size() const { return text_.size(); }
  char operator[](size_t at) const { return text_[at]; }

  size_t after_blanks(size_t at) const {
    return std::min(text_.find_first_not_of(base::kBlanks, at), text_.size());
  }

  // Whether a line break, or the carriage return before it, is at `at`.
  bool ends_line(size_t at) const {
    if (at >= text_.size() || text_[at] == '\n') return true;
    return text_[at] == '\r' && (at + 1 >= text_.size() || text_[at + 1] == '\n');
  }

  // Whether the line, or its content before a comment, ends at `at`.
  bool ends_content(size_t at) const {
    return ends_line(at) ||
           (text_[at] == '#' && (at == 0 || base::kSpace.find(text_[at - 1]) != std::string_view::npos));
  }

  size_t end_of_line(size_t at) const {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    return end > at && text_[end - 1] == '\r' ? end - 1 : end;
  }

  size_t next_line(size_t at) const {
    return std::min(std::min(text_.find('\n', at), text_.size()) + 1, text_.size());
  }

  // Whether a dash, followed by a blank or the end of its line, is at `at`.
  bool is_dash(size_t at) const {
    return at < text_.size() && text_[at] == '-' && (ends_line(at + 1) || base::is_blank(text_[at + 1]));
  }

  // The offset after anchors and tags.
  size_t after_properties(size_t at) const {
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      while (!ends_line(at) && !base::is_blank(text_[at])) ++at;
      at = after_blanks(at);
    }
    return at;
  }

  // Whether a value begins here that can't be a plain word: a bracket, a quote, a block scalar.
  bool begins_value(size_t at) const {
    constexpr std::string_view kBegins = "[{\"'|>";
    return ends_content(at) || kBegins.find(text_[at]) != std::string_view::npos;
  }

  // The end of an unquoted scalar on its line, before a comment and the blanks around it.
  size_t end_of_plain(size_t at) const {
    size_t end = at;
    for (; !ends_line(at); ++at) {
      if (text_[at] == '#' && (at == 0 || base::is_blank(text_[at - 1]))) break;
      if (!base::is_blank(text_[at])) end = at + 1;
    }
    return end;
  }

  // The offset after the closing quote; at the end of the line if there is none before the next line that is
  // not deeper than `column`.
  size_t end_of_quoted(size_t at, int column) const {
    const char quote = text_[at];
    const size_t first_end = end_of_line(at);
    for (size_t i = at + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote) {
          ++i;
        } else {
          return i + 1;
        }
      }
      if (i < text_.size() && text_[i] == '\n') {
        const size_t content = after_blanks(i + 1);
        if (!ends_line(content) && static_cast<int>(content - i - 1) <= column) break;
      }
    }
    return first_end;
  }

  // The text without quotes.
  std::string plain_text(size_t begin, size_t end) const {
    std::string_view text = text_.substr(begin, end - begin);
    if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
      const char quote = text.front();
      text.remove_prefix(1);
      if (!text.empty() && text.back() == quote) text.remove_suffix(1);
    }
    return std::string(text);
  }

  struct Key {
    size_t begin = 0;
    size_t end = 0;
    size_t colon = 0;
  };
  // The key on a line of a block; nullopt if there is none.
  std::optional<Key> find_key(size_t at) const {
    if (ends_content(at)) return std::nullopt;
    const auto is_colon = [&](size_t i) {
      return i < text_.size() && text_[i] == ':' && (ends_line(i + 1) || base::is_blank(text_[i + 1]));
    };
    if (text_[at] == '"' || text_[at] == '\'') {
      const size_t end = std::min(end_of_quoted(at, 0), end_of_line(at));
      const size_t colon = after_blanks(end);
      return is_colon(colon) ? std::optional(Key{at, end, colon}) : std::nullopt;
    }
    if (begins_value(at)) return std::nullopt;
    size_t end = at;
    for (size_t i = at; !ends_content(i); ++i) {
      if (is_colon(i)) return Key{at, end, i};
      if (!base::is_blank(text_[i])) end = i + 1;
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
};

// Reads the collection in brackets at `at`. It ends before a line that is not deeper than `column`, unless
// that closes it.
class FlowParser {
 public:
  FlowParser(const SyntaxScanner& scan, size_t at, int column) : scan_(scan), at_(at), column_(column) {}

  // Reads the collection whose bracket is at `at_`.
  SyntaxNode read_collection() {
    const bool is_map = scan_[at_] == '{';
    SyntaxNode node{
        .kind = is_map ? SyntaxNode::Kind::Map : SyntaxNode::Kind::List, .flow = true, .begin = at_};
    last_ = ++at_;
    ++depth_;
    while (skip_space()) {
      const char c = scan_[at_];
      if (c == ']' || c == '}') {
        last_ = ++at_;
        break;
      }
      if (c == ',') {
        last_ = ++at_;
        continue;
      }
      node.entries.push_back(is_map ? read_pair() : read_item());
    }
    --depth_;
    node.end = last_;
    return node;
  }

 private:
  // Moves to the next character that is not space or a comment; false if the collection ends without its
  // bracket.
  bool skip_space() {
    for (;;) {
      at_ = scan_.after_blanks(at_);
      if (at_ >= scan_.size()) return false;
      if (!scan_.ends_content(at_)) return true;
      const size_t line = scan_.next_line(at_);
      const size_t content = scan_.after_blanks(line);
      const bool is_closing = content < scan_.size() && (scan_[content] == ']' || scan_[content] == '}');
      if (content < scan_.size() && !scan_.ends_content(content) && !is_closing &&
          static_cast<int>(content - line) <= column_)
        return false;
      at_ = content;
      if (content >= scan_.size()) return false;
    }
  }

  bool is_colon() const {
    if (at_ >= scan_.size() || scan_[at_] != ':') return false;
    constexpr std::string_view kAfter = " \t\r\n,[]{}";
    return at_ + 1 >= scan_.size() || after_quote_ || kAfter.find(scan_[at_ + 1]) != std::string_view::npos;
  }

  // Reads a quoted or plain word; empty before a bracket or comma.
  SyntaxNode read_word() {
    SyntaxNode word{.kind = SyntaxNode::Kind::Scalar, .begin = at_};
    const char first = scan_[at_];
    after_quote_ = first == '"' || first == '\'';
    if (after_quote_) {
      at_ = std::min(scan_.end_of_quoted(at_, column_), scan_.end_of_line(at_));
    } else {
      constexpr std::string_view kEnds = ",[]{}";
      size_t end = at_;
      while (!scan_.ends_content(at_) && kEnds.find(scan_[at_]) == std::string_view::npos && !is_colon()) {
        if (!base::is_blank(scan_[at_])) end = at_ + 1;
        ++at_;
      }
      at_ = end;
    }
    word.end = last_ = at_;
    word.text = scan_.plain_text(word.begin, word.end);
    if (word.begin == word.end) word.kind = SyntaxNode::Kind::Absent;
    return word;
  }

  SyntaxNode read_value() {
    at_ = scan_.after_properties(at_);
    if (scan_.ends_content(at_) && !skip_space()) return {.begin = last_, .end = last_};
    const char c = scan_[at_];
    if ((c == '[' || c == '{') && depth_ < kDeepest) return read_collection();
    SyntaxNode word = read_word();
    if (word.begin == word.end && c != ',' && c != ']' && c != '}') ++at_;  // a colon, or too deeply nested
    return word;
  }

  SyntaxEntry read_pair() {
    const SyntaxNode key = read_word();
    SyntaxEntry entry{.key = key.text, .begin = key.begin, .key_end = key.end};
    const size_t before = at_;
    at_ = scan_.after_blanks(at_);
    entry.is_complete = is_colon();
    if (entry.is_complete) {
      last_ = ++at_;
      at_ = scan_.after_blanks(at_);
      if (at_ >= scan_.size()) {
        entry.value.begin = entry.value.end = last_;
      } else {
        entry.value = read_value();
      }
    } else {
      at_ = before;
      if (key.begin == key.end) ++at_;  // a bracket where a key is expected
    }
    entry.end = last_;
    return entry;
  }

  SyntaxEntry read_item() {
    SyntaxEntry item{.begin = at_, .key_end = at_};
    item.value = read_value();
    at_ = scan_.after_blanks(at_);
    if (item.value.is_scalar() && is_colon()) {  // [key: value]
      SyntaxEntry pair{.key = item.value.text, .begin = item.value.begin, .key_end = item.value.end};
      last_ = ++at_;
      at_ = scan_.after_blanks(at_);
      if (at_ < scan_.size()) pair.value = read_value();
      pair.end = last_;
      item.value = {.kind = SyntaxNode::Kind::Map, .flow = true, .begin = pair.begin, .end = pair.begin};
      item.value.entries.push_back(std::move(pair));
    }
    item.end = last_;
    return item;
  }

  const SyntaxScanner& scan_;
  size_t at_;
  int column_;
  size_t last_ = 0;
  size_t depth_ = 0;
  bool after_quote_ = false;  // the last word was quoted, so its colon needs no blank
};

bool separates_documents(std::string_view line) {
  return line.starts_with("---") &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

constexpr int kAboveAll = -1;  // the column for a document's root

// A line that is more than a comment.
struct ContentLine {
  size_t content = 0;  // offset of its first character
  int column = 0;      // of that character, counted from 0
  bool is_item = false;
};

// Reads blocks by their columns. `above` is the column of the key or dash to which a value belongs.
class BlockParser {
 public:
  BlockParser(std::string_view text, DocumentExtent extent)
      : scan_(text.substr(0, extent.end)), at_(extent.begin) {}

  SyntaxNode read() { return read_below(kAboveAll, false); }

 private:
  // Moves to the next line with content and returns it; nullopt at the document's end.
  std::optional<ContentLine> peek() {
    while (at_ < scan_.size()) {
      const size_t content = scan_.after_blanks(at_);
      if (content < scan_.size() && !scan_.ends_line(content) && scan_[content] != '#')
        return ContentLine{content, static_cast<int>(content - at_), scan_.is_dash(content)};
      at_ = scan_.next_line(content);
    }
    return std::nullopt;
  }

  // Reads the block on the lines below a key or dash. The items of a key's list may be in the key's own
  // column.
  SyntaxNode read_below(int above, bool is_of_key) {
    const auto line = peek();
    if (!line || depth_ >= kDeepest) return {};
    const bool in_column = is_of_key && line->is_item && line->column == above;
    if (line->column <= above && !in_column) return {};
    return read_block(line->content, line->column, in_column ? above - 1 : above, in_column);
  }

  // Reads the block that begins at `content`, possibly after a dash.
  SyntaxNode read_block(size_t content, int column, int above, bool in_column) {
    ++depth_;
    SyntaxNode block = scan_.is_dash(content) && depth_ <= kDeepest
                           ? read_list(content, column, above, in_column)
                           : read_map(content, column, above);
    --depth_;
    return block;
  }

  SyntaxNode read_list(size_t content, int column, int above, bool in_column) {
    SyntaxNode list{.kind = SyntaxNode::Kind::List, .begin = content, .end = content};
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

  SyntaxEntry read_item(size_t dash, int column) {
    SyntaxEntry item{.begin = dash, .key_end = dash + 1};
    last_ = dash + 1;
    const size_t content = scan_.after_blanks(dash + 1);
    if (scan_.ends_content(content)) {
      at_ = scan_.next_line(content);
      item.value = read_below(column, false);
      if (item.value.kind == SyntaxNode::Kind::Absent) item.value.begin = item.value.end = dash + 1;
    } else {
      item.value = read_block(content, column + static_cast<int>(content - dash), column, false);
    }
    item.end = last_;
    return item;
  }

  // Reads a line without a dash among the items.
  SyntaxEntry read_stray(size_t content, int column) {
    SyntaxEntry item{.begin = content, .key_end = content, .is_complete = false};
    item.value = read_block(content, column, column, false);
    item.end = last_;
    return item;
  }

  SyntaxNode read_map(size_t content, int column, int above) {
    SyntaxNode map{.kind = SyntaxNode::Kind::Map, .begin = content, .end = content};
    for (;;) {
      map.entries.push_back(read_entry(content, column, above));
      auto line = peek();
      while (line && line->is_item && line->column > above) {  // items that have no key
        SyntaxNode& last = map.entries.back().value;
        SyntaxNode more = read_block(line->content, line->column, above, false);
        absorb(last, std::move(more));
        map.entries.back().end = last_;
        line = peek();
      }
      if (!line || line->column <= above) break;
      content = line->content;
      column = line->column;
    }
    return as_scalar_without_keys(std::move(map));
  }

  // Adds what is on the lines below to a value that has text already.
  static void absorb(SyntaxNode& value, SyntaxNode more) {
    if (value.kind == SyntaxNode::Kind::Absent) {
      value = std::move(more);
    } else if (value.is_scalar() && more.kind != SyntaxNode::Kind::Scalar) {
      more.begin = value.begin;
      more.end = value.end;
      more.text = std::move(value.text);
      value = std::move(more);
    } else {
      std::ranges::move(more.entries, std::back_inserter(value.entries));
    }
  }

  // Turns a map without any colon into a scalar.
  static SyntaxNode as_scalar_without_keys(SyntaxNode map) {
    const auto is_text = [](const SyntaxEntry& entry) {
      return !entry.is_complete && entry.value.kind == SyntaxNode::Kind::Absent;
    };
    SyntaxEntry& first = map.entries.front();
    if (map.entries.size() == 1 && !first.is_complete && first.key.empty()) return std::move(first.value);
    if (!std::ranges::all_of(map.entries, is_text)) return map;
    SyntaxNode scalar{.kind = SyntaxNode::Kind::Scalar, .own_line = true, .begin = first.begin};
    for (const SyntaxEntry& entry : map.entries) {
      if (!scalar.text.empty()) scalar.text += ' ';
      scalar.text += entry.key;
      scalar.end = entry.key_end;
    }
    return scalar;
  }

  // Reads a line of a map: `key:` with its value, or a word that may become a key.
  SyntaxEntry read_entry(size_t content, int column, int above) {
    SyntaxEntry entry{.begin = content, .key_end = content};
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

  // Reads the deeper lines after a plain scalar: more of it, up to a line with a key or an item; then a
  // block.
  SyntaxNode read_continuation(int column, size_t& end, std::string& text) {
    for (auto line = peek(); line && line->column > column; line = peek()) {
      if (line->is_item || scan_.find_key(line->content)) return read_below(column, true);
      end = last_ = scan_.end_of_plain(line->content);
      text += ' ';
      text += scan_.plain_text(line->content, end);
      at_ = scan_.next_line(end);
    }
    return {};
  }

  // Reads the value after a colon, or where a value without one begins.
  void read_value(size_t from, int column, SyntaxNode& value) {
    const size_t begin = scan_.after_properties(scan_.after_blanks(from));
    value.begin = value.end = begin;
    if (scan_.ends_content(begin)) {
      at_ = scan_.next_line(begin);
      SyntaxNode below = read_below(column, true);
      if (below.kind != SyntaxNode::Kind::Absent) value = std::move(below);
      return;
    }
    const char first = scan_[begin];
    if (first == '[' || first == '{') {
      value = FlowParser(scan_, begin, column).read_collection();
      last_ = value.end;
      at_ = scan_.next_line(value.end);
      return;
    }
    value.kind = SyntaxNode::Kind::Scalar;
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

  void absorb_below(int column, SyntaxNode& value) {
    SyntaxNode more = read_continuation(column, value.end, value.text);
    if (more.kind == SyntaxNode::Kind::Absent) {
      const auto line = peek();
      if (line && line->is_item && line->column == column) more = read_below(column, true);
    }
    if (more.kind != SyntaxNode::Kind::Absent) absorb(value, std::move(more));
  }

  void read_block_scalar(size_t begin, int column, SyntaxNode& value) {
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

  SyntaxScanner scan_;
  size_t at_;        // where the next line begins
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

SyntaxNode parse_syntax(std::string_view text, DocumentExtent extent) {
  return BlockParser(text, extent).read();
}

}  // namespace trainjobc::lsp
