// SPDX-License-Identifier: Apache-2.0

// Which inputs a fuzz target checks more of than of others.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainjobc::test {

// Whether the text is one of the 1 in `of` that cost more; always the same ones.
inline bool is_sampled(std::string_view text, uint64_t of) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return (hash >> 32U) % of == 0;
}

}  // namespace trainjobc::test
