// SPDX-License-Identifier: Apache-2.0

#include "yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text/text.h"

namespace trainjobc::yaml {
namespace {

using base::is_digit;

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrues{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                  "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalses{"n",     "N",     "no",  "No",  "NO", "false",
                                                   "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 3> kNans{".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 3> kInfinities{".inf", ".Inf", ".INF"};

bool is_sign(char c) {
  return c == '-' || c == '+';
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

struct Digits {
  bool negative = false;
  bool is_signed = false;
  int base = 10;
  std::string_view digits;
};

// Splits off the sign and Go's base prefixes (0x, 0o, 0b, a leading 0 for octal).
Digits split_integer(std::string_view text) {
  Digits out;
  if (!text.empty() && is_sign(text.front())) {
    out.is_signed = true;
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
  // yaml/v2 accepts a sign after "0b" too.
  if (out.base == 2 && !out.is_signed && !text.empty() && is_sign(text.front())) {
    out.is_signed = true;
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  out.digits = text;
  return out;
}

// An integer that fits int64 or uint64; String for anything else.
PlainValue read_integer(std::string_view text) {
  const Digits parts = split_integer(text);
  if (parts.digits.empty()) return {};
  uint64_t magnitude = 0;
  const char* end = parts.digits.data() + parts.digits.size();
  const auto [stop, error] = std::from_chars(parts.digits.data(), end, magnitude, parts.base);
  if (error != std::errc() || stop != end) return {};
  constexpr uint64_t kMinMagnitude = uint64_t{1} << 63U;
  if (magnitude < kMinMagnitude || (parts.negative && magnitude == kMinMagnitude)) {
    const bool minus = parts.negative && magnitude != 0;
    return {PlainType::Int, fmt::format("{}{}", minus ? "-" : "", magnitude)};
  }
  // Go's ParseUint accepts no sign: "+9223372036854775808" is left to the float rule.
  if (parts.is_signed) return {};
  return {PlainType::Uint, fmt::format("{}", magnitude)};
}

// A number of only digits without a leading zero: the usual case.
bool is_simple_integer(std::string_view text) {
  return text.size() < 19 && (text.size() == 1 || text.front() != '0') && std::ranges::all_of(text, is_digit);
}

// Whether a number outside a double's range is too small, rather than too large.
bool is_tiny(std::string_view text) {
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = std::min(digits.find_first_of("123456789"), digits.size());
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  const std::string_view sign = mark + 1 < text.size() && text[mark + 1] == '-' ? "-" : "";
  std::string_view power = mark < text.size() ? text.substr(mark + 1) : "0";
  if (is_sign(power.front())) power.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
  static_cast<void>(end);
  if (error != std::errc()) return !sign.empty();
  return (sign.empty() ? exponent : -exponent) + place < 0;
}

PlainValue read_float(std::string_view text) {
  if (!is_decimal(text)) return {};
  double value = 0;
  const std::errc error = base::read_double(text.substr(text.front() == '+' ? 1 : 0), value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return {};  // Kubernetes reads a number that is too large as a string
    value = text.front() == '-' ? -0.0 : 0.0;
  }
  return {PlainType::Float, "", value};
}

PlainValue read_number(std::string_view text) {
  const size_t start = is_sign(text.front()) ? 1 : 0;
  constexpr std::string_view kStarts = "0123456789._";
  if (text.size() == start || kStarts.find(text[start]) == std::string_view::npos) return {};
  if (is_simple_integer(text)) return {PlainType::Int, std::string(text)};
  const std::string digits = without_underscores(text);
  if (digits.empty()) return {};
  PlainValue integer = read_integer(digits);
  return integer.type != PlainType::String ? integer : read_float(digits);
}

std::optional<double> read_not_json(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (base::contains(kNans, text)) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (!text.empty() && is_sign(text.front())) text.remove_prefix(1);
  if (!base::contains(kInfinities, text)) return std::nullopt;
  return negative ? -kInfinity : kInfinity;
}

// Whether the text is one of YAML 1.1's base 60 numbers, 12:30 or 1:20:30.5, which other tools read, but not
// Kubernetes.
bool looks_sexagesimal(std::string_view text) {
  return text.find(':') != std::string_view::npos && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || c == ':' || c == '.' || c == '_' || c == '-' || c == '+';
         });
}

// The shortest digits of a number; in scientific notation, as Go spells exponents (1e+06).
std::string shortest(auto value, std::chars_format format) {
  std::array<char, 400> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr};
}

// The float as strconv.FormatFloat(value, 'g', -1, 32) writes it: how sigs.k8s.io/yaml spells it as a key.
std::string float_key(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isnan(narrow)) return ".nan";
  if (std::isinf(narrow)) return narrow > 0 ? ".inf" : "-.inf";
  std::string text = shortest(narrow, std::chars_format::scientific);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  return exponent < -4 || exponent >= 6 ? text : shortest(narrow, std::chars_format::fixed);
}

// Whether the text has the form of a date or a time stamp.
bool looks_like_date(std::string_view text) {
  if (text.size() < 8 || !std::ranges::all_of(text.substr(0, 4), is_digit) || text[4] != '-') return false;
  return is_digit(text[5]);
}

}  // namespace

std::string json_number(double value) {
  const double size = std::abs(value);
  const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  std::string text = shortest(value, scientific ? std::chars_format::scientific : std::chars_format::fixed);
  const size_t mark = scientific ? text.find("e-0") : std::string::npos;
  if (mark != std::string::npos) text.erase(mark + 2, 1);
  return text;
}

PlainValue read_plain(std::string_view text) {
  if (text.empty()) return {PlainType::Null, "null"};
  const char first = text.front();
  if (is_digit(first) || is_sign(first)) {
    if (const auto number = read_not_json(text)) return {PlainType::Float, "", *number};
    return read_number(text);
  }
  if (first == '.') {
    if (const auto number = read_not_json(text)) return {PlainType::Float, "", *number};
    // Go's own rule, for a number that begins with its point: an underscore must be between digits.
    for (size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
      if (!is_digit(text[at - 1]) || at + 1 == text.size() || !is_digit(text[at + 1])) return {};
    }
    return read_float(without_underscores(text));
  }
  constexpr std::string_view kFirsts = "yYnNtTfFoO~";
  if (text.size() > 5 || kFirsts.find(first) == std::string_view::npos) return {};
  if (base::contains(kNulls, text)) return {PlainType::Null, "null"};
  if (base::contains(kTrues, text)) return {PlainType::Bool, "true"};
  if (base::contains(kFalses, text)) return {PlainType::Bool, "false"};
  return {};
}

std::optional<Scalar> to_json(const PlainValue& value) {
  switch (value.type) {
    case PlainType::Null: return Scalar{Kind::Null, value.text};
    case PlainType::Bool: return Scalar{Kind::Bool, value.text};
    case PlainType::Int:
    case PlainType::Uint: return Scalar{Kind::Int, value.text};
    case PlainType::String: return Scalar{};
    case PlainType::Float: break;
  }
  if (!std::isfinite(value.number)) return std::nullopt;
  std::string number = json_number(value.number);
  const bool whole = number.find_first_of(".e") == std::string::npos;
  if (number == "-0") number = "0";
  return Scalar{whole ? Kind::Int : Kind::Float, std::move(number)};
}

std::optional<Scalar> resolve_plain(std::string_view text) {
  return to_json(read_plain(text));
}

std::optional<std::string> key_text(const PlainValue& value) {
  switch (value.type) {
    case PlainType::Null:
    case PlainType::Uint: return std::nullopt;
    case PlainType::Float: return float_key(value.number);
    default: return value.text;
  }
}

bool is_ambiguous_plain(std::string_view text) {
  const std::optional<Scalar> scalar = resolve_plain(text);
  if (!scalar || scalar->kind != Kind::String) return true;
  if (text == "=" || text == "<<") return true;
  const char first = text.front();
  if (!is_digit(first) && !is_sign(first) && first != '.') return false;
  const std::string_view number = is_sign(first) ? text.substr(1) : text;
  return is_decimal(without_underscores(text)) || looks_sexagesimal(text) || looks_like_date(text) ||
         number.starts_with("0o") || number.starts_with("0x") || number.starts_with("0b");
}

namespace {

constexpr std::string_view kCore = "tag:yaml.org,2002:";

TaggedValue wrong() {
  return {.is_wrong = true};
}

TaggedValue as_binary(std::string_view text) {
  std::string lines(text);
  std::erase(lines, '\n');
  std::erase(lines, '\r');
  const std::optional<std::string> bytes = base::base64_decode(lines);
  if (!bytes) return wrong();
  return {.bytes = base::to_valid_utf8(*bytes), .is_binary = true};
}

TaggedValue as_float(PlainValue value) {
  if (value.type == PlainType::Int) {
    base::read_double(value.text, value.number);
    value.type = PlainType::Float;
  }
  return value.type == PlainType::Float ? TaggedValue{.value = std::move(value)} : wrong();
}

// Reads dates and times as Go's time.Parse does.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  // YYYY-M-D; the month and the day may have one digit.
  bool date() {
    if (rest_.size() < 5 || !std::ranges::all_of(rest_.substr(0, 4), is_digit)) return false;
    int year = 0;
    std::from_chars(rest_.data(), rest_.data() + 4, year);
    rest_.remove_prefix(4);
    int month = 0;
    int day = 0;
    return skip('-') && number(month) && skip('-') && number(day) && month >= 1 && month <= 12 && day >= 1 &&
           day <= days_in(month, year);
  }

