// SPDX-License-Identifier: Apache-2.0

// The tokens of a CEL expression.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::cel {

enum class Token : uint8_t { End, Ident, Int, Uint, Double, String, Bytes, Sign, Wrong };

struct Lexeme {
  Token token = Token::End;
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string_view text;  // as it is written; of Sign, the operator or bracket
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token; End again and again after the last one.
  Lexeme next();

 private:
  bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void skip_space();
  void take_digits();
  Lexeme take_number();
  Lexeme take_text(size_t quote);
  Lexeme made(Token token, size_t begin) const;

  std::string_view text_;
  size_t at_ = 0;
};

// The value of a String or Bytes token; what is wrong with it in `problem` otherwise.
std::string unescape(std::string_view text, bool is_bytes, std::string& problem);

}  // namespace trainjobc::cel
