// SPDX-License-Identifier: Apache-2.0

// Quantity: Kubernetes' resource amounts ("1500m", "10Gi", "1e3"), with exactly the same arithmetic.
// Source of the rules: k8s.io/apimachinery/pkg/api/resource, its oddities included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::k8s {

// digits * 10^exponent, of any length.
struct Decimal {
  std::string digits;  // without leading zeros; "" is zero
  bool negative = false;
  int32_t exponent = 0;
};

class Quantity {
 public:
  // The suffix family that a printed quantity keeps: 1024Mi is binary, 1G decimal, 1e3 an exponent.
  enum class Format { DecimalSI, BinarySI, DecimalExponent };

  Quantity() = default;
  // Whether Kubernetes accepts the text.
  static bool is_valid(std::string_view text);
  // nullopt if Kubernetes refuses the text, or if digits and exponent together exceed 10,000 (Kubernetes
  // accepts any exponent and can then spend minutes on one comparison). The text is not trimmed. Digits below
  // a nano round up (away from zero) and binary amounts are capped at int64's bounds, both as Kubernetes
  // does.
  static std::optional<Quantity> parse(std::string_view text);
  static Quantity from_int(int64_t value, Format format = Format::DecimalSI);

  // The form that Kubernetes writes: no fraction, the largest suffix that fits, format kept ("0.5" ->
  // "500m"). Until the first add or multiply, a text that Kubernetes considers canonical stays as it was
  // written ("+5", "1.500"). Decimal amounts that would need a suffix above E lose it ("1000E" -> "1").
  std::string to_string() const;
  // Like to_string, but as a text that Kubernetes reads back as this amount ("1000E" -> "1e21").
  std::string exact_text() const;
  Format format() const { return format_; }

  // Kubernetes' Value(): rounded up to a whole number (1500m -> 2). Equals Go's result even if that is odd: a
  // negative fraction rounds away from zero or towards it, an amount outside int64 wraps around or is 0.
  int64_t value() const { return scaled(0); }
  // Kubernetes' MilliValue(): like value(), in thousandths.
  int64_t milli_value() const { return scaled(-3); }
  // Whether milli_value() neither rounds nor overflows. May be false even if it does neither.
  bool has_exact_milli_value() const;
  int sign() const;
  bool is_zero() const { return sign() == 0; }

  // A zero takes the format of the other amount; otherwise the format stays. Sums are exact, never capped.
  void add(const Quantity& other);
  // Multiplies exactly, and keeps the format.
  void multiply(int64_t factor);
  // Returns -1, 0 or 1; ignores the formats.
  int compare(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return compare(other) == 0; }

 private:
  int64_t scaled(int32_t exponent) const;

  Decimal amount_;
  Format format_ = Format::DecimalSI;
  // Whether Kubernetes still uses an int64 and not a big decimal; value() rounds differently in each.
  bool in_int64_ = true;
  std::string spelling_;  // the parsed text while to_string returns it, otherwise ""
};

}  // namespace trainjobc::k8s