  // H:M:S and an optional fraction.
  bool time() {
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (!number(hour) || !skip(':') || !number(minute) || !skip(':') || !number(second)) return false;
    if (hour > 23 || minute > 59 || second > 59) return false;
    if (rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && is_digit(rest_[1]))
      rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789", 1), rest_.size()));
    return true;
  }

  // Z or +hh:mm.
  bool zone() {
    if (skip('Z')) return true;
    const bool has_form = rest_.size() >= 6 && is_sign(rest_[0]) && is_digit(rest_[1]) &&
                          is_digit(rest_[2]) && rest_[3] == ':' && is_digit(rest_[4]) && is_digit(rest_[5]);
    if (!has_form || rest_.substr(1, 2) > "24" || rest_.substr(4, 2) > "60") return false;
    rest_.remove_prefix(6);
    return true;
  }

  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool skip_spaces() {
    if (!skip(' ')) return false;
    while (skip(' ')) {
    }
    return true;
  }

  bool is_at_end() const { return rest_.empty(); }

 private:
  bool number(int& value) {
    const size_t digits = rest_.size() > 1 && is_digit(rest_[1]) ? 2 : 1;
    if (rest_.empty() || !is_digit(rest_[0])) return false;
    std::from_chars(rest_.data(), rest_.data() + digits, value);
    rest_.remove_prefix(digits);
    return true;
  }

