// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/simple_events.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace trainjobc::yaml {
namespace {

// libyaml's limit is 1024 characters.
constexpr size_t kLongestKey = 1000;
constexpr int kDeepest = 100;
// The events of a document take some times its size, all at once.
constexpr size_t kLargest = size_t{1} << 20U;

// Whether spaces and line feeds are the only white space, and line feeds the only breaks.
bool has_simple_lines(std::string_view text) {
  const auto has = [&](auto what) { return text.find(what) != std::string_view::npos; };
  if (has('\t') || has('\r')) return false;
  if (base::is_ascii(text)) return true;
  // The next-line, line and paragraph separators, and the byte order mark.
  static constexpr std::string_view kOther[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"};
  return std::ranges::none_of(kOther, has);
}

constexpr bool is_bracket_syntax(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

constexpr bool is_indicator(char c) {
  return is_bracket_syntax(c) || std::string_view("-?:#&*!|>'\"%@`").find(c) != std::string_view::npos;
}

// Each step returns false as soon as the document is not simple.
class SimpleReader {
 public:
  explicit SimpleReader(std::string_view text) : text_(text) { out_.events.reserve(text.size() / 12); }

  bool document() { return find_content() && !done_ && block_node(kRoot, 0) && done_; }
  SimpleEvents take() { return std::move(out_); }

 private:
  static constexpr std::ptrdiff_t kRoot = -1;  // a value that is in no collection

  // The end of the text is the end of a line.
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool ends_word(size_t at) const { return at >= text_.size() || text_[at] == ' ' || text_[at] == '\n'; }
  bool at_dash() const { return !done_ && peek() == '-' && ends_word(at_ + 1); }
  // In bytes: where columns are compared, only spaces and dashes are before them.
  std::ptrdiff_t column() const { return static_cast<std::ptrdiff_t>(at_ - line_start_); }
  bool is_inside(std::ptrdiff_t parent) const { return !done_ && column() > parent; }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  // Moves over spaces, comments and breaks.
  bool find_content() {
    for (;;) {
      skip_spaces();
      if (at_ == text_.size()) {
        done_ = true;
        return true;
      }
      if (text_[at_] == '#') {
        if (at_ > line_start_ && text_[at_ - 1] != ' ') return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '\n') {
        line_start_ = ++at_;
      } else {
        return at_ > line_start_ || !at_marker();
      }
    }
  }

  // Of a document; what begins like one is not simple.
  bool at_marker() const {
    const std::string_view rest = text_.substr(at_);
    return rest.starts_with("---") || rest.starts_with("...");
  }

  // Nothing but a comment is behind a value in its line.
  bool end_line() {
    const size_t line = line_start_;
    return find_content() && (done_ || line_start_ != line);
  }

  Event& add(Event::Type type, size_t begin, size_t end) {
    Event& event = out_.events.emplace_back();
    event.type = type;
    event.start = event.begin = begin;
    event.end = end;
    return event;
  }

  void add_plain(size_t begin, size_t end) {
    Event& event = add(Event::Type::Scalar, begin, end);
    event.plain = true;
    event.text = text_.substr(begin, end - begin);
  }

  void close() { out_.events.emplace_back().type = Event::Type::Close; }

  // A scalar of one line; in brackets, the syntax of brackets ends it.
  bool line_scalar(bool in_brackets) {
    const char first = peek();
    if (first == '"' || first == '\'') return quoted(first);
    const bool is_word = first == '-' && !ends_word(at_ + 1) && !(in_brackets && is_bracket_syntax(peek(1)));
    if (is_indicator(first) && !is_word) return false;
    return in_brackets ? plain_in_brackets() : plain();
  }

  bool quoted(char quote) {
    const size_t begin = at_;
    for (++at_; peek() != quote; ++at_) {
      if (peek() == '\n' || (peek() == '\\' && quote == '"')) return false;
    }
    if (peek(1) == quote) return false;
    ++at_;
    add(Event::Type::Scalar, begin, at_).text = text_.substr(begin + 1, at_ - begin - 2);
    return true;
  }

  bool plain() {
    const size_t begin = at_;
    size_t end = at_;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (c == ' ') continue;
      if (c == ':' && ends_word(at_ + 1)) break;
      if (c == '#' && text_[at_ - 1] == ' ') break;
      end = at_ + 1;
    }
    add_plain(begin, end);
    return true;
  }

  bool plain_in_brackets() {
    const size_t begin = at_;
    size_t end = at_;
    for (; !is_bracket_syntax(peek()); ++at_) {
      const char c = peek();
      if (c == ' ') continue;
      if (c == '\n' || c == '?' || (c == '#' && text_[at_ - 1] == ' ')) return false;
      if (c == ':' && is_bracket_syntax(peek(1))) return false;
      if (c == ':' && ends_word(at_ + 1)) break;
      end = at_ + 1;
    }
    add_plain(begin, end);
    return true;
  }

  // Whether the scalar from `begin` to here is a key; moves behind its colon.
  bool take_colon(size_t begin) {
    if (out_.events.back().end != at_ || peek() != ':' || !ends_word(at_ + 1) || at_ - begin > kLongestKey)
      return false;
    ++at_;
    return true;
  }

  // A value that is the first thing after a dash or in its line. `parent`: the column of the collection it is
  // in.
  bool block_node(std::ptrdiff_t parent, int depth) {
    if (depth > kDeepest) return false;
    if (at_dash()) return list(column(), false, depth);
    const char first = peek();
    if (first == '[' || first == '{') return brackets(depth) && end_line();
    if (first == '|') return literal(parent);
    const std::ptrdiff_t indent = column();
    const size_t begin = at_;
    // A map is added before its first key.
    const size_t place = out_.events.size();
    if (!line_scalar(false)) return false;
    if (!take_colon(begin)) return end_line();
    Event map{.type = Event::Type::OpenMap};
    map.start = map.begin = map.end = begin;
    out_.events.insert(out_.events.begin() + static_cast<std::ptrdiff_t>(place), map);
    return map_entries(indent, depth);
  }

  // From behind the colon of the first key.
  bool map_entries(std::ptrdiff_t indent, int depth) {
    for (;;) {
      if (!map_value(indent, depth)) return false;
      if (done_ || column() < indent) break;
      if (column() > indent || at_dash()) return false;
      const size_t begin = at_;
      if (!line_scalar(false) || !take_colon(begin)) return false;
    }
    close();
    return true;
  }

  bool map_value(std::ptrdiff_t indent, int depth) {
    const size_t colon = at_;
    const size_t line = line_start_;
    if (!find_content()) return false;
    if (!done_ && line_start_ == line) return line_value(indent, depth);
    if (is_inside(indent)) return block_node(indent, depth + 1);
    if (at_dash() && column() == indent) return list(indent, true, depth + 1);
    add_plain(colon, colon);
    return true;
  }

  // A value in the line of its key.
  bool line_value(std::ptrdiff_t parent, int depth) {
    const char first = peek();
    if (first == '[' || first == '{') return brackets(depth + 1) && end_line();
    if (first == '|') return literal(parent);
    return line_scalar(false) && end_line();
  }

  // `in_map`: its dashes are in the column of the map that it is in.
  bool list(std::ptrdiff_t indent, bool in_map, int depth) {
    if (depth > kDeepest) return false;
    add(Event::Type::OpenList, at_, at_);
    do {
      if (!item(indent, depth)) return false;
      if (is_inside(indent)) return false;
    } while (at_dash() && column() == indent);
    if (!done_ && column() == indent && !in_map) return false;
    close();
    return true;
  }

  bool item(std::ptrdiff_t indent, int depth) {
    const size_t dash_end = ++at_;
    if (!find_content()) return false;
    if (is_inside(indent)) return block_node(indent, depth + 1);
    add_plain(dash_end, dash_end);
    return true;
  }

  // `|` or `|-`.
  bool literal(std::ptrdiff_t parent) {
    const size_t begin = at_++;
    const bool strips = peek() == '-';
    if (strips) ++at_;
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != '\n') return false;
    line_start_ = ++at_;
    skip_spaces();
    const std::ptrdiff_t indent = column();
    if (indent <= parent || indent == 0 || peek() == '\n') return false;
    at_ = line_start_;
    std::string& text = out_.texts.emplace_back();
    literal_lines(static_cast<size_t>(indent), text);
    if (strips) text.pop_back();
    add(Event::Type::Scalar, begin, at_).text = text;
    return find_content();
  }

  // Lines that are empty or indented as much; empty ones at the end are left out.
  void literal_lines(size_t indent, std::string& text) {
    size_t empty = 0;
    while (at_ < text_.size()) {
      const size_t line_end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, line_end - at_);
      const size_t spaces = std::min(line.find_first_not_of(' '), line.size());
      if (spaces < indent && spaces < line.size()) break;
      if (line.size() <= indent) {
        ++empty;
      } else {
        text.append(empty, '\n');
        text.append(line.substr(indent)).push_back('\n');
        empty = 0;
      }
      at_ = line_start_ = std::min(line_end + 1, text_.size());
    }
  }

