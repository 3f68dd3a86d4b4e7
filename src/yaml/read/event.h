// SPDX-License-Identifier: Apache-2.0

// Event: one step through a YAML document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainjobc::yaml {

// Offsets are bytes of the document's text.
struct Event {
  enum class Type : uint8_t { Scalar, Alias, OpenList, OpenMap, Close, End };

  Type type = Type::End;
  bool plain = false;       // of a scalar: neither quoted nor a block scalar
  bool flow = false;        // of a collection: within brackets, or a pair in one
  std::string_view text;    // of a scalar or an alias; lives until the next event is read
  std::string_view anchor;  // lives as long as the document's text
  std::string_view tag;     // "tag:yaml.org,2002:int" for !!int; lives until the next event is read
  size_t start = 0;  // with anchor and tag; 0 for End and for a Close without a bracket, like the others
  size_t begin = 0;  // without them
  size_t end = 0;    // of a scalar, an alias or a bracket; else `begin`

  bool operator==(const Event&) const = default;
};

}  // namespace trainjobc::yaml
