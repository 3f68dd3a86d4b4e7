// SPDX-License-Identifier: Apache-2.0

// The expected texts in the tables are the answers of k8s.io/apimachinery v0.36.2, oddities included.
#include "k8s/quantity.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace trainjobc::quantity_test {
namespace {

using trainjobc::k8s::Quantity;
using Format = Quantity::Format;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

struct Parsed {
  std::string_view text;
  std::string_view expected;  // spelling, format, value, milli value
};

constexpr Parsed kParsed[] = {
    // The canonical form.
    {"0", "0 DecimalSI 0 0"},
    {"1", "1 DecimalSI 1 1000"},
    {"1500m", "1500m DecimalSI 2 1500"},
    {"1.5", "1500m DecimalSI 2 1500"},
    {"0.5", "500m DecimalSI 1 500"},
    {"1000m", "1 DecimalSI 1 1000"},
    {"1000", "1k DecimalSI 1000 1000000"},
    {"1234567", "1234567 DecimalSI 1234567 1234567000"},
    {"1000k", "1M DecimalSI 1000000 1000000000"},
    {"1500M", "1500M DecimalSI 1500000000 1500000000000"},
    {"1.5Gi", "1536Mi BinarySI 1610612736 1610612736000"},
    {"1024", "1024 DecimalSI 1024 1024000"},
    {"1024Ki", "1Mi BinarySI 1048576 1048576000"},
    {"1023Ki", "1023Ki BinarySI 1047552 1047552000"},
    {"2048Mi", "2Gi BinarySI 2147483648 2147483648000"},
    {"1536Mi", "1536Mi BinarySI 1610612736 1610612736000"},
    {"1048576Ki", "1Gi BinarySI 1073741824 1073741824000"},
    {"8Ki", "8Ki BinarySI 8192 8192000"},
    {"1Ei", "1Ei BinarySI 1152921504606846976 -9223372036854775808"},
    {"7Ei", "7Ei BinarySI 8070450532247928832 -9223372036854775808"},
    // Every suffix.
    {"1n", "1n DecimalSI 1 1"},
    {"1u", "1u DecimalSI 1 1"},
    {"1m", "1m DecimalSI 1 1"},
    {"1k", "1k DecimalSI 1000 1000000"},
    {"1M", "1M DecimalSI 1000000 1000000000"},
    {"1G", "1G DecimalSI 1000000000 1000000000000"},
    {"1T", "1T DecimalSI 1000000000000 1000000000000000"},
    {"1P", "1P DecimalSI 1000000000000000 1000000000000000000"},
    {"1E", "1E DecimalSI 1000000000000000000 0"},
    {"1Ki", "1Ki BinarySI 1024 1024000"},
    {"1Mi", "1Mi BinarySI 1048576 1048576000"},
    {"1Gi", "1Gi BinarySI 1073741824 1073741824000"},
    {"1Ti", "1Ti BinarySI 1099511627776 1099511627776000"},
    {"3Pi", "3Pi BinarySI 3377699720527872 3377699720527872000"},
    // Exponents.
    {"1e3", "1e3 DecimalExponent 1000 1000000"},
    {"1E3", "1E3 DecimalExponent 1000 1000000"},
    {"1e+3", "1e+3 DecimalExponent 1000 1000000"},
    {"1e-3", "1e-3 DecimalExponent 1 1"},
    {"1200e4", "12e6 DecimalExponent 12000000 12000000000"},
    {"5e4", "50e3 DecimalExponent 50000 50000000"},
    {"1.5e3", "1500 DecimalExponent 1500 1500000"},
    {"0.001e3", "1 DecimalExponent 1 1000"},
    {"1e-9", "1e-9 DecimalExponent 1 1"},
    {"1e-10", "1e-9 DecimalExponent 1 1"},
    {"10e1", "100 DecimalExponent 100 100000"},
    {"1e4294967299", "1e4294967299 DecimalExponent 1000 1000000"},
    {"1e18446744073709551616", "refused"},
    {"1e40", "10e39 DecimalExponent 0 0"},
    {"1000e21", "1e24 DecimalExponent 0 0"},
    // Signs.
    {"+5", "+5 DecimalSI 5 5000"},
    {"-1.5", "-1500m DecimalSI -2 -1500"},
    {"-1500m", "-1500m DecimalSI -2 -1500"},
    {"-0", "0 DecimalSI 0 0"},
    {"-1Ki", "-1Ki BinarySI -1024 -1024000"},
    {"-0.5Gi", "-512Mi BinarySI -536870912 -536870912000"},
    {"+1.25Mi", "1280Ki BinarySI 1310720 1310720000"},
    // Fractions of a binary unit.
    {"0.1Gi", "107374182400m BinarySI 107374183 107374182400"},
    {"0.5Ki", "512 BinarySI 512 512000"},
    {"0.001Ki", "1024m BinarySI 2 1024"},
    {"0.0001Ki", "102400u DecimalSI 1 103"},
    {"1.1Ki", "1126400m BinarySI 1127 1126400"},
    {"1.Ki", "1.Ki BinarySI 1024 1024000"},
    {".5Gi", "512Mi BinarySI 536870912 536870912000"},
    {"0.0000000000001Ki", "1n DecimalSI 1 1"},
    // Spellings that are kept, and their neighbours that are not.
    {"007", "007 DecimalSI 7 7000"},
    {"1.500", "1.500 DecimalSI 2 1500"},
    {"1.5000", "1500m DecimalSI 2 1500"},
    {"0.001", "1m DecimalSI 1 1"},
    {"1.", "1. DecimalSI 1 1000"},
    {"01Ki", "01Ki BinarySI 1024 1024000"},
    {"08Ki", "8Ki BinarySI 8192 8192000"},
    {"1.50k", "1500 DecimalSI 1500 1500000"},
    {"100E", "100E DecimalSI 0 0"},
    {"1000E", "1 DecimalSI 0 0"},
    {"1000000000000000000", "1E DecimalSI 1000000000000000000 3875820019684212736"},
    {"1000000000000000001", "1000000000000000001 DecimalSI 1000000000000000001 3875820019684213736"},
    // Below a nano.
    {"0.1n", "1n DecimalSI 1 1"},
    {"1.0000000001", "1000000001n DecimalSI 2 1001"},
    {"-0.0000000001", "-1n DecimalSI 1 1"},
    {"0.5n", "1n DecimalSI 1 1"},
    {"0.000001u", "1n DecimalSI 1 1"},
    {"0.00000000000000000001Gi", "1n DecimalSI 1 1"},
    // Caps and long digits.
    {"8Ei", "9223372036854775807 BinarySI 9223372036854775807 -1000"},
    {"-8Ei", "-9223372036854775807 BinarySI -9223372036854775807 1000"},
    {"9223372036854775807", "9223372036854775807 DecimalSI 9223372036854775807 -1000"},
    {"9223372036854775808", "9223372036854775808 DecimalSI -9223372036854775808 0"},
    {"9223372036854775807Ki", "9223372036854775807 BinarySI 9223372036854775807 -1000"},
    {"999999999999999999", "999999999999999999 DecimalSI 999999999999999999 3875820019684211736"},
    {"123456789012345678901234567890",
     "123456789012345678901234567890 DecimalSI -4362896299872285998 8982045596877734992"},
    {"1000000000000000000000", "1 DecimalSI 3875820019684212736 2003764205206896640"},
    {"1000000000000000000000000", "1 DecimalSI 2003764205206896640 -6930898827444486144"},
    {"0.123456789123456789", "123456790n DecimalSI 1 124"},
    {"0000000000000000000000000000001", "0000000000000000000000000000001 DecimalSI 1 1000"},
    {"0.0000000000000000000000000000", "0 DecimalSI 0 0"},
    {"100000000000000000000Mi", "9223372036854775807 BinarySI 9223372036854775807 -1000"},
    // Texts without digits that are a zero.
    {"+", "0 DecimalSI 0 0"},
    {"-", "0 DecimalSI 0 0"},
    {".", "0 DecimalSI 0 0"},
    {"k", "0 DecimalSI 0 0"},
    {"Ki", "0 BinarySI 0 0"},
    {"Ti", "0 BinarySI 0 0"},
    {".E", "0 DecimalSI 0 0"},
    {"e3", "0 DecimalExponent 0 0"},
    {"+.m", "0 DecimalSI 0 0"},
    // Refused.
    {"", "refused"},
    {" ", "refused"},
    {" 1", "refused"},
    {"1 ", "refused"},
    {"1\t", "refused"},
    {"1i", "refused"},
    {"1K", "refused"},
    {"1ki", "refused"},
    {"1KiB", "refused"},
    {"1B", "refused"},
    {"1Kii", "refused"},
    {"1e", "refused"},
    {"1e+", "refused"},
    {"1e-", "refused"},
    {"1ee3", "refused"},
    {"1e3.5", "refused"},
    {"1Ki3", "refused"},
    {"1-3", "refused"},
    {"1e9223372036854775808", "refused"},
    {"1..5", "refused"},
    {"1.5.5", "refused"},
    {"--1", "refused"},
    {"+-1", "refused"},
    {"1_000", "refused"},
    {"abc", "refused"},
    {"NaN", "refused"},
    {"null", "refused"},
    {"Pi", "refused"},
    {"Ei", "refused"},
    {"-.Ei", "refused"},
    {"e-10", "refused"},
    {"½", "refused"},
    {"1m1", "refused"},
};

struct Sum {
  std::string_view a;
  std::string_view b;
  std::string_view a_plus_b;
  std::string_view b_plus_a;
  int order;  // of a to b
};

constexpr Sum kSums[] = {
    {"1", "1", "2 DecimalSI", "2 DecimalSI", 0},
    {"1024M", "1000000Ki", "2048M DecimalSI", "2000000Ki BinarySI", 0},
    {"1Gi", "1G", "2073741824 BinarySI", "2073741824 DecimalSI", 1},
    {"1G", "1Gi", "2073741824 DecimalSI", "2073741824 BinarySI", -1},
    {"0", "1Ki", "1Ki BinarySI", "1Ki BinarySI", -1},
    {"0Ki", "0", "0 DecimalSI", "0 BinarySI", 0},
    {"0Ki", "1e3", "1e3 DecimalExponent", "1e3 DecimalExponent", -1},
    {"1Ki", "0", "1Ki BinarySI", "1Ki BinarySI", 1},
    {"1Ki", "-1Ki", "0 BinarySI", "0 BinarySI", 1},
    {"1e3", "1k", "2e3 DecimalExponent", "2k DecimalSI", 0},
    {"1Gi", "1m", "1073741824001m BinarySI", "1073741824001m DecimalSI", 1},
    {"0.1Gi", "0.9Gi", "1Gi BinarySI", "1Gi BinarySI", -1},
    {"+5", "0", "5 DecimalSI", "5 DecimalSI", 1},
    {"1.500", "0", "1500m DecimalSI", "1500m DecimalSI", 1},
    {"1n", "1E", "1000000000000000000000000001n DecimalSI", "1000000000000000000000000001n DecimalSI", -1},
    {"1Ki", "1n", "1024000000001n BinarySI", "1024000000001n DecimalSI", 1},
    {"-1Ki", "1", "-1023 BinarySI", "-1023 DecimalSI", -1},
    {"0.5Ki", "0.5Ki", "1Ki BinarySI", "1Ki BinarySI", 0},
    {"768Mi", "256Mi", "1Gi BinarySI", "1Gi BinarySI", 1},
    {"9223372036854775807", "1", "9223372036854775808 DecimalSI", "9223372036854775808 DecimalSI", 1},
    {"9223372036854775807", "9223372036854775807", "18446744073709551614 DecimalSI",
     "18446744073709551614 DecimalSI", 0},
    {"4Ei", "4Ei", "8Ei BinarySI", "8Ei BinarySI", 0},
    {"-4Ei", "-4Ei", "-8Ei BinarySI", "-8Ei BinarySI", 0},
    {"8Ei", "8Ei", "18446744073709551614 BinarySI", "18446744073709551614 BinarySI", 0},
    {"9E", "9E", "18E DecimalSI", "18E DecimalSI", 0},
    {"999E", "1E", "1 DecimalSI", "1 DecimalSI", 1},
    {"10E", "-1m", "9999999999999999999999m DecimalSI", "9999999999999999999999m DecimalSI", 1},
    {"123456789012345678", "876543210987654322", "1E DecimalSI", "1E DecimalSI", -1},
    {"1e30", "1", "1000000000000000000000000000001 DecimalExponent",
     "1000000000000000000000000000001 DecimalSI", 1},
    {"1e30", "1e30", "2e30 DecimalExponent", "2e30 DecimalExponent", 0},
    {"1Ki", "1e40", "9765625000000000000000000000000000001Ki BinarySI",
     "10000000000000000000000000000000000001024 DecimalExponent", -1},
    {"-1500m", "0", "-1500m DecimalSI", "-1500m DecimalSI", -1},
    {"-0.0000000015", "0", "-2n DecimalSI", "-2n DecimalSI", -1},
    {"0.0000000000000000000000", "-1500m", "-1500m DecimalSI", "-1500m DecimalSI", 1},
    {"1E", "1n", "1000000000000000000000000001n DecimalSI", "1000000000000000000000000001n DecimalSI", 1},
    {"900000000000000000n", "900000000000000000k", "900000000000900M DecimalSI", "900000000000900M DecimalSI",
     -1},
    {"10m", "1e-2", "20m DecimalSI", "20e-3 DecimalExponent", 0},
    {"1001m", "1", "2001m DecimalSI", "2001m DecimalSI", 1},
    {"1Mi", "1M", "2048576 BinarySI", "2048576 DecimalSI", 1},
    {"99999999999999999999", "1E", "100999999999999999999 DecimalSI", "100999999999999999999 DecimalSI", 1},
};

struct Product {
  std::string_view text;
  int64_t factor;
  std::string_view expected;  // as for Parsed
};

constexpr Product kProducts[] = {
    {"1", 0, "0 DecimalSI 0 0"},
    {"1Ki", 0, "0 BinarySI 0 0"},
    {"500m", 2, "1 DecimalSI 1 1000"},
    {"1500m", 2, "3 DecimalSI 3 3000"},
    {"1Gi", 3, "3Gi BinarySI 3221225472 3221225472000"},
    {"1e3", 1000, "1e6 DecimalExponent 1000000 1000000000"},
    {"0.1Gi", 10, "1Gi BinarySI 1073741824 1073741824000"},
    {"1.500", 1, "1500m DecimalSI 2 1500"},
    {"+5", 1, "5 DecimalSI 5 5000"},
    {"1", -1, "-1 DecimalSI -1 -1000"},
    {"-1500m", 1, "-1500m DecimalSI 0 -1500"},
    {"-1500m", 2, "-3 DecimalSI -3 -3000"},
    {"-1.5Gi", 1, "-1536Mi BinarySI -1610612736 -1610612736000"},
    {"100m", 10, "1 DecimalSI 1 1000"},
    {"1E", 9, "9E DecimalSI 9000000000000000000 0"},
    {"1E", 10, "10E DecimalSI -8446744073709551616 0"},
    {"100E", 10, "1 DecimalSI 3875820019684212736 0"},
    {"9223372036854775807", 1, "9223372036854775807 DecimalSI 9223372036854775807 -1000"},
    {"9223372036854775807", 2, "18446744073709551614 DecimalSI -2 -2000"},
    {"4611686018427387904", 2, "9223372036854775808 DecimalSI -9223372036854775808 0"},
    {"4611686018427387904", -2, "-9223372036854775808 DecimalSI 0 0"},
    {"-4Ei", 2, "-8Ei BinarySI 0 0"},
    {"4Ei", 2, "8Ei BinarySI -9223372036854775808 0"},
    {"7Ei", 1024, "7 BinarySI 0 0"},
    {"1", kLowest, "-9223372036854775808 DecimalSI -9223372036854775808 0"},
    {"-1", kLowest, "9223372036854775808 DecimalSI -9223372036854775808 0"},
    {"2Ti", 9223372036854775807, "18446744073709551614Ti BinarySI -2199023255552 -2199023255552000"},
    {"9e18", 1000000000000000000, "9e36 DecimalExponent 5595889181738926080 0"},
    {"1e19", 3, "30e18 DecimalExponent -9223372036854775808 -9223372036854775808"},
    {"3e22", 7, "210e21 DecimalExponent -9223372036854775808 -9223372036854775808"},
    {"1n", 1000000000, "1 DecimalSI 1 1000"},
    {"0", 5, "0 DecimalSI 0 0"},
    {"0e5", 7, "0 DecimalExponent 0 0"},
    {"1023Ki", 1024, "1023Mi BinarySI 1072693248 1072693248000"},
};

std::string brief(const Quantity& quantity) {
  switch (quantity.format()) {
    case Format::DecimalSI: return quantity.to_string() + " DecimalSI";
    case Format::BinarySI: return quantity.to_string() + " BinarySI";
    case Format::DecimalExponent: return quantity.to_string() + " DecimalExponent";
  }
  return "no format";
}

std::string describe(const std::optional<Quantity>& quantity) {
  if (!quantity) return "refused";
  return brief(*quantity) + " " + std::to_string(quantity->value()) + " " +
         std::to_string(quantity->milli_value());
}

// For texts that parse.
Quantity read(std::string_view text) {
  const std::optional<Quantity> quantity = Quantity::parse(text);
  REQUIRE(quantity.has_value());
  return *quantity;
}

Quantity plus(Quantity a, const Quantity& b) {
  a.add(b);
  return a;
}

Quantity times(Quantity a, int64_t factor) {
  a.multiply(factor);
  return a;
}

}  // namespace

