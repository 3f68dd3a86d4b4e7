// SPDX-License-Identifier: Apache-2.0

// Classes of ASCII characters, independent of the locale. Other bytes are in none of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace trainjobc::base {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kGoSpace = " \t\n\v\f\r";  // what Go's strings.TrimSpace removes

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
  return is_lower(c) || is_upper(c);
}
constexpr bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}
constexpr bool is_alnum(char c) {
  return is_letter(c) || is_digit(c);
}

// Whether no byte is above 0x7F.
inline bool is_ascii(std::string_view text) {
  constexpr uint64_t kHigh = 0x8080808080808080U;
  uint64_t bytes = 0;
  uint64_t seen = 0;
  while (text.size() >= sizeof bytes) {
    std::memcpy(&bytes, text.data(), sizeof bytes);
    seen |= bytes;
    text.remove_prefix(sizeof bytes);
  }
  for (const char c : text) seen |= static_cast<unsigned char>(c);
  return (seen & kHigh) == 0;
}

// Whether all bytes are printable ASCII or line feeds.
inline bool is_plain_ascii(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101U;
  constexpr uint64_t kHigh = 0x80 * kOnes;
  uint64_t wrong = 0;
  while (text.size() >= sizeof wrong) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    // The high bit of each line feed; with it they become printable.
    const uint64_t other = bytes ^ ('\n' * kOnes);
    const uint64_t feeds = ~(((other & ~kHigh) + ~kHigh) | other) & kHigh;
    bytes |= feeds >> 2U;
    // A high bit is set where a byte is above 0x7E or below 0x20. Only such a byte carries or borrows.
    wrong |= (bytes + kOnes) | bytes | (bytes - 0x20 * kOnes);
    text.remove_prefix(sizeof bytes);
  }
  if ((wrong & kHigh) != 0) return false;
  for (const char c : text) {
    if ((c < ' ' || c > '~') && c != '\n') return false;
  }
  return true;
}

constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char to_upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// The text without the characters of `space` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view space = kSpace) {
  const size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}
inline std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_upper(c);
  return out;
}

}  // namespace trainjobc::base
