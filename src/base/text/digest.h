// SPDX-License-Identifier: Apache-2.0

// What two texts have in common only if they are the same.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace trainjobc::base {

struct Digest {
  uint64_t first = 0;
  uint64_t second = 0;

  auto operator<=>(const Digest&) const = default;
};

// Digests texts with a random key, without which nobody can write two texts with the same digest.
// Digests of two Digesters can't be compared.
class Digester {
 public:
  Digester();

  Digest of(std::string_view text) const;

 private:
  uint64_t first_key_;
  uint64_t second_key_;
};

}  // namespace trainjobc::base
