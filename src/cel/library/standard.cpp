// SPDX-License-Identifier: Apache-2.0

// Arithmetic, sizes and conversions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

Value overflow(Kind kind, Context& context) {
  return context.fail(kind == Kind::Uint ? "unsigned integer overflow" : "integer overflow");
}

Value conversion_error(const Call& call) {
  return call.context.fail(
      fmt::format("type conversion error from '{}' to '{}'", type_name(call[0].kind), call.expr.name));
}

template <class T>
std::optional<T> read_whole(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || std::is_unsigned_v<T>) return std::nullopt;
  }
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A floating-point number as Go reads it, but without underscores and hexadecimal digits.
std::optional<double> read_real(std::string_view text) {
  std::string lower = base::lower_case(text);
  const bool is_negative = lower.starts_with('-');
  if (is_negative || lower.starts_with('+')) lower.erase(0, 1);
  const double sign = is_negative ? -1 : 1;
  if (lower == "inf" || lower == "infinity") return sign * HUGE_VAL;
  if (lower == "nan") return std::nan("");
  const size_t exponent = std::min(lower.find('e'), lower.size());
  const std::string_view mantissa = std::string_view(lower).substr(0, exponent);
  std::string_view power = std::string_view(lower).substr(std::min(exponent + 1, lower.size()));
  const auto is_digits = [](std::string_view digits) { return std::ranges::all_of(digits, base::is_digit); };
  if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
  if (exponent < lower.size() && (power.empty() || !is_digits(power))) return std::nullopt;
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::string_view fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
  if (point + fraction.size() == 0 || !is_digits(mantissa.substr(0, point)) || !is_digits(fraction))
    return std::nullopt;
  double value = 0;
  const std::errc error = base::read_double(lower.starts_with('.') ? "0" + lower : lower, value);
  if (error == std::errc::result_out_of_range) {
    if (power.size() < 1 || lower[exponent + 1] != '-') return std::nullopt;
    value = 0;
  }
  return sign * value;
}

std::optional<bool> read_bool(std::string_view text) {
  constexpr auto kTrue = std::to_array<std::string_view>({"1", "t", "T", "true", "TRUE", "True"});
  constexpr auto kFalse = std::to_array<std::string_view>({"0", "f", "F", "false", "FALSE", "False"});
  if (base::contains(kTrue, text)) return true;
  if (base::contains(kFalse, text)) return false;
  return std::nullopt;
}

Value list_sum(const Value& a, const Value& b, Context& context) {
  if (a.size == 0) return b;
  if (b.size == 0) return a;
  std::vector<Value> items;
  items.reserve(a.size + b.size);
  for (const Value& list : {a, b}) {
    for (size_t i = 0; i < list.size; ++i) items.push_back(item_of(list, i));
  }
  return context.list(items);
}

}  // namespace

Value add(const Value& a, const Value& b, Context& context) {
  if (a.kind == Kind::Timestamp || a.kind == Kind::Duration) return add_time(a, b, context);
  if (a.kind != b.kind) return context.no_such_overload();
  Value out = a;
  out.node = nullptr;
  switch (a.kind) {
    case Kind::Int:
      return __builtin_add_overflow(a.integer, b.integer, &out.integer) ? overflow(a.kind, context) : out;
    case Kind::Uint:
      return __builtin_add_overflow(a.natural, b.natural, &out.natural) ? overflow(a.kind, context) : out;
    case Kind::Double: return Value::real_of(a.real + b.real);
    case Kind::String:
    case Kind::Bytes: return context.text(std::string(a.text()).append(b.text()), a.kind);
    case Kind::List: return list_sum(a, b, context);
    default: return context.no_such_overload();
  }
}

Value subtract(const Value& a, const Value& b, Context& context) {
  if (a.kind == Kind::Timestamp || a.kind == Kind::Duration) return subtract_time(a, b, context);
  if (a.kind != b.kind || !a.is_number()) return context.no_such_overload();
  if (a.kind == Kind::Double) return Value::real_of(a.real - b.real);
  Value out{.kind = a.kind};
  const bool is_over = a.kind == Kind::Int ? __builtin_sub_overflow(a.integer, b.integer, &out.integer)
                                           : __builtin_sub_overflow(a.natural, b.natural, &out.natural);
  return is_over ? overflow(a.kind, context) : out;
}

Value multiply(const Value& a, const Value& b, Context& context) {
  if (a.kind != b.kind || !a.is_number()) return context.no_such_overload();
  if (a.kind == Kind::Double) return Value::real_of(a.real * b.real);
  Value out{.kind = a.kind};
  const bool is_over = a.kind == Kind::Int ? __builtin_mul_overflow(a.integer, b.integer, &out.integer)
                                           : __builtin_mul_overflow(a.natural, b.natural, &out.natural);
  return is_over ? overflow(a.kind, context) : out;
}

