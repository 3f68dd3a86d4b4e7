// SPDX-License-Identifier: Apache-2.0

// The string literals of a C++ source file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::test {

// Adjacent literals are one.
struct StringLiteral {
  // The range in which a byte of the value is written. The last entry is the end of the value: an empty range
  // before the closing quote.
  struct Place {
    size_t begin = 0;
    size_t end = 0;
    bool is_raw = false;
  };

  size_t begin = 0;  // of the first quote or prefix
  size_t end = 0;    // one past the last quote
  std::string value;
  std::vector<Place> places;
};

struct CppSource {
  explicit CppSource(std::string text);

  // The literal that begins at that offset; nullptr if there is none.
  const StringLiteral* literal_at(size_t begin) const;

  std::string text;
  std::string code;  // `text` with blanks for comments, characters and string literals
  std::vector<StringLiteral> literals;
};

// The source with another value for one of its literals, in the literal's style: unchanged parts stay, and an
// ordinary literal has one source line per line of the value. Empty if the value can't be written in this
// style.
std::string with_value(const CppSource& source, const StringLiteral& literal, std::string_view value);

}  // namespace trainjobc::test
