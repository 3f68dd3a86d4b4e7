// SPDX-License-Identifier: Apache-2.0

#include "yaml/write/go_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text/text.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {
namespace {

// Source of the rules: emitterc.go, encode.go and sorter.go of go.yaml.in/yaml/v2.
constexpr size_t kBestWidth = 80;
constexpr size_t kLongestPlainKey = 128;
constexpr size_t kIndent = 2;

enum class Style { Plain, SingleQuoted, DoubleQuoted, Literal };

// The size of the character that begins at `at`, in bytes.
size_t width_at(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && base::is_continuation(text[end])) ++end;
  return end - at;
}

// Whether the character is a line break, such as NEL or another one of Unicode.
bool is_break(std::string_view character) {
  return character == "\n" || character == "\r" || character == "\xC2\x85" || character == "\xE2\x80\xA8" ||
         character == "\xE2\x80\xA9";
}

bool is_printable(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x80U) return first == '\n' || (first >= 0x20U && first <= 0x7EU);
  const auto second = character.size() > 1 ? static_cast<unsigned char>(character[1]) : 0U;
  if (first == 0xC2U) return second >= 0xA0U;
  if (first == 0xEDU) return second < 0xA0U;
  return first < 0xF0U && character != "\xEF\xBB\xBF" && character != "\xEF\xBF\xBE" &&
         character != "\xEF\xBF\xBF";
}

// What a string may be written as.
struct Analysis {
  bool is_multiline = false;
  bool may_be_plain = true;
  bool may_be_single_quoted = true;
  bool may_be_block = true;
};

class Analyzer {
 public:
  explicit Analyzer(std::string_view text) : text_(text) {}

  Analysis analyze() {
    if (text_.empty()) return {.may_be_block = false};
    has_indicator_ = text_.starts_with("---") || text_.starts_with("...");
    for (size_t at = 0; at < text_.size();) {
      const size_t width = width_at(text_, at);
      take(at, text_.substr(at, width));
      at += width;
    }
    Analysis result;
    result.is_multiline = has_breaks_;
    const bool is_special = space_before_break_ || has_special_;
    result.may_be_plain = !leading_ && !trailing_space_ && !trailing_break_ && !break_before_space_ &&
                          !is_special && !has_breaks_ && !has_indicator_;
    result.may_be_single_quoted = !break_before_space_ && !is_special;
    result.may_be_block = !trailing_space_ && !is_special;
    return result;
  }

 private:
  bool is_blank_at(size_t at) const { return at >= text_.size() || text_[at] == ' ' || text_[at] == '\t'; }

