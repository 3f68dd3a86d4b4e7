// SPDX-License-Identifier: Apache-2.0

#include "k8s/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace trainjobc::k8s {
namespace {

// Digit strings have no leading zeros; "" is zero.
int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return (order > 0) - (order < 0);
}

// a + b, or with `direction` -1 a - b where a >= b.
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

}  // namespace

std::string without_leading_zeros(std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
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

int sign_of(const Decimal& amount) {
  if (amount.digits.empty()) return 0;
  return amount.negative ? -1 : 1;
}

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

bool fits_int64(const Decimal& amount) {
  return compare_digits(amount.digits, amount.negative ? kMinInt64 : kMaxInt64) <= 0;
}

int compare_magnitudes(const Decimal& a, const Decimal& b) {
  const int32_t exponent = std::min(a.exponent, b.exponent);
  return compare_digits(at_exponent(a, exponent).digits, at_exponent(b, exponent).digits);
}

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

int64_t wrapped(const Decimal& amount) {
  uint64_t low = 0;
  for (const char digit : amount.digits) low = low * 10 + static_cast<uint64_t>(digit - '0');
  return static_cast<int64_t>(amount.negative ? 0 - low : low);
}

int64_t scaled_in_int64(const Decimal& amount, int32_t exponent) {
  const Decimal result = at_exponent(amount, exponent);
  if (fits_int64(result)) return wrapped(result);
  // Beyond int64, it returns the wrapped product if it multiplies by such a power in one step; otherwise it
  // returns 0.
  constexpr std::array kOneStep = {1, 2, 3, 6, 9};
  const int32_t shift = amount.exponent - exponent;
  return std::ranges::find(kOneStep, shift) != kOneStep.end() ? wrapped(result) : 0;
}

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

}  // namespace trainjobc::k8s
