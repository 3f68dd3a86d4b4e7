// SPDX-License-Identifier: Apache-2.0

// Names as numbers, to search tables of names fast.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace trainjobc::base {

// The first eight bytes of a name as a number: names that differ in them have the order of these numbers.
constexpr uint64_t prefix_of(std::string_view name) {
  constexpr size_t kBytes = 8;
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little && name.size() >= kBytes) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, name.data(), kBytes);
    return __builtin_bswap64(bytes);
  }
  const size_t size = std::min(name.size(), kBytes);
  uint64_t prefix = 0;
  for (size_t i = 0; i < size; ++i) prefix = prefix << 8U | static_cast<unsigned char>(name[i]);
  return size == 0 ? 0 : prefix << 8 * (kBytes - size);
}

}  // namespace trainjobc::base