Value divide(const Value& a, const Value& b, Context& context) {
  if (a.kind != b.kind || !a.is_number()) return context.no_such_overload();
  if (a.kind == Kind::Double) return Value::real_of(a.real / b.real);
  if (b.natural == 0) return context.fail("division by zero");
  if (a.kind == Kind::Uint) return Value::natural_of(a.natural / b.natural);
  if (a.integer == std::numeric_limits<int64_t>::min() && b.integer == -1) return overflow(a.kind, context);
  return Value::integer_of(a.integer / b.integer);
}

Value modulo(const Value& a, const Value& b, Context& context) {
  if (a.kind != b.kind || (a.kind != Kind::Int && a.kind != Kind::Uint)) return context.no_such_overload();
  if (b.natural == 0) return context.fail("modulus by zero");
  if (a.kind == Kind::Uint) return Value::natural_of(a.natural % b.natural);
  if (a.integer == std::numeric_limits<int64_t>::min() && b.integer == -1) return overflow(a.kind, context);
  return Value::integer_of(a.integer % b.integer);
}

Value negate(const Value& a, Context& context) {
  if (a.kind == Kind::Double) return Value::real_of(-a.real);
  if (a.kind != Kind::Int) return context.no_such_overload();
  return a.integer == std::numeric_limits<int64_t>::min() ? overflow(a.kind, context)
                                                          : Value::integer_of(-a.integer);
}

Value size(const Call& call) {
  return Value::integer_of(static_cast<int64_t>(size_of(call[0])));
}

Value type(const Call& call) {
  return Value::text_of(type_name(call[0].kind), Kind::Type);
}

Value same(const Call& call) {
  return call[0];
}

Value to_bool(const Call& call) {
  if (call[0].kind == Kind::Bool) return call[0];
  const auto read = read_bool(call.text(0));
  return read ? Value::boolean_of(*read) : conversion_error(call);
}

Value to_bytes(const Call& call) {
  Value out = call[0];
  out.kind = Kind::Bytes;
  return out;
}

Value to_double(const Call& call) {
  const Value& from = call[0];
  if (from.kind == Kind::Int) return Value::real_of(static_cast<double>(from.integer));
  if (from.kind == Kind::Uint) return Value::real_of(static_cast<double>(from.natural));
  if (from.kind == Kind::Double) return from;
  const auto read = read_real(from.text());
  return read ? Value::real_of(*read) : conversion_error(call);
}

Value to_int(const Call& call) {
  const Value& from = call[0];
  constexpr double kLimit = 9223372036854775808.0;
  switch (from.kind) {
    case Kind::Uint:
      return from.natural >> 63U ? overflow(Kind::Int, call.context)
                                 : Value::integer_of(static_cast<int64_t>(from.natural));
    case Kind::Double:
      if (!(from.real > -kLimit && from.real < kLimit)) return overflow(Kind::Int, call.context);
      return Value::integer_of(static_cast<int64_t>(from.real));
    case Kind::String: {
      const auto read = read_whole<int64_t>(from.text());
      return read ? Value::integer_of(*read) : conversion_error(call);
    }
    default:  // the seconds of a time, the nanoseconds of a duration
      return Value::integer_of(from.integer);
  }
}

Value to_uint(const Call& call) {
  const Value& from = call[0];
  constexpr double kLimit = 18446744073709551616.0;
  switch (from.kind) {
    case Kind::Int:
      return from.integer < 0 ? overflow(Kind::Uint, call.context) : Value::natural_of(from.natural);
    case Kind::Double:
      if (!(from.real >= 0 && from.real < kLimit)) return overflow(Kind::Uint, call.context);
      return Value::natural_of(static_cast<uint64_t>(from.real));
    case Kind::String: {
      const auto read = read_whole<uint64_t>(from.text());
      return read ? Value::natural_of(*read) : conversion_error(call);
    }
    default: return from;
  }
}

std::string real_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const std::string scientific(buffer.data(), end);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  // As Go's %g, which has an exponent from seven digits on.
  if (exponent < -4 || exponent >= 6) return scientific;
  const auto plain =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed).ptr;
  return {buffer.data(), plain};
}

std::optional<std::string> text_of(const Value& value) {
  switch (value.kind) {
    case Kind::Bool: return value.boolean ? "true" : "false";
    case Kind::Int: return std::to_string(value.integer);
    case Kind::Uint: return std::to_string(value.natural);
    case Kind::Double: return real_text(value.real);
    case Kind::Timestamp: return timestamp_text(value);
    case Kind::Duration: return duration_text(value.integer);
    case Kind::String:
    case Kind::Type: return std::string(value.text());
    case Kind::Bytes:
      if (base::to_valid_utf8(value.text()) != value.text()) return std::nullopt;
      return std::string(value.text());
    default: return std::nullopt;
  }
}

Value to_string(const Call& call) {
  if (call[0].kind == Kind::String) return call[0];
  const auto text = text_of(call[0]);
  return text ? call.context.text(*text)
              : call.context.fail("invalid UTF-8 in bytes, cannot convert to string");
}

}  // namespace trainjobc::cel
