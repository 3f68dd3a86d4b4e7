// SPDX-License-Identifier: Apache-2.0

#include "base/text/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace trainjobc::base {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t value = 0; value < kAlphabet.size(); ++value) {
    digits[static_cast<uint8_t>(kAlphabet[value])] = static_cast<uint8_t>(value);
  }
  return digits;
}();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0U);
    for (size_t i = 0; i < 4; ++i) {
      text.push_back(i <= group.size() ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=');
    }
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  unsigned pending = 0;  // bits read and not yet written
  for (const char character : text) {
    const uint8_t digit = kDigits[static_cast<uint8_t>(character)];
    if (digit == kNoDigit) return std::nullopt;
    bits = bits << 6 | digit;
    pending += 6;
    if (pending < 8) continue;
    pending -= 8;
    bytes.push_back(static_cast<char>(bits >> pending));
    bits &= (1U << pending) - 1;
  }
  if (bits != 0) return std::nullopt;
  return bytes;
}

}  // namespace trainjobc::base
