// SPDX-License-Identifier: Apache-2.0

// Quantities and semantic versions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

struct Semver {
  std::array<uint64_t, 3> numbers{};
  std::string_view prerelease;  // without its dash; "" if there is none
};

const Semver& semver_of(const Value& value) {
  return *static_cast<const Semver*>(value.object);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, base::is_digit);
}

// Without leading zeros.
std::optional<uint64_t> read_number(std::string_view text) {
  uint64_t value = 0;
  const bool is_plain = is_number(text) && (text.size() == 1 || text.front() != '0');
  if (!is_plain || std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

bool are_identifiers(std::string_view text, bool are_numbers_checked) {
  return std::ranges::all_of(base::split(text, "."), [&](std::string_view part) {
    const auto fits = [](char c) { return base::is_alnum(c) || c == '-'; };
    if (part.empty() || !std::ranges::all_of(part, fits)) return false;
    return !are_numbers_checked || !is_number(part) || read_number(part);
  });
}

std::optional<Semver> read_semver(std::string_view text) {
  Semver out;
  const size_t plus =
      text.find('+', std::min(text.find('.', std::min(text.find('.'), text.size() - 1) + 1), text.size()));
  if (plus != std::string_view::npos && !are_identifiers(text.substr(plus + 1), false)) return std::nullopt;
  text = text.substr(0, plus);
  for (size_t i = 0; i < 2; ++i) {
    const size_t dot = text.find('.');
    const auto number = dot == std::string_view::npos ? std::nullopt : read_number(text.substr(0, dot));
    if (!number) return std::nullopt;
    out.numbers[i] = *number;
    text.remove_prefix(dot + 1);
  }
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    out.prerelease = text.substr(dash + 1);
    if (!are_identifiers(out.prerelease, true)) return std::nullopt;
  }
  const auto patch = read_number(text.substr(0, dash));
  if (!patch) return std::nullopt;
  out.numbers[2] = *patch;
  return out;
}

// "v1.02" as "1.2.0"; nullopt for a short version with a suffix.
std::optional<std::string> normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string out;
  size_t count = 0;
  for (bool is_last = false; !is_last; ++count) {
    const size_t dot = count < 2 ? text.find('.') : std::string_view::npos;
    is_last = dot == std::string_view::npos;
    std::string part(text.substr(0, dot));
    if (part.size() > 1) {
      part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !base::is_digit(part.front())) part.insert(part.begin(), '0');
    }
    if (is_last && count < 2 && part.find_first_of("+-") != std::string::npos) return std::nullopt;
    out += (count > 0 ? "." : "") + part;
    if (!is_last) text.remove_prefix(dot + 1);
  }
  for (; count < 3; ++count) out += ".0";
  return out;
}

std::optional<Semver> semver_argument(const Call& call) {
  if (call.args.size() == 1 || call[1].is_false()) return read_semver(call.text(0));
  const auto better = normalized(call.text(0));
  return better ? read_semver(call.context.arena().copy(std::string_view(*better))) : std::nullopt;
}

int compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() - b.empty();
  const auto left = base::split(a, ".");
  const auto right = base::split(b, ".");
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto x = read_number(left[i]);
    const auto y = read_number(right[i]);
    if (x.has_value() != y.has_value()) return x ? -1 : 1;
    const int order = x ? (*x > *y) - (*x < *y) : left[i].compare(right[i]);
    if (order != 0) return order < 0 ? -1 : 1;
  }
  return (left.size() > right.size()) - (left.size() < right.size());
}

// Of two Quantities or two Semvers.
int order_of_amounts(const Call& call) {
  return call[0].kind == Kind::Quantity ? amount_of(call[0]).quantity.compare(amount_of(call[1]).quantity)
                                        : compare_semvers(call[0], call[1]);
}

// The power of ten that a text has in Kubernetes' small form, and whether it has that form.
Amount read_form(std::string_view text) {
  constexpr std::string_view kUnits = "num kMGTPE";
  Amount out;
  text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const size_t point = std::min(text.find('.'), end);
  const size_t fraction = point < end ? end - point - 1 : 0;
  const size_t digits = std::max<size_t>(point, 1) + fraction;
  const std::string_view suffix = text.substr(end);
  if (suffix.ends_with('i')) {
    const size_t power = std::string_view("KMGTPE").find(suffix.front()) + 1;
    out.is_small = fraction == 0 && digits + power * 3 <= 14;
    return out;
  }
  if (suffix.size() > 1) {
    out.exponent =
        static_cast<int32_t>(base::read_integer(suffix.substr(suffix[1] == '+' ? 2 : 1)).value_or(0));
  } else if (!suffix.empty()) {
    out.exponent = (static_cast<int32_t>(kUnits.find(suffix.front())) - 3) * 3;
  }
  out.exponent -= static_cast<int32_t>(fraction);
  out.is_small = digits <= 18 && out.exponent >= -9;
  return out;
}

