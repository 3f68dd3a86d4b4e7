// SPDX-License-Identifier: Apache-2.0

#include "base/text/utf16.h"

namespace trainjobc::base {
namespace {

// The code units that a character adds with this byte: 0 for a byte that continues it.
size_t units_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xC0U) == 0x80) return 0;
  return byte >= 0xF0 ? 2 : 1;
}

}  // namespace

size_t utf16_length(std::string_view text) {
  size_t units = 0;
  for (const char c : text) units += units_of(c);
  return units;
}

size_t utf16_offset(std::string_view line, size_t units) {
  for (size_t at = 0; at < line.size(); ++at) {
    const size_t own = units_of(line[at]);
    if (own > 0 && units < own) return at;
    units -= own;
  }
  return line.size();
}

}  // namespace trainjobc::base
