#include "yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace trainjobc::yaml {
namespace {

template <size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrues{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                  "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalses{"n",     "N",     "no",  "No",  "NO", "false",
                                                   "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> kNotJson{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                    "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_yaml_float(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const size_t whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

struct Digits {
  bool negative = false;
  int base = 10;
  std::string_view digits;
};

// Splits off the sign and Go's base prefixes (0x, 0o, 0b, a leading 0 for octal).
Digits split_integer(std::string_view text) {
  Digits out;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 1 && text.front() == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    if (mark == 'x') out.base = 16;
    if (mark == 'o') out.base = 8;
    if (mark == 'b') out.base = 2;
    text.remove_prefix(out.base == 10 ? 1 : 2);
    if (out.base == 10) out.base = 8;
  }
  out.digits = text;
  return out;
}

// The decimal spelling of an integer that fits int64 or uint64.
std::optional<std::string> integer_text(std::string_view text) {
  const Digits parts = split_integer(text);
  if (parts.digits.empty()) return std::nullopt;
  uint64_t magnitude = 0;
  const char* end = parts.digits.data() + parts.digits.size();
  const auto [stop, error] = std::from_chars(parts.digits.data(), end, magnitude, parts.base);
  if (error != std::errc() || stop != end) return std::nullopt;
  constexpr uint64_t kMinMagnitude = uint64_t{1} << 63U;
  if (parts.negative && magnitude > kMinMagnitude) return std::nullopt;
  // Go's ParseUint takes no sign: "+9223372036854775808" is left to the float rule.
  if (!parts.negative && text.front() == '+' && magnitude >= kMinMagnitude) return std::nullopt;
  if (magnitude == 0) return "0";
  return fmt::format("{}{}", parts.negative ? "-" : "", magnitude);
}

std::optional<Scalar> resolve_number(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (plain.empty()) return Scalar{};
  if (auto integer = integer_text(plain)) return Scalar{Kind::Int, std::move(*integer)};
  if (!is_yaml_float(plain)) return Scalar{};
  const char* begin = plain.data() + (plain.front() == '+' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, plain.data() + plain.size(), value);
  static_cast<void>(end);
  if (error == std::errc::result_out_of_range && std::abs(value) < 1) value = 0;
  if (error == std::errc::result_out_of_range && value != 0) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone on overflow and underflow alike; tell them apart by the exponent.
    const bool tiny = plain.find("e-") != std::string::npos || plain.find("E-") != std::string::npos;
    if (!tiny) return std::nullopt;
  }
  std::string number = json_number(value);
  const bool whole = number.find_first_of(".e") == std::string::npos;
  if (number == "-0") number = "0";
  return Scalar{whole ? Kind::Int : Kind::Float, std::move(number)};
}

// YAML 1.1's base 60 numbers, 12:30 or 1:20:30.5: not Kubernetes' reading, but other tools'.
bool looks_sexagesimal(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == ':' || c == '.' || c == '_' ||
                                                       c == '-' || c == '+'; });
}

// 2001-01-01 and longer timestamps.
bool looks_like_date(std::string_view text) {
  if (text.size() < 8 || !std::ranges::all_of(text.substr(0, 4), is_digit) || text[4] != '-') return false;
  return is_digit(text[5]);
}

}  // namespace

std::string json_number(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-6 || size >= 1e21)) {
    std::string text = fmt::format("{:e}", value);
    // Shortest digits, with the exponent spelt as Go does.
    std::array<char, 40> buffer{};
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
    static_cast<void>(error);
    text.assign(buffer.data(), end);
    const size_t mark = text.find("e-0");
    if (mark != std::string::npos) text.erase(mark + 2, 1);
    return text;
  }
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  static_cast<void>(error);
  return {buffer.data(), end};
}

std::optional<Scalar> resolve_plain(std::string_view text) {
  if (is_one_of(text, kNulls)) return Scalar{Kind::Null, "null"};
  const char first = text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    if (is_one_of(text, kNotJson)) return std::nullopt;
    if (first == '.') {
      // Underscores are only dropped from what begins with a digit or sign.
      return is_yaml_float(text) ? resolve_number(text) : Scalar{};
    }
    return resolve_number(text);
  }
  if (is_one_of(text, kTrues)) return Scalar{Kind::Bool, "true"};
  if (is_one_of(text, kFalses)) return Scalar{Kind::Bool, "false"};
  return Scalar{};
}

bool is_ambiguous_plain(std::string_view text) {
  const std::optional<Scalar> scalar = resolve_plain(text);
  if (!scalar || scalar->kind != Kind::String) return true;
  if (text == "=" || text == "<<") return true;
  const char first = text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    return looks_sexagesimal(text) || looks_like_date(text) || text.starts_with("0o") ||
           text.starts_with("0x") || text.starts_with("0b");
  }
  return false;
}

}  // namespace trainjobc::yaml