TEST_CASE("quantity: parsed and printed as Kubernetes does") {
  for (const Parsed& row : kParsed) {
    CAPTURE(row.text);
    CHECK(describe(Quantity::parse(row.text)) == row.expected);
  }
}

TEST_CASE("quantity: sums and comparisons") {
  for (const Sum& row : kSums) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    const Quantity a = read(row.a);
    const Quantity b = read(row.b);
    CHECK(brief(plus(a, b)) == row.a_plus_b);
    CHECK(brief(plus(b, a)) == row.b_plus_a);
    CHECK(a.compare(b) == row.order);
    CHECK(b.compare(a) == -row.order);
    CHECK((a == b) == (row.order == 0));
  }
}

TEST_CASE("quantity: products") {
  for (const Product& row : kProducts) {
    CAPTURE(row.text);
    CAPTURE(row.factor);
    CHECK(describe(times(read(row.text), row.factor)) == row.expected);
  }
}

TEST_CASE("quantity: a value depends on whether the sum left int64") {
  CHECK(describe(plus(read("4Ei"), read("4Ei"))) == "8Ei BinarySI -9223372036854775808 0");
  CHECK(describe(plus(read("-1500m"), read("0"))) == "-1500m DecimalSI -2 -1500");
  CHECK(describe(plus(read("0.0000000000000000000000"), read("-1500m"))) == "-1500m DecimalSI -1 -1500");
  CHECK(describe(plus(times(read("-1500m"), 1), read("0"))) == "-1500m DecimalSI 0 -1500");
}