  static int days_in(int month, int year) {
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month == 2) return is_leap ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  std::string_view rest_;
};

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool is_sexagesimal(std::string_view text) {
  if (!text.empty() && is_sign(text.front())) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return false;
  const auto skip = [&](auto belongs) {
    while (!text.empty() && belongs(text.front())) text.remove_prefix(1);
  };
  const auto is_part = [](char c) { return is_digit(c) || c == '_'; };
  skip(is_part);
  if (text.empty() || text.front() != ':') return false;
  while (!text.empty() && text.front() == ':') {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return false;
    const bool may_be_two = text.size() > 1 && text.front() <= '5' && is_digit(text[1]);
    text.remove_prefix(may_be_two ? 2 : 1);
  }
  if (text.empty() || text.front() != '.') return text.empty();
  text.remove_prefix(1);
  skip(is_part);
  return text.empty();
}

}  // namespace

// The forms that go-yaml's parseTimestamp accepts.
bool is_decimal(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  if (at < text.size() && is_sign(text[at])) ++at;
  const size_t whole = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && is_sign(text[at])) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

bool is_timestamp(std::string_view text) {
  TimeReader reader(text);
  if (!reader.date()) return false;
  if (reader.is_at_end()) return true;
  if (reader.skip('T') || reader.skip('t')) return reader.time() && reader.zone() && reader.is_at_end();
  return reader.skip_spaces() && reader.time() && reader.is_at_end();
}

bool is_string_in_go(std::string_view text) {
  return read_plain(text).type == PlainType::String && !is_timestamp(text) && !is_sexagesimal(text);
}

namespace {

bool is_of_type(const PlainValue& value, std::string_view type) {
  switch (value.type) {
    case PlainType::Int:
    case PlainType::Uint: return type == "int";
    case PlainType::Bool: return type == "bool";
    case PlainType::Null: return type == "null";
    default: return false;
  }
}

}  // namespace

TaggedValue read_tagged(std::string_view tag, std::string_view text) {
  if (!tag.starts_with(kCore)) return {};
  const std::string_view type = tag.substr(kCore.size());
  if (type == "binary") return as_binary(text);
  if (type == "timestamp") return is_timestamp(text) ? TaggedValue{} : wrong();
  if (type == "float") return as_float(read_plain(text));
  if (type != "int" && type != "bool" && type != "null") return {};
  PlainValue value = read_plain(text);
  return is_of_type(value, type) ? TaggedValue{.value = std::move(value)} : wrong();
}

std::string short_tag(std::string_view tag) {
  if (!tag.starts_with(kCore)) return std::string(tag);
  return "!!" + std::string(tag.substr(kCore.size()));
}

}  // namespace trainjobc::yaml
