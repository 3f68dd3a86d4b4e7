// SPDX-License-Identifier: Apache-2.0

// Kubernetes stores an amount as an int64 with a power of ten if it fits, otherwise as a big decimal.
// The two round and overflow differently, so `in_int64_` follows which of them Kubernetes would be using.
#include "k8s/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::k8s {

namespace {

constexpr std::string_view kMaxInt64 = "9223372036854775807";
constexpr std::string_view kMinInt64 = "9223372036854775808";  // without its sign

std::string without_leading_zeros(std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Compares digits without leading zeros; "" is zero.
int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return (order > 0) - (order < 0);
}

// a + b; or, with `direction` -1, a - b for a >= b.
std::string combine(std::string a, std::string_view b, int direction) {
  a.insert(0, std::max(a.size(), b.size()) + 1 - a.size(), '0');
  int carry = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    char& digit = a[a.size() - 1 - i];
    const int other = i < b.size() ? b[b.size() - 1 - i] - '0' : 0;
    const int sum = digit - '0' + direction * (other + carry);
    carry = sum < 0 || sum > 9 ? 1 : 0;
    digit = static_cast<char>('0' + (sum + 10) % 10);
  }
  return without_leading_zeros(std::move(a));
}

int64_t power_of_ten(int32_t exponent) {
  if (exponent > 18)
    return std::numeric_limits<int64_t>::min();  // the result of converting such a float on amd64
  int64_t power = 1;
  for (int32_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

size_t count_trailing_zeros(std::string_view digits) {
  return digits.size() - (digits.find_last_not_of('0') + 1);  // npos + 1 is 0
}

std::string times(std::string digits, uint64_t factor) {
  uint64_t product = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), product);
  if (error == std::errc() && !__builtin_mul_overflow(product, factor, &product))
    return product == 0 ? "" : std::to_string(product);
  unsigned __int128 carry = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    carry += static_cast<unsigned __int128>(factor) * static_cast<unsigned>(digits[i] - '0');
    digits[i] = static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  std::string head;
  for (; carry != 0; carry /= 10) {
    head.insert(head.begin(), static_cast<char>('0' + static_cast<int>(carry % 10)));
  }
  return without_leading_zeros(head + digits);
}

// Divides by 1024 as often as that is exact; returns how often.
int32_t remove_factors_of_1024(std::string& digits) {
  for (int32_t count = 0;; ++count) {
    std::string quotient;
    int rest = 0;
    for (const char digit : digits) {
      rest = rest * 10 + (digit - '0');
      quotient += static_cast<char>('0' + rest / 1024);
      rest %= 1024;
    }
    if (rest != 0) return count;
    digits = without_leading_zeros(std::move(quotient));
  }
}

// The amount with another exponent; a smaller remainder is rounded away from zero.
Decimal at_exponent(Decimal amount, int32_t exponent) {
  const int64_t shift = int64_t{amount.exponent} - exponent;
  amount.exponent = exponent;
  if (amount.digits.empty()) return amount;
  if (shift >= 0) {
    amount.digits.append(static_cast<size_t>(shift), '0');
    return amount;
  }
  const size_t dropped = std::min(static_cast<size_t>(-shift), amount.digits.size());
  const bool exact = count_trailing_zeros(amount.digits) >= static_cast<size_t>(-shift);
  amount.digits.resize(amount.digits.size() - dropped);
  if (!exact) amount.digits = combine(std::move(amount.digits), "1", +1);
  return amount;
}

bool is_whole(const Decimal& amount) {
  return amount.exponent >= 0 || int64_t{-amount.exponent} <= int64_t(count_trailing_zeros(amount.digits));
}

// Whether the digits, without the exponent, fit into an int64.
bool fits_int64(const Decimal& amount) {
  return compare_digits(amount.digits, amount.negative ? kMinInt64 : kMaxInt64) <= 0;
}

// Compares the amounts without their signs: -1, 0 or 1.
int compare_magnitudes(const Decimal& a, const Decimal& b) {
  const int32_t exponent = std::min(a.exponent, b.exponent);
  return compare_digits(at_exponent(a, exponent).digits, at_exponent(b, exponent).digits);
}

// Both must have the same exponent.
Decimal sum(Decimal a, Decimal b) {
  if (a.negative == b.negative) {
    a.digits = combine(std::move(a.digits), b.digits, +1);
    return a;
  }
  if (compare_digits(a.digits, b.digits) < 0) std::swap(a, b);
  a.digits = combine(std::move(a.digits), b.digits, -1);
  if (a.digits.empty()) a.negative = false;
  return a;
}

