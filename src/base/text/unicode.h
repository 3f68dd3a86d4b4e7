// SPDX-License-Identifier: Apache-2.0

// UTF-8: one code point at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::base {

struct CodePoint {
  size_t length = 0;  // 0: the text is empty or does not begin with UTF-8
  uint32_t value = 0;
};

// The code point that `text` begins with. Surrogates, overlong forms and values above U+10FFFF are invalid.
CodePoint decode_utf8(std::string_view text);

// Appends a code point; surrogates and values above U+10FFFF become U+FFFD.
void append_utf8(uint32_t value, std::string& out);

// `text` with U+FFFD for each byte that is not valid UTF-8, as Go's encoding/json writes it.
std::string to_valid_utf8(std::string_view text);

// Characters that look like a space, or like nothing, and are something else to a parser. They come along
// when text is copied from a page or a chat.

// The first of them in the text, as "a no-break space (U+00A0)"; "" if there is none.
std::string odd_space_in(std::string_view text);
// The text with a space in their place, or with nothing where they have no width.
std::string with_plain_spaces(std::string_view text);
// The same, of a single character that the text begins with; nullopt if it begins with another.
struct OddSpace {
  size_t length = 0;
  uint32_t code = 0;
};
std::optional<OddSpace> odd_space_at(std::string_view text);

// The text without the curly quotes around it, single or double; as it is if there are none.
std::string_view without_curly_quotes(std::string_view text);

// Columns in UTF-16 code units, as editors and code scanners count them.

// The number of code units of a text. A byte that is not UTF-8 counts as one, unless it could continue a
// character.
size_t utf16_length(std::string_view text);

// The byte offset of a code unit in a line; the line's size if the line is shorter. In the middle of a
// surrogate pair, that of the character.
size_t utf16_offset(std::string_view line, size_t units);

}  // namespace trainjobc::base
