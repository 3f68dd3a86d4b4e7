// SPDX-License-Identifier: Apache-2.0

// Columns in UTF-16 code units, as editors and code scanners count them.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainjobc::base {

// The number of code units of a text. A byte that is not UTF-8 counts as one, unless it could continue a
// character.
size_t utf16_length(std::string_view text);

// The byte offset of a code unit in a line; the line's size if the line is shorter. In the middle of a
// surrogate pair, that of the character.
size_t utf16_offset(std::string_view line, size_t units);

}  // namespace trainjobc::base