// The digits with their sign modulo 2^64.
int64_t wrapped(const Decimal& amount) {
  uint64_t low = 0;
  for (const char digit : amount.digits) low = low * 10 + static_cast<uint64_t>(digit - '0');
  return static_cast<int64_t>(amount.negative ? 0 - low : low);
}

// What Kubernetes' int64 form returns for the amount in units of 10^exponent.
int64_t scaled_in_int64(const Decimal& amount, int32_t exponent) {
  const Decimal result = at_exponent(amount, exponent);
  if (fits_int64(result)) return wrapped(result);
  // Beyond int64, it returns the wrapped product for powers that it multiplies by in one step, otherwise 0.
  constexpr std::array kOneStep = {1, 2, 3, 6, 9};
  const int32_t shift = amount.exponent - exponent;
  return base::contains(kOneStep, shift) ? wrapped(result) : 0;
}

// What Kubernetes' big decimal form returns.
int64_t scaled_in_decimal(const Decimal& amount, int32_t exponent) {
  const int32_t shift = amount.exponent - exponent;
  if (shift >= 0) {
    return static_cast<int64_t>(static_cast<uint64_t>(wrapped(amount)) *
                                static_cast<uint64_t>(power_of_ten(shift)));
  }
  const bool below_max = amount.negative || compare_digits(amount.digits, kMaxInt64) < 0;
  if (below_max && -shift <= 18) {
    const int64_t unit = power_of_ten(-shift);
    const int64_t digits = wrapped(amount);
    return digits / unit + (digits % unit != 0 ? 1 : 0);  // one too many for a negative amount, as in Go
  }
  Decimal result = at_exponent(amount, exponent);
  // Here it rounds up, towards zero for a negative amount.
  const bool exact = compare_magnitudes(result, amount) == 0;
  if (amount.negative && !exact) result.digits = combine(std::move(result.digits), "1", -1);
  return wrapped(result);
}

using Format = Quantity::Format;

using base::is_digit;

constexpr std::string_view kSuffixLetters = "eEinumkKMGTP";
constexpr int32_t kNano = -9;
constexpr size_t kMaxSize = 10'000;

// The factor of a suffix: 2^exponent in BinarySI, else 10^exponent.
struct Unit {
  Format format;
  int32_t exponent;
};

struct Suffix {
  std::string_view text;
  Unit unit;
};

constexpr std::array kSuffixes = {
    Suffix{"n", {Format::DecimalSI, -9}}, Suffix{"u", {Format::DecimalSI, -6}},
    Suffix{"m", {Format::DecimalSI, -3}}, Suffix{"", {Format::DecimalSI, 0}},
    Suffix{"k", {Format::DecimalSI, 3}},  Suffix{"M", {Format::DecimalSI, 6}},
    Suffix{"G", {Format::DecimalSI, 9}},  Suffix{"T", {Format::DecimalSI, 12}},
    Suffix{"P", {Format::DecimalSI, 15}}, Suffix{"E", {Format::DecimalSI, 18}},
    Suffix{"Ki", {Format::BinarySI, 10}}, Suffix{"Mi", {Format::BinarySI, 20}},
    Suffix{"Gi", {Format::BinarySI, 30}}, Suffix{"Ti", {Format::BinarySI, 40}},
    Suffix{"Pi", {Format::BinarySI, 50}}, Suffix{"Ei", {Format::BinarySI, 60}},
};

// Returns "" if no suffix is that large: then Kubernetes prints the bare number.
std::string spell(Unit unit) {
  if (unit.format == Format::DecimalExponent) {
    return unit.exponent == 0 ? "" : "e" + std::to_string(unit.exponent);
  }
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.unit.format == unit.format && suffix.unit.exponent == unit.exponent) {
      return std::string(suffix.text);
    }
  }
  return {};
}

std::optional<Unit> read_exponent(std::string_view text) {
  const auto exponent = base::read_integer(text.substr(text.starts_with('+') ? 1 : 0));
  if (!exponent) return std::nullopt;
  return Unit{Format::DecimalExponent, static_cast<int32_t>(*exponent)};  // Kubernetes wraps it too
}

std::optional<Unit> read_suffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix.unit;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  return read_exponent(text.substr(1));
}