  // A list or a map in brackets, in one line.
  bool brackets(int depth) {
    if (depth > kDeepest) return false;
    const bool is_map = peek() == '{';
    add(is_map ? Event::Type::OpenMap : Event::Type::OpenList, at_, at_).flow = true;
    ++at_;
    skip_spaces();
    const char end = is_map ? '}' : ']';
    while (peek() != end) {
      if (is_map && !key_in_brackets()) return false;
      if (!value_in_brackets(depth)) return false;
      skip_spaces();
      if (peek() == end) break;
      if (peek() != ',') return false;
      ++at_;
      skip_spaces();
      if (peek() == end) return false;
    }
    add(Event::Type::Close, at_, at_ + 1).flow = true;
    ++at_;
    return true;
  }

  bool key_in_brackets() {
    const size_t begin = at_;
    if (!line_scalar(true) || !take_colon(begin)) return false;
    skip_spaces();
    return true;
  }

  bool value_in_brackets(int depth) {
    return peek() == '[' || peek() == '{' ? brackets(depth + 1) : line_scalar(true);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  bool done_ = false;
  SimpleEvents out_;
};

}  // namespace

std::optional<SimpleEvents> read_simple(std::string_view text) {
  if (text.size() > kLargest || !has_simple_lines(text)) return std::nullopt;
  SimpleReader reader(text);
  if (!reader.document()) return std::nullopt;
  return reader.take();
}

}  // namespace trainjobc::yaml
