// SPDX-License-Identifier: Apache-2.0

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace trainjobc::base {

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000

std::errc read_double(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::errc::invalid_argument;
  // A subnormal number is ERANGE, too, but valid.
  if (errno == ERANGE && (number == 0 || std::isinf(number))) return std::errc::result_out_of_range;
  value = number;
  return {};
}

#else

std::errc read_double(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec;
}

#endif

std::optional<int64_t> read_integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  const auto next = [&](size_t at) {  // searching for one character is faster
    return separators.size() == 1 ? text.find(separators.front(), at) : text.find_first_of(separators, at);
  };
  for (size_t at = 0; at <= text.size(); at += parts.back().size() + 1)
    parts.push_back(text.substr(at, std::min(next(at), text.size()) - at));
  return parts;
}

std::vector<std::string_view> non_empty_parts(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts = split(text, separators);
  std::erase(parts, "");
  return parts;
}

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
  unsigned pending = 0;  // bits that are read, but not yet written
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

namespace {

constexpr std::string_view kSpecial = "|&;<>()$`*?[]{}~!\n";  // special to a shell outside of quotes

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : line_(line) {}

  std::optional<std::vector<std::string>> split() {
    for (; at_ < line_.size(); ++at_) {
      if (!take(line_[at_])) return std::nullopt;
    }
    end_word();
    return std::move(words_);
  }

 private:
  bool take(char c) {
    if (is_blank(c)) {
      end_word();
      return true;
    }
    if (c == '\'' || c == '"') return take_quoted(c);
    if (c == '\\') return take_escaped();
    if (const size_t length = variable_length(); length > 0) {
      for (size_t i = 0; i < length; ++i) add(line_[at_ + i]);
      at_ += length - 1;
      return true;
    }
    if (kSpecial.find(c) != std::string_view::npos || (c == '#' && !in_word_)) return false;
    add(c);
    return true;
  }

  // The length of the $(NAME) here; 0 if there is none.
  size_t variable_length() const {
    const std::string_view rest = line_.substr(at_);
    if (!rest.starts_with("$(")) return 0;
    size_t end = 2;
    while (end < rest.size() && (is_upper(rest[end]) || is_digit(rest[end]) || rest[end] == '_')) ++end;
    return end > 2 && end < rest.size() && rest[end] == ')' ? end + 1 : 0;
  }

  bool take_quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != quote; ++at_) {
      if (quote == '"' && (line_[at_] == '$' || line_[at_] == '`')) return false;
      const bool escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
      if (escapes) ++at_;
      add(line_[at_]);
    }
    return at_ < line_.size();
  }

  bool take_escaped() {
    if (at_ + 1 >= line_.size() || line_[at_ + 1] == '\n') return false;
    add(line_[++at_]);
    return true;
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  std::string_view line_;
  size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  return WordSplitter(line).split();
}

namespace {

bool is_surrogate(uint32_t value) {
  return value >= 0xD800 && value <= 0xDFFF;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return {};
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  uint32_t value = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = value << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[length] || value > 0x10FFFF || is_surrogate(value)) return {};
  return {length, value};
}

void append_utf8(uint32_t value, std::string& out) {
  if (is_surrogate(value) || value > 0x10FFFF) value = 0xFFFD;
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (value >> shift & 0x3FU)); };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0U | value >> 6U);
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0U | value >> 12U);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | value >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text.substr(at));
    if (point.length == 0) {
      append_utf8(0xFFFD, out);
      ++at;
      continue;
    }
    out += text.substr(at, point.length);
    at += point.length;
  }
  return out;
}

namespace {

struct SpaceName {
  uint32_t code;
  std::string_view name;
  bool has_width;
};

constexpr std::array kOddSpaces = std::to_array<SpaceName>({{0xA0, "a no-break space", true},
                                                            {0x2002, "an en space", true},
                                                            {0x2003, "an em space", true},
                                                            {0x2009, "a thin space", true},
                                                            {0x200B, "a zero-width space", false},
                                                            {0x202F, "a narrow no-break space", true},
                                                            {0x2060, "a word joiner", false},
                                                            {0x3000, "an ideographic space", true},
                                                            {0xFEFF, "a byte order mark", false}});

const SpaceName* find_space(uint32_t code) {
  const auto* found = std::ranges::find(kOddSpaces, code, &SpaceName::code);
  return found != kOddSpaces.end() ? found : nullptr;
}

}  // namespace

std::optional<OddSpace> odd_space_at(std::string_view text) {
  const CodePoint point = decode_utf8(text);
  return point.length > 1 && find_space(point.value) ? std::optional(OddSpace{point.length, point.value})
                                                     : std::nullopt;
}

std::string odd_space_in(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const auto odd = odd_space_at(text.substr(at));
    if (odd) return fmt::format("{} (U+{:04X})", find_space(odd->code)->name, odd->code);
  }
  return "";
}

std::string_view without_curly_quotes(std::string_view text) {
  constexpr size_t kLength = 3;  // the length of each in UTF-8
  constexpr std::array<std::string_view, 6> kQuotes{"\u201C", "\u201D", "\u201E",
                                                    "\u2018", "\u2019", "\u201A"};
  const auto is_quote = [&](std::string_view part) { return contains(kQuotes, part); };
  if (text.size() < 2 * kLength) return text;
  const bool is_quoted = is_quote(text.substr(0, kLength)) && is_quote(text.substr(text.size() - kLength));
  return is_quoted ? text.substr(kLength, text.size() - 2 * kLength) : text;
}

std::string with_plain_spaces(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto odd = odd_space_at(text.substr(at));
    if (!odd) {
      out += text[at++];
      continue;
    }
    if (find_space(odd->code)->has_width) out += ' ';
    at += odd->length;
  }
  return out;
}

namespace {

// The code units that this byte adds: 0 for a continuation byte.
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
