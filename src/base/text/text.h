// SPDX-License-Identifier: Apache-2.0

// Texts: ASCII and UTF-8 characters, numbers, Base64, the words of command lines.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace trainjobc::base {

// Whether one of the elements equals `value`, after projection.
template <typename Range, typename Value, typename Projection = std::identity>
constexpr bool contains(const Range& values, const Value& value, Projection projection = {}) {
  return std::ranges::find(values, value, projection) != std::ranges::end(values);
}

// The first of the elements that equals `value`, after projection; nullptr if there is none.
template <typename Range, typename Value, typename Projection = std::identity>
requires std::is_lvalue_reference_v<Range> || std::ranges::borrowed_range<Range>
constexpr auto* find(Range&& values, const Value& value, Projection projection = {}) {
  const auto found = std::ranges::find(values, value, projection);
  return found != std::ranges::end(values) ? &*found : nullptr;
}

// Appends the elements to the list.
template <typename List, typename Range>
void append(List& list, const Range& values) {
  list.insert(list.end(), std::ranges::begin(values), std::ranges::end(values));
}

// The value of the key in a map; `otherwise` if the key is missing.
template <typename Map, typename Key, typename Value = typename Map::mapped_type>
Value value_or(const Map& map, const Key& key, const Value& otherwise = Value()) {
  const auto found = map.find(key);
  return found != map.end() ? found->second : otherwise;
}

// Classes of ASCII characters, independent of the locale. Other bytes belong to none of them.

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
    // The high bit of each line feed's byte; shifted to 0x20, it makes the line feed printable.
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

// The text without the characters of `space` at either end.
constexpr std::string_view trimmed(std::string_view text, std::string_view space = kSpace) {
  const size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

// How many spaces the line begins with.
constexpr size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
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

// Lists of words.

// The parts of a text between any of these characters, including empty ones: at least one, even for "".
std::vector<std::string_view> split(std::string_view text, std::string_view separators);
// Like split, without the empty parts.
std::vector<std::string_view> non_empty_parts(std::string_view text, std::string_view separators);

// "3 fields", "1 field"
std::string counted(std::integral auto count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

// The words as in a sentence: "a", "a and b", "a, b and c".
template <typename Words>
std::string word_list(const Words& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

// Names as numbers, to search tables of names fast.

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

// The lines of a text, one after the other:
//
//   for (const std::string_view line : base::Lines(text)) …

// Lines without their '\n'. A '\n' at the end does not begin another line; an empty text has no lines.
class Lines {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest), size_(line_size(rest)) {}

    std::string_view operator*() const { return rest_.substr(0, size_); }
    Iterator& operator++() {
      rest_.remove_prefix(std::min(size_ + 1, rest_.size()));
      size_ = line_size(rest_);
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return rest_.empty(); }

   private:
    static size_t line_size(std::string_view text) { return std::min(text.find('\n'), text.size()); }

    std::string_view rest_;
    size_t size_;
  };

  explicit Lines(std::string_view text) : text_(text) {}

  Iterator begin() const { return Iterator(text_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::string_view text_;
};

// Reads the whole text as a decimal number, "-" allowed before it; nullopt if it is not one, or does not fit.
std::optional<int64_t> read_integer(std::string_view text);

// std::from_chars for floating-point numbers, which libc++ has only since version 20.

// Reads the decimal number at the beginning of the text. On an error, `value` stays the same; a number too
// large or too small is result_out_of_range.
std::errc read_double(std::string_view text, double& value);

// Base64 with the standard alphabet and padding (RFC 4648 section 4), as Secrets, PEM and SSH write it.

// One line without breaks, always padded.
std::string base64_encode(std::string_view bytes);

// The bytes of a canonical text. nullopt for anything else, so that a value has only one spelling: white
// space, line breaks, missing or misplaced padding and unused bits that are not zero are all invalid.
std::optional<std::string> base64_decode(std::string_view text);

// Command lines as a POSIX shell reads them.

// The words of a command line, without their quotes. nullopt if only a shell can tell them: the line has
// operators, expansions, globs or a comment, or a quote is not closed. $(NAME), which Kubernetes replaces, is
// part of a word.
std::optional<std::vector<std::string>> split_words(std::string_view line);

// UTF-8: one code point at a time.

struct CodePoint {
  size_t length = 0;  // 0: the text is empty or does not begin with UTF-8
  uint32_t value = 0;
};

// Whether the byte belongs to a character, but does not begin it.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The code point that `text` begins with. Surrogates, overlong forms and values above U+10FFFF are invalid.
CodePoint decode_utf8(std::string_view text);

// Appends a code point; surrogates and values above U+10FFFF become U+FFFD.
void append_utf8(uint32_t value, std::string& out);

// `text` with U+FFFD for each byte that is not valid UTF-8, as Go's encoding/json writes it.
std::string to_valid_utf8(std::string_view text);

// Characters that look like a space, or like nothing, but mean something else to a parser. They are often
// copied from a page or a chat.

// The first odd space in the text, as "a no-break space (U+00A0)"; "" if there is none.
std::string odd_space_in(std::string_view text);
// The text with odd spaces replaced by spaces, or removed if they have no width.
std::string with_plain_spaces(std::string_view text);
// The odd space at the beginning of the text; nullopt if there is none.
struct OddSpace {
  size_t length = 0;
  uint32_t code = 0;
};
std::optional<OddSpace> odd_space_at(std::string_view text);

// The text without the single or double curly quotes around it; unchanged if there are none.
std::string_view without_curly_quotes(std::string_view text);

// Columns in UTF-16 code units, as editors and code scanners count them.

// The number of code units of a text. A byte that is not UTF-8 counts as one, unless it could continue a
// character.
size_t utf16_length(std::string_view text);

// The byte offset of a code unit in a line; the line's size if the line is shorter. For the second half of a
// surrogate pair, the offset of its character.
size_t utf16_offset(std::string_view line, size_t units);

}  // namespace trainjobc::base