// Moves leading characters that fit from `text` to the result.
template <class Fits>
std::string_view take(std::string_view& text, Fits fits) {
  size_t size = 0;
  while (size < text.size() && fits(text[size])) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

bool is_suffix_letter(char c) {
  return kSuffixLetters.find(c) != std::string_view::npos;
}

bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

struct Pieces {
  bool negative = false;
  bool has_digits = false;
  std::string digits;       // before and after the point; a missing whole part counts as "0"
  size_t whole_size = 0;    // how many of the digits come before the point
  std::string_view suffix;  // its shape is checked, not its meaning

  size_t fraction_size() const { return digits.size() - whole_size; }
};

std::optional<Pieces> split(std::string_view text) {
  Pieces pieces;
  pieces.negative = take_sign(text);
  const std::string_view zeros = take(text, [](char c) { return c == '0'; });
  const std::string_view whole = take(text, is_digit);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take(text, is_digit);
  }
  pieces.has_digits = !zeros.empty() || !whole.empty() || !fraction.empty();
  pieces.digits = whole.empty() ? "0" : std::string(whole);
  pieces.whole_size = pieces.digits.size();
  pieces.digits += fraction;

  pieces.suffix = text;
  take(text, is_suffix_letter);
  take_sign(text);
  take(text, is_digit);
  if (!text.empty()) return std::nullopt;
  return pieces;
}

// ---- Parsing ----

// Whether Kubernetes reads the text into its int64 form.
bool reads_as_int64(const Pieces& pieces, Unit unit) {
  const auto size = static_cast<int32_t>(pieces.digits.size());
  const auto fraction = static_cast<int32_t>(pieces.fraction_size());
  if (unit.format == Format::BinarySI) return fraction == 0 && size + unit.exponent * 3 / 10 <= 14;
  return size <= 18 && unit.exponent - fraction >= kNano;
}

// nullopt if Kubernetes refuses the text.
std::optional<Unit> unit_of(const Pieces& pieces, std::string_view text) {
  const std::optional<Unit> unit = text.empty() ? std::nullopt : read_suffix(pieces.suffix);
  // The int64 form reads missing digits as zero.
  return unit && (pieces.has_digits || reads_as_int64(pieces, *unit)) ? unit : std::nullopt;
}

// Whether Kubernetes considers a text of its int64 form canonical. The test is crude: "1.500" passes.
bool keeps_spelling(const Pieces& pieces, Unit unit, const Decimal& amount) {
  if (unit.format == Format::BinarySI) return wrapped({.digits = pieces.digits}) % 8 != 0;
  return amount.exponent % 3 == 0 && !pieces.digits.ends_with("000") && !pieces.digits.starts_with('0');
}

// The amount as written, with neither rounding nor cap.
Decimal exact_amount(const Pieces& pieces, Unit unit) {
  Decimal amount{.digits = without_leading_zeros(pieces.digits)};
  amount.negative = pieces.negative && !amount.digits.empty();
  amount.exponent = -static_cast<int32_t>(pieces.fraction_size());
  if (unit.format == Format::BinarySI) {
    amount.digits = times(std::move(amount.digits), uint64_t{1} << unit.exponent);
  } else {
    amount.exponent += unit.exponent;
  }
  return amount;
}

// Applies the bounds of Kubernetes' big decimal form.
Decimal rounded_and_capped(Decimal amount, Format format) {
  if (amount.digits.empty()) return amount;
  amount = at_exponent(std::move(amount), kNano);
  const Decimal max{.digits = std::string(kMaxInt64), .negative = amount.negative};
  return format == Format::BinarySI && compare_magnitudes(amount, max) > 0 ? max : amount;
}

// ---- Printing ----

std::string print_decimal(Decimal amount, Format format) {
  const size_t zeros = count_trailing_zeros(amount.digits);
  amount.digits.resize(amount.digits.size() - zeros);
  amount.exponent += static_cast<int32_t>(zeros);
  for (; amount.exponent % 3 != 0; --amount.exponent) amount.digits += '0';
  return amount.digits + spell({format, amount.exponent});
}

// `amount` must be whole. Kubernetes' int64 form finds no factor in the lowest int64.
std::string print_binary(const Decimal& amount, bool in_int64) {
  Decimal whole = at_exponent(amount, 0);
  const bool lowest = in_int64 && whole.negative && whole.digits == kMinInt64;
  const int32_t count = lowest ? 0 : remove_factors_of_1024(whole.digits);
  return whole.digits + spell({Format::BinarySI, count * 10});
}

}  // namespace

