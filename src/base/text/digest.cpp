// SPDX-License-Identifier: Apache-2.0

#include "base/text/digest.h"

#include <algorithm>
#include <random>

namespace trainjobc::base {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr uint64_t kPrime = (uint64_t{1} << 61U) - 1;
constexpr size_t kWord = 7;  // bytes, so that a word is less than the prime

uint64_t remainder_of(Wide value) {
  const auto sum = static_cast<uint64_t>(value & kPrime) + static_cast<uint64_t>(value >> 61U);
  return sum >= kPrime ? sum - kPrime : sum;
}

uint64_t leading_number(std::string_view bytes) {
  uint64_t word = 0;
  for (const char c : bytes) word = word << 8U | static_cast<unsigned char>(c);
  return word;
}

uint64_t random_key(std::random_device& source) {
  const Wide bits = Wide{source()} << 32U | source();
  return std::max<uint64_t>(remainder_of(bits), 2);
}

}  // namespace

Digester::Digester() {
  std::random_device source;
  first_key_ = random_key(source);
  second_key_ = random_key(source);
}

// The words are the coefficients of a polynomial, which is evaluated at both keys: two polynomials of degree
// n have the same value at no more than n of 2^61 keys.
Digest Digester::of(std::string_view text) const {
  Digest digest{text.size(), text.size()};
  while (!text.empty()) {
    const uint64_t word = leading_number(text.substr(0, kWord));
    digest.first = remainder_of(Wide{digest.first} * first_key_ + word);
    digest.second = remainder_of(Wide{digest.second} * second_key_ + word);
    text.remove_prefix(std::min(kWord, text.size()));
  }
  return digest;
}

}  // namespace trainjobc::base
