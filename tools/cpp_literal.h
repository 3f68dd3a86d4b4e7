// SPDX-License-Identifier: Apache-2.0

// Text as C++ string literals, for the programs that generate code.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::tools {

inline std::string cpp_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {  // three octal digits end the escape, whatever follows
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + ((byte >> 3) & 7)),
              static_cast<char>('0' + (byte & 7))};
    }
  }
  return out + '"';
}

}  // namespace trainjobc::tools