  void take(size_t at, std::string_view character) {
    const char c = character.front();
    const bool is_followed_by_blank = is_blank_at(at + character.size());
    if (at == 0) {
      constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`";
      const bool is_own = kIndicators.find(c) != std::string_view::npos;
      const bool is_before_blank = (c == '?' || c == ':' || c == '-') && is_followed_by_blank;
      has_indicator_ = has_indicator_ || is_own || is_before_blank;
    } else if ((c == ':' && is_followed_by_blank) || (c == '#' && is_after_blank_)) {
      has_indicator_ = true;
    }
    if (!is_printable(character)) has_special_ = true;
    const bool is_last = at + character.size() == text_.size();
    const bool breaks = is_break(character);
    if (c == ' ') {
      leading_ = leading_ || at == 0;
      trailing_space_ = trailing_space_ || is_last;
      break_before_space_ = break_before_space_ || was_break_;
    } else if (breaks) {
      has_breaks_ = true;
      leading_ = leading_ || at == 0;
      trailing_break_ = trailing_break_ || is_last;
      space_before_break_ = space_before_break_ || was_space_;
    }
    was_space_ = c == ' ';
    was_break_ = breaks;
    is_after_blank_ = c == ' ' || c == '\t' || breaks;
  }

  std::string_view text_;
  bool has_indicator_ = false;
  bool has_special_ = false;
  bool has_breaks_ = false;
  bool leading_ = false;  // a space or a break at the beginning
  bool trailing_space_ = false;
  bool trailing_break_ = false;
  bool break_before_space_ = false;
  bool space_before_break_ = false;
  bool was_space_ = false;
  bool was_break_ = false;
  bool is_after_blank_ = true;
};

class GoWriter {
 public:
  explicit GoWriter(std::string& out) : out_(out) {}

  void write_root(const Node& node) {
    if (is_leaf(node)) {
      write_leaf(node, kIndent, false);
      put('\n');
    } else {
      write_collection(node, 0);
    }
  }

 private:
  static bool is_leaf(const Node& node) { return node.is_scalar() || node.size() == 0; }

  void put(char c) {
    out_ += c;
    if (c == '\n')
      column_ = 0;
    else if (!base::is_continuation(c))
      ++column_;
  }

  void put(std::string_view text) {
    for (const char c : text) put(c);
  }

  // Writes spaces up to the column, on the line that has begun.
  void indent_to(size_t indent) {
    while (column_ < indent) put(' ');
  }

  void begin_line(size_t indent) {
    if (column_ > indent || (!out_.empty() && column_ > 0 && !is_after_dash_)) put('\n');
    indent_to(indent);
    is_after_dash_ = false;
  }

  void write_collection(const Node& node, size_t indent) {
    if (node.is_map()) {
      std::vector<const Entry*> entries;
      for (const Entry& entry : node.entries()) entries.push_back(&entry);
      std::ranges::sort(entries,
                        [](const Entry* a, const Entry* b) { return is_before_in_go(a->key, b->key); });
      for (const Entry* entry : entries) write_entry(*entry, indent);
      return;
    }
    for (const Node* item : node.items()) {
      begin_line(indent);
      put('-');
      put(' ');
      if (is_leaf(*item)) {
        write_leaf(*item, indent + kIndent, false);
        end_line();
      } else {
        is_after_dash_ = true;
        write_collection(*item, indent + kIndent);
      }
    }
  }

  void end_line() {
    if (column_ > 0) put('\n');
  }

  void write_entry(const Entry& entry, size_t indent) {
    begin_line(indent);
    const bool is_simple =
        entry.key.size() <= kLongestPlainKey && !Analyzer(entry.key).analyze().is_multiline;
    if (is_simple) {
      write_string(entry.key, indent + kIndent, true);
    } else {
      put("? ");
      write_string(entry.key, indent + kIndent, false);
      end_line();
      indent_to(indent);
    }
    put(':');
    if (is_leaf(*entry.value)) {
      put(' ');
      write_leaf(*entry.value, indent + kIndent, false);
      return end_line();
    }
    put('\n');
    // A list has the indentation of its key.
    write_collection(*entry.value, entry.value->is_list() ? indent : indent + kIndent);
  }

  void write_leaf(const Node& node, size_t indent, bool is_key) {
    if (node.is_map()) return put("{}");
    if (node.is_list()) return put("[]");
    if (node.is_string()) return write_string(node.text(), indent, is_key);
    put(node.text());
  }

  static Style style_of(std::string_view text, const Analysis& may, bool is_key) {
    Style style = text.find('\n') != std::string_view::npos ? Style::Literal
                  : is_string_in_go(text)                   ? Style::Plain
                                                            : Style::DoubleQuoted;
    if (is_key && may.is_multiline) style = Style::DoubleQuoted;
    if (style == Style::Plain && !may.may_be_plain) style = Style::SingleQuoted;
    if (style == Style::SingleQuoted && !may.may_be_single_quoted) style = Style::DoubleQuoted;
    if (style == Style::Literal && (!may.may_be_block || is_key)) style = Style::DoubleQuoted;
    return style;
  }

  void write_string(std::string_view text, size_t indent, bool is_key) {
    switch (style_of(text, Analyzer(text).analyze(), is_key)) {
      case Style::Plain: return write_flat(text, indent, !is_key, false);
      case Style::SingleQuoted: return write_flat(text, indent, !is_key, true);
      case Style::DoubleQuoted: return write_double_quoted(text, indent, !is_key);
      case Style::Literal: return write_literal(text, indent);
    }
  }

  void wrap(size_t indent) {
    put('\n');
    indent_to(indent);
  }

  // Writes a string plain or in single quotes.
  void write_flat(std::string_view text, size_t indent, bool may_wrap, bool is_quoted) {
    if (is_quoted) put('\'');
    bool was_space = false;
    bool was_break = false;
    for (size_t at = 0; at < text.size();) {
      const std::string_view character = text.substr(at, width_at(text, at));
      const bool is_space = character == " ";
      const bool is_inside = !is_quoted || (at > 0 && at + 1 < text.size());
      const bool is_before_space = at + 1 < text.size() && text[at + 1] == ' ';
      if (is_space && may_wrap && !was_space && column_ > kBestWidth && is_inside && !is_before_space) {
        wrap(indent);
      } else if (is_break(character)) {
        if (!was_break && character == "\n") put('\n');
        put(character);
        if (character != "\n") column_ = 0;
      } else {
        if (was_break) indent_to(indent);
        if (is_quoted && character == "'") put('\'');
        put(character);
      }
      was_space = is_space;
      was_break = is_break(character);
      at += character.size();
    }
    if (is_quoted) put('\'');
  }

  void write_double_quoted(std::string_view text, size_t indent, bool may_wrap) {
    put('"');
    bool was_space = false;
    // Go looks for a byte order mark at the beginning of the text, whichever character it writes.
    const bool escapes_all = text.starts_with("\xEF\xBB\xBF");
    for (size_t at = 0; at < text.size();) {
      const std::string_view character = text.substr(at, width_at(text, at));
      const bool is_space = character == " ";
      if (escapes_all || !is_printable(character) || is_break(character) || character == "\"" ||
          character == "\\") {
        put_escape(character);
      } else if (is_space && may_wrap && !was_space && column_ > kBestWidth && at > 0 &&
                 at + 1 < text.size()) {
        wrap(indent);
        if (text[at + 1] == ' ') put('\\');
      } else {
        put(character);
      }
      was_space = is_space;
      at += character.size();
    }
    put('"');
  }

  static uint32_t code_of(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    uint32_t code = first < 0x80U   ? first & 0x7FU
                    : first < 0xE0U ? first & 0x1FU
                    : first < 0xF0U ? first & 0xFU
                                    : first & 7U;
    for (const char c : character.substr(1)) code = (code << 6U) + (static_cast<unsigned char>(c) & 0x3FU);
    return code;
  }

  void put_escape(std::string_view character) {
    constexpr std::pair<uint32_t, char> kNamed[] = {
        {0, '0'},  {7, 'a'},   {8, 'b'},     {9, 't'},    {10, 'n'},   {11, 'v'},     {12, 'f'},    {13, 'r'},
        {27, 'e'}, {'"', '"'}, {'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
    const uint32_t code = code_of(character);
    put('\\');
    for (const auto& [named, letter] : kNamed) {
      if (named == code) return put(letter);
    }
    if (code <= 0xFFU)
      put(fmt::format("x{:02X}", code));
    else if (code <= 0xFFFFU)
      put(fmt::format("u{:04X}", code));
    else
      put(fmt::format("U{:08X}", code));
  }

  static char chomping_of(std::string_view text) {
    const auto ends_in_break = [](std::string_view part) {
      size_t at = part.size() - 1;
      while (at > 0 && base::is_continuation(part[at])) --at;
      return is_break(part.substr(at)) ? part.size() - at : 0;
    };
    const size_t last = ends_in_break(text);
    if (last == 0) return '-';
    const std::string_view rest = text.substr(0, text.size() - last);
    return rest.empty() || ends_in_break(rest) > 0 ? '+' : '\0';
  }

  void write_literal(std::string_view text, size_t indent) {
    put('|');
    if (text.front() == ' ' || is_break(text.substr(0, width_at(text, 0)))) put('2');
    if (const char chomping = chomping_of(text)) put(chomping);
    put('\n');
    bool was_break = true;
    for (size_t at = 0; at < text.size();) {
      const std::string_view character = text.substr(at, width_at(text, at));
      const bool breaks = is_break(character);
      if (!breaks && was_break) indent_to(indent);
      put(character);
      if (breaks) column_ = 0;
      was_break = breaks;
      at += character.size();
    }
  }

  std::string& out_;
  size_t column_ = 0;           // in characters
  bool is_after_dash_ = false;  // a collection begins on the line of the dash
};

// Returns the value of the digits from `at` on, appended to those of `start`, and where they end.
std::pair<int64_t, size_t> number_at(std::string_view text, size_t at, int64_t start) {
  auto value = static_cast<uint64_t>(start);
  while (at < text.size() && base::is_digit(text[at]))
    value = value * 10 + static_cast<uint64_t>(text[at++] - '0');
  return {static_cast<int64_t>(value), at};
}

bool is_letter_at(std::string_view text, size_t at) {
  return base::is_letter(text[at]) || static_cast<unsigned char>(text[at]) >= 0x80U;
}

}  // namespace

bool is_before_in_go(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  const auto at =
      static_cast<size_t>(std::ranges::mismatch(a.substr(0, common), b.substr(0, common)).in1 - a.begin());
  if (at == common) return a.size() < b.size();
  const bool is_letter = is_letter_at(a, at);
  const bool is_other_letter = is_letter_at(b, at);
  if (is_letter && is_other_letter)
    return static_cast<unsigned char>(a[at]) < static_cast<unsigned char>(b[at]);
  if (is_letter || is_other_letter) return is_other_letter;
  int64_t start = 0;
  if (a[at] == '0' || b[at] == '0') {
    for (size_t i = at; i > 0 && base::is_digit(a[i - 1]) && start == 0; --i) start = a[i - 1] != '0' ? 1 : 0;
  }
  const auto [number, end] = number_at(a, at, start);
  const auto [other, other_end] = number_at(b, at, start);
  if (number != other) return number < other;
  if (end != other_end) return end < other_end;
  return a[at] < b[at];
}

void write_go_yaml(const Node& node, std::string& out) {
  std::string text;
  GoWriter(text).write_root(node);
  out += text;
}

}  // namespace trainjobc::yaml