TEST_CASE("quantity: added to itself") {
  Quantity doubled = read("1.5Gi");
  doubled.add(doubled);
  CHECK(describe(doubled) == "3Gi BinarySI 3221225472 3221225472000");
}

TEST_CASE("quantity: from_int") {
  CHECK(describe(Quantity()) == "0 DecimalSI 0 0");
  CHECK(describe(Quantity::from_int(0, Format::BinarySI)) == "0 BinarySI 0 0");
  CHECK(describe(Quantity::from_int(1000, Format::DecimalExponent)) == "1e3 DecimalExponent 1000 1000000");
  CHECK(describe(Quantity::from_int(1000, Format::BinarySI)) == "1k BinarySI 1000 1000000");
  CHECK(describe(Quantity::from_int(-2048, Format::BinarySI)) == "-2Ki BinarySI -2048 -2048000");
  CHECK(describe(Quantity::from_int(1024)) == "1024 DecimalSI 1024 1024000");
  CHECK(describe(Quantity::from_int(kLowest, Format::BinarySI)) ==
        "-9223372036854775808 BinarySI -9223372036854775808 0");
}

TEST_CASE("quantity: signs") {
  CHECK(read("1n").sign() == 1);
  CHECK(read("-0.1n").sign() == -1);
  CHECK(read("-0Ki").is_zero());
  CHECK(plus(read("1Ki"), read("-1024")).is_zero());
}

// Ours, not Kubernetes': it takes any exponent, then hangs as soon as such an amount meets another.
TEST_CASE("quantity: at most 10,000 digits and powers of ten") {
  CHECK(read("1e9999").to_string() == "1e9999");
  CHECK(describe(Quantity::parse("1e10000")) == "refused");
  CHECK(describe(Quantity::parse("1e-10000")) == "refused");
  CHECK(describe(Quantity::parse("1e2147483647")) == "refused");
  CHECK(describe(Quantity::parse("1e-2147483648")) == "refused");
  const std::string longest(10'000, '7');
  CHECK(read(longest).to_string() == longest);
  CHECK(plus(read("1Ki"), read(longest)).to_string() == longest.substr(4) + "8801");
  CHECK(describe(Quantity::parse(longest + "7")) == "refused");
}

}  // namespace trainjobc::quantity_test
