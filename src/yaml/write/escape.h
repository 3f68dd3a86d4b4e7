// SPDX-License-Identifier: Apache-2.0

// Escape sequences that double-quoted YAML and JSON share.
#pragma once

#include <string_view>

namespace trainjobc::yaml {

// Quotes, backslashes, tabs and line breaks as written between double quotes; "" for other characters.
constexpr std::string_view short_escape(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return "";
  }
}

}  // namespace trainjobc::yaml
