// SPDX-License-Identifier: Apache-2.0

#include "cel/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text/text.h"

namespace trainjobc::cel {
namespace {

constexpr std::array<std::string_view, 6> kTwoCharacters{"==", "!=", "<=", ">=", "&&", "||"};
constexpr std::string_view kOneCharacter = "+-*/%<>!?:.,()[]{}";
constexpr std::string_view kSkipped = " \t\r\n\f";

bool starts_name(char c) {
  return base::is_letter(c) || c == '_';
}
bool continues_name(char c) {
  return base::is_alnum(c) || c == '_';
}

bool is_hex_digit(char c) {
  return base::is_digit(c) || base::contains(std::string_view("abcdef"), base::to_lower(c));
}

bool is_rune(uint32_t value) {
  return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

// Takes `count` digits of a base from the front; nullopt if they are not there.
std::optional<uint32_t> take_code(std::string_view& text, size_t count, int base) {
  if (text.size() < count) return std::nullopt;
  uint32_t value = 0;
  const char* end = text.data() + count;
  const auto [read_to, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || read_to != end) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

// Appends what a backslash and the rest of `text`, from which it is taken, stand for.
bool take_escape(std::string_view& text, bool is_bytes, std::string& out) {
  if (text.empty()) return false;
  constexpr std::string_view kNames = "abfnrtv\\'\"`?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"`?";
  const char kind = text.front();
  if (const size_t known = kNames.find(kind); known != std::string_view::npos) {
    out += kValues[known];
    text.remove_prefix(1);
    return true;
  }
  std::optional<uint32_t> value;
  if (kind >= '0' && kind <= '3') {
    value = take_code(text, 3, 8);
  } else if (base::contains(std::string_view("xXuU"), kind)) {
    const bool is_byte = base::to_lower(kind) == 'x';
    if (is_bytes && !is_byte) return false;
    text.remove_prefix(1);
    value = take_code(text, is_byte ? 2 : kind == 'u' ? 4 : 8, 16);
  }
  if (!value || (!is_bytes && !is_rune(*value))) return false;
  if (is_bytes) {
    out += static_cast<char>(*value);
  } else {
    base::append_utf8(*value, out);
  }
  return true;
}

std::string with_plain_breaks(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

}  // namespace

Lexeme Lexer::made(Token token, size_t begin) const {
  return {token, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_), text_.substr(begin, at_ - begin)};
}

void Lexer::skip_space() {
  while (true) {
    at_ = std::min(text_.find_first_not_of(kSkipped, at_), text_.size());
    if (!is_at("//")) return;
    at_ = std::min(text_.find('\n', at_), text_.size());
  }
}

void Lexer::take_digits() {
  while (at_ < text_.size() && base::is_digit(text_[at_])) ++at_;
}

Lexeme Lexer::take_number() {
  const size_t begin = at_;
  Token token = Token::Int;
  const auto digit_at = [&](size_t at) { return at < text_.size() && base::is_digit(text_[at]); };
  if (is_at("0x") && at_ + 2 < text_.size() && is_hex_digit(text_[at_ + 2])) {
    at_ += 2;
    while (at_ < text_.size() && is_hex_digit(text_[at_])) ++at_;
  } else {
    take_digits();
    if (is_at(".") && digit_at(at_ + 1)) {
      token = Token::Double;
      ++at_;
      take_digits();
    }
    if (is_at("e") || is_at("E")) {
      const bool is_signed = at_ + 1 < text_.size() && (text_[at_ + 1] == '+' || text_[at_ + 1] == '-');
      if (digit_at(at_ + 1 + (is_signed ? 1 : 0))) {
        token = Token::Double;
        at_ += is_signed ? 2 : 1;
        take_digits();
      }
    }
  }
  if (token == Token::Int && (is_at("u") || is_at("U"))) {
    token = Token::Uint;
    ++at_;
  }
  return made(token, begin);
}

// `quote`: where the quotes begin.
Lexeme Lexer::take_text(size_t quote) {
  const size_t begin = at_;
  const std::string_view prefix = text_.substr(begin, quote - begin);
  const bool is_raw = prefix.find_first_of("rR") != std::string_view::npos;
  const bool is_bytes = prefix.find_first_of("bB") != std::string_view::npos;
  const char mark = text_[quote];
  const std::string three(3, mark);
  const bool is_long = text_.substr(quote).starts_with(three);
  const std::string_view close = is_long ? std::string_view(three) : text_.substr(quote, 1);
  at_ = quote + close.size();
  while (at_ < text_.size() && !is_at(close)) {
    if (!is_long && (text_[at_] == '\n' || text_[at_] == '\r')) return made(Token::Wrong, begin);
    at_ += !is_raw && text_[at_] == '\\' ? 2 : 1;
  }
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return made(Token::Wrong, begin);
  }
  at_ += close.size();
  return made(is_bytes ? Token::Bytes : Token::String, begin);
}

Lexeme Lexer::next() {
  skip_space();
  if (at_ == text_.size()) return made(Token::End, at_);
  const size_t begin = at_;
  const char c = text_[at_];
  if (base::is_digit(c) || (c == '.' && at_ + 1 < text_.size() && base::is_digit(text_[at_ + 1])))
    return take_number();
  const size_t quote = std::min(text_.find_first_of("'\"", at_), text_.size());
  const std::string prefix = base::lower_case(text_.substr(at_, std::min<size_t>(quote - at_, 3)));
  if (quote < text_.size() && (prefix.empty() || prefix == "r" || prefix == "b" || prefix == "br"))
    return take_text(quote);
  if (starts_name(c)) {
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return made(Token::Ident, begin);
  }
  for (const std::string_view sign : kTwoCharacters) {
    if (!is_at(sign)) continue;
    at_ += sign.size();
    return made(Token::Sign, begin);
  }
  at_ += std::max<size_t>(base::decode_utf8(text_.substr(at_)).length, 1);
  return made(base::contains(kOneCharacter, c) ? Token::Sign : Token::Wrong, begin);
}

std::string unescape(std::string_view text, bool is_bytes, std::string& problem) {
  const std::string plain = with_plain_breaks(text);
  std::string_view rest = plain;
  const size_t quote = rest.find_first_of("'\"");
  const bool is_raw = rest.substr(0, quote).find_first_of("rR") != std::string_view::npos;
  rest.remove_prefix(quote);
  const size_t marks = rest.size() >= 6 && rest.starts_with(std::string(3, rest.front())) ? 3 : 1;
  rest = rest.substr(marks, rest.size() - 2 * marks);
  if (is_raw) return std::string(rest);
  std::string out;
  for (size_t slash = rest.find('\\'); slash != rest.npos; slash = rest.find('\\')) {
    out += rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (take_escape(rest, is_bytes, out)) continue;
    problem = "unable to unescape string";
    return out;
  }
  out += rest;
  return out;
}

}  // namespace trainjobc::cel
