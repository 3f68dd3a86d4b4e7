// SPDX-License-Identifier: Apache-2.0

// Decimal: amounts as strings of decimal digits, so that any length is exact, and their conversion to
// Kubernetes' int64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::k8s {

inline constexpr std::string_view kMaxInt64 = "9223372036854775807";
inline constexpr std::string_view kMinInt64 = "9223372036854775808";  // without its sign

// digits * 10^exponent, of any length.
struct Decimal {
  std::string digits;  // without leading zeros; "" is zero
  bool negative = false;
  int32_t exponent = 0;
};

std::string without_leading_zeros(std::string digits);
size_t count_trailing_zeros(std::string_view digits);
std::string times(std::string digits, uint64_t factor);
// Divides by 1024 as long as that is exact; returns how often.
int32_t remove_factors_of_1024(std::string& digits);

int sign_of(const Decimal& amount);
bool is_whole(const Decimal& amount);
// The amount written with another exponent; what falls below it rounds away from zero.
Decimal at_exponent(Decimal amount, int32_t exponent);
// Compares the amounts without their signs: -1, 0 or 1.
int compare_magnitudes(const Decimal& a, const Decimal& b);
// Both must have the same exponent.
Decimal sum(Decimal a, Decimal b);

// Whether the digits, without the exponent, fit into an int64.
bool fits_int64(const Decimal& amount);
// The digits with their sign modulo 2^64.
int64_t wrapped(const Decimal& amount);
// What Kubernetes' int64 form returns for the amount in units of 10^exponent.
int64_t scaled_in_int64(const Decimal& amount, int32_t exponent);
// What its big decimal form returns.
int64_t scaled_in_decimal(const Decimal& amount, int32_t exponent);

}  // namespace trainjobc::k8s