bool Quantity::is_valid(std::string_view text) {
  const std::optional<Pieces> pieces = split(text);
  return pieces && unit_of(*pieces, text);
}

std::optional<Quantity> Quantity::parse(std::string_view text) {
  const std::optional<Pieces> pieces = split(text);
  const std::optional<Unit> unit = pieces ? unit_of(*pieces, text) : std::nullopt;
  if (!unit) return std::nullopt;
  const auto exponent_size = static_cast<size_t>(std::abs(int64_t{unit->exponent}));
  if (pieces->digits.size() + exponent_size > kMaxSize) return std::nullopt;

  Quantity result;
  result.format_ = unit->format;
  result.amount_ = exact_amount(*pieces, *unit);
  result.in_int64_ = reads_as_int64(*pieces, *unit);
  if (result.in_int64_) {
    if (keeps_spelling(*pieces, *unit, result.amount_)) result.spelling_ = text;
    return result;
  }
  result.amount_ = rounded_and_capped(std::move(result.amount_), unit->format);
  const bool below_one = !result.is_zero() && compare_magnitudes(result.amount_, {.digits = "1"}) < 0;
  if (unit->format == Format::BinarySI && below_one) result.format_ = Format::DecimalSI;
  return result;
}

Quantity Quantity::from_int(int64_t value, Format format) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  Quantity result;
  result.amount_ = {.digits = without_leading_zeros(std::to_string(magnitude)), .negative = value < 0};
  result.format_ = format;
  return result;
}

std::string Quantity::to_string() const {
  if (!spelling_.empty()) return spelling_;
  if (is_zero()) return "0";
  const std::string minus = amount_.negative ? "-" : "";
  if (format_ != Format::BinarySI) return minus + print_decimal(amount_, format_);
  const bool small = compare_magnitudes(amount_, {.digits = "1024"}) < 0;
  if (small || !is_whole(amount_)) return minus + print_decimal(amount_, Format::DecimalSI);
  return minus + print_binary(amount_, in_int64_);
}

std::string Quantity::exact_text() const {
  std::string text = to_string();
  const std::optional<Quantity> again = parse(text);
  if (again && *again == *this) return text;
  return (amount_.negative ? "-" : "") + print_decimal(amount_, Format::DecimalExponent);
}

int64_t Quantity::scaled(int32_t exponent) const {
  return in_int64_ ? scaled_in_int64(amount_, exponent) : scaled_in_decimal(amount_, exponent);
}

bool Quantity::has_exact_milli_value() const {
  const int64_t digits_before_point = static_cast<int64_t>(amount_.digits.size()) + amount_.exponent;
  return amount_.exponent >= -3 && digits_before_point <= 15;
}

int Quantity::sign() const {
  if (amount_.digits.empty()) return 0;
  return amount_.negative ? -1 : 1;
}

void Quantity::add(const Quantity& other) {
  spelling_.clear();
  if (is_zero()) format_ = other.format_;
  const bool both_in_int64 = in_int64_ && other.in_int64_;
  if (both_in_int64 && other.is_zero()) return;
  if (both_in_int64 && is_zero()) {
    amount_ = other.amount_;
    return;
  }
  const int32_t exponent = std::min(amount_.exponent, other.amount_.exponent);
  Decimal left = at_exponent(amount_, exponent);
  Decimal right = at_exponent(other.amount_, exponent);
  in_int64_ = both_in_int64 && fits_int64(left) && fits_int64(right);
  amount_ = sum(std::move(left), std::move(right));
  in_int64_ = in_int64_ && fits_int64(amount_);
}

void Quantity::multiply(int64_t factor) {
  spelling_.clear();
  if (in_int64_ && is_zero()) return;
  if (in_int64_ && factor == 0) {
    amount_ = {};
    return;
  }
  const uint64_t magnitude = factor < 0 ? 0 - static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
  amount_.digits = times(std::move(amount_.digits), magnitude);
  amount_.negative = !amount_.digits.empty() && amount_.negative != (factor < 0);
  // A product that isn't a whole number leaves the int64 form even if it fits.
  in_int64_ = in_int64_ && fits_int64(amount_) && is_whole(amount_) && fits_int64(at_exponent(amount_, 0));
}

int Quantity::compare(const Quantity& other) const {
  if (sign() != other.sign()) return sign() < other.sign() ? -1 : 1;
  const int order = compare_magnitudes(amount_, other.amount_);
  return amount_.negative ? -order : order;
}

}  // namespace trainjobc::k8s
