// SPDX-License-Identifier: Apache-2.0

#include "support/expected_texts/cpp_source.h"

#include <algorithm>
#include <cctype>

#include "base/text/text.h"

namespace trainjobc::test {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Scanner {
 public:
  explicit Scanner(CppSource& source) : source_(source), text_(source.text) {}

  void run() {
    source_.code = source_.text;
    while (at_ < text_.size()) {
      const size_t begin = at_;
      if (take_comment() || take_character()) {
        blank(begin);
      } else if (take_string()) {
        blank(begin);
      } else {
        if (text_[at_] != ' ' && text_[at_] != '\n') may_join_ = false;
        ++at_;
      }
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void blank(size_t begin) {
    for (size_t i = begin; i < at_; ++i) {
      if (source_.code[i] != '\n') source_.code[i] = ' ';
    }
  }

  void skip_to(std::string_view end) {
    const size_t found = text_.find(end, at_ + 2);
    at_ = found == text_.npos ? text_.size() : found + end.size();
  }

  bool take_comment() {
    if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    skip_to(peek(1) == '/' ? "\n" : "*/");
    return true;
  }

  // 'x', not the separator in 1'000.
  bool take_character() {
    if (peek() != '\'' || (at_ > 0 && is_word(text_[at_ - 1]))) return false;
    for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
    may_join_ = false;
    return true;
  }

  bool take_string() {
    const bool is_raw = peek() == 'R' && peek(1) == '"' && (at_ == 0 || !is_word(text_[at_ - 1]));
    if (!is_raw && peek() != '"') return false;
    if (!may_join_) source_.literals.push_back({.begin = at_});
    may_join_ = true;
    literal().places.resize(literal().value.size());
    if (is_raw)
      take_raw();
    else
      take_ordinary();
    literal().end = at_;
    return true;
  }

  StringLiteral& literal() { return source_.literals.back(); }

  void add(std::string_view bytes, size_t begin, size_t end, bool is_raw) {
    literal().value += bytes;
    literal().places.resize(literal().value.size(), {begin, end, is_raw});
  }

  void take_raw() {
    const size_t open = std::min(text_.find('(', at_), text_.size() - 1);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const size_t end = std::min(text_.find(close, open), text_.size());
    for (size_t i = open + 1; i < end; ++i) add(text_.substr(i, 1), i, i + 1, true);
    literal().places.push_back({end, end, true});
    at_ = std::min(end + close.size(), text_.size());
  }

  void take_ordinary() {
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      const size_t begin = at_;
      const std::string bytes = take_unit();
      add(bytes, begin, at_, false);
    }
    literal().places.push_back({at_, at_, false});
    at_ = std::min(at_ + 1, text_.size());
  }

  // A character or an escape sequence.
  std::string take_unit() {
    if (peek() != '\\') return {text_[at_++]};
    ++at_;
    const char kind = peek();
    if (kind >= '0' && kind <= '7') return {static_cast<char>(take_number(8, 3))};
    ++at_;
    if (kind == 'x') return {static_cast<char>(take_number(16, text_.size()))};
    if (kind == 'u' || kind == 'U') return utf8(take_number(16, kind == 'u' ? 4 : 8));
    static constexpr std::string_view kNames = "abfnrtv";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v";
    const size_t found = kNames.find(kind);
    return {found == kNames.npos ? kind : kBytes[found]};
  }

  unsigned long take_number(int base, size_t digits) {
    size_t length = 0;
    while (length < digits && std::isxdigit(static_cast<unsigned char>(peek(length))) != 0 &&
           (base == 16 || peek(length) < '8')) {
      ++length;
    }
    const unsigned long number = std::stoul("0" + std::string(text_.substr(at_, length)), nullptr, base);
    at_ += length;
    return number;
  }

  static std::string utf8(unsigned long code) {
    std::string bytes;
    base::append_utf8(static_cast<uint32_t>(code), bytes);
    return bytes;
  }

  CppSource& source_;
  std::string_view text_;
  size_t at_ = 0;
  bool may_join_ = false;  // since the last literal there was only space
};

std::string escaped(char c) {
  switch (c) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '"': return "\\\"";
    case '\\': return "\\\\";
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= ' ' && byte != 0x7f) return {c};
  const auto digit = [byte](unsigned shift) { return static_cast<char>('0' + ((byte >> shift) & 7U)); };
  return {'\\', digit(6), digit(3), digit(0)};
}

}  // namespace

CppSource::CppSource(std::string text_of_file) : text(std::move(text_of_file)) {
  Scanner(*this).run();
}

const StringLiteral* CppSource::literal_at(size_t begin) const {
  const auto found = std::ranges::find(literals, begin, &StringLiteral::begin);
  return found == literals.end() ? nullptr : &*found;
}

std::string with_value(const CppSource& source, const StringLiteral& literal, std::string_view value) {
  const std::string_view old = literal.value;
  const auto splits_escape = [&](size_t i) {
    return i > 0 && i < old.size() && literal.places[i - 1].begin == literal.places[i].begin;
  };
  size_t first = static_cast<size_t>(std::ranges::mismatch(old, value).in1 - old.begin());
  while (splits_escape(first)) --first;
  size_t same = 0;
  while (same < std::min(old.size(), value.size()) - first &&
         old[old.size() - 1 - same] == value[value.size() - 1 - same]) {
    ++same;
  }
  while (splits_escape(old.size() - same)) --same;

  const StringLiteral::Place& from = literal.places[first];
  const size_t last = old.size() - same;
  const size_t end = last > first ? literal.places[last - 1].end : from.begin;
  const std::string_view added = value.substr(first, value.size() - same - first);
  std::string text;
  const size_t line = source.text.rfind('\n', literal.begin) + 1;
  for (size_t i = 0; i < added.size(); ++i) {
    text += from.is_raw ? std::string(1, added[i]) : escaped(added[i]);
    if (!from.is_raw && added[i] == '\n' && i + 1 < added.size()) {
      text += "\"\n" + std::string(literal.begin - line, ' ') + "\"";
    }
  }
  CppSource changed(source.text.substr(0, from.begin) + text + source.text.substr(end));
  const StringLiteral* written = changed.literal_at(literal.begin);
  return written && written->value == value ? changed.text : "";
}

}  // namespace trainjobc::test