std::optional<int64_t> integer_of(const Amount& amount) {
  if (!amount.is_small || amount.exponent < 0) return std::nullopt;
  const int64_t value = amount.quantity.value();
  return k8s::Quantity::from_int(value) == amount.quantity ? std::optional(value) : std::nullopt;
}

Value quantity_sum(const Call& call, int64_t sign) {
  Amount total = amount_of(call[0]);
  Amount other;
  if (call[1].kind == Kind::Int) {
    other.quantity = k8s::Quantity::from_int(call[1].integer, k8s::Quantity::Format::DecimalExponent);
  } else {
    other = amount_of(call[1]);
  }
  if (sign < 0) other.quantity.multiply(-1);
  if (!other.quantity.is_zero())
    total.exponent = total.quantity.is_zero() ? other.exponent : std::min(total.exponent, other.exponent);
  total.quantity.add(other.quantity);
  total.is_small = total.is_small && other.is_small;
  total.is_computed = true;
  return call.context.quantity(std::move(total));
}

}  // namespace

const Amount& amount_of(const Value& value) {
  return *static_cast<const Amount*>(value.object);
}

int compare_semvers(const Value& a, const Value& b) {
  const Semver& left = semver_of(a);
  const Semver& right = semver_of(b);
  if (left.numbers != right.numbers) return left.numbers < right.numbers ? -1 : 1;
  return compare_prereleases(left.prerelease, right.prerelease);
}

Value to_quantity(const Call& call) {
  auto quantity = k8s::Quantity::parse(call.text(0));
  if (!quantity) return call.context.fail("quantities must match the regular expression");
  Amount amount = read_form(call.text(0));
  amount.quantity = std::move(*quantity);
  return call.context.quantity(std::move(amount));
}

Value is_quantity(const Call& call) {
  return Value::boolean_of(k8s::Quantity::is_valid(call.text(0)));
}

Value quantity_sign(const Call& call) {
  return Value::integer_of(amount_of(call[0]).quantity.sign());
}

Value quantity_float(const Call& call) {
  const Amount& amount = amount_of(call[0]);
  if (amount.is_small && amount.exponent < 0) {
    k8s::Quantity whole = amount.quantity;
    for (int32_t i = amount.exponent; i < 0; ++i) whole.multiply(10);
    if (k8s::Quantity::from_int(whole.value()) == whole)
      return Value::real_of(static_cast<double>(whole.value()) * std::pow(10, amount.exponent));
  }
  if (const auto integer = integer_of(amount)) return Value::real_of(static_cast<double>(*integer));
  const std::string text = amount.quantity.exact_text();
  if (text.ends_with('i')) return Value::real_of(static_cast<double>(amount.quantity.value()));
  double digits = 0;
  base::read_double(text, digits);
  return Value::real_of(digits * std::pow(10, read_form(text).exponent));
}

Value quantity_integer(const Call& call) {
  const auto integer = integer_of(amount_of(call[0]));
  return integer ? Value::integer_of(*integer) : call.context.fail("cannot convert value to integer");
}

Value quantity_is_integer(const Call& call) {
  return Value::boolean_of(integer_of(amount_of(call[0])).has_value());
}

Value quantity_add(const Call& call) {
  return quantity_sum(call, 1);
}

Value quantity_subtract(const Call& call) {
  return quantity_sum(call, -1);
}

Value compare_to(const Call& call) {
  return Value::integer_of(order_of_amounts(call));
}

Value is_greater(const Call& call) {
  return Value::boolean_of(order_of_amounts(call) > 0);
}

Value is_less(const Call& call) {
  return Value::boolean_of(order_of_amounts(call) < 0);
}

Value to_semver(const Call& call) {
  const auto semver = semver_argument(call);
  return semver ? call.context.object(Kind::Semver, *semver) : call.context.fail("not a semantic version");
}

Value is_semver(const Call& call) {
  return Value::boolean_of(semver_argument(call).has_value());
}

Value semver_part(const Call& call) {
  const auto& numbers = semver_of(call[0]).numbers;
  return Value::integer_of(static_cast<int64_t>(numbers[call.expr.name == "major"   ? 0
                                                        : call.expr.name == "minor" ? 1
                                                                                    : 2]));
}

}  // namespace trainjobc::cel
