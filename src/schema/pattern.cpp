// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "k8s/quantity.h"
#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

using base::is_alnum;
using base::is_digit;
using base::is_lower;

// Removes a decimal number from the front: 1, 1., 1.5, .5.
bool take_decimal(std::string_view& text) {
  const auto digits = [&] {
    const auto end = static_cast<size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    text.remove_prefix(end);
    return end;
  };
  const size_t whole = digits();
  if (!text.starts_with('.')) return whole > 0;
  text.remove_prefix(1);
  return digits() + whole > 0;
}

void take_sign(std::string_view& text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
}

bool matches_quantity_pattern(std::string_view text) {
  take_sign(text);
  if (!take_decimal(text)) return false;
  if (text.empty()) return true;
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "numkMGTPE";
  if (text.size() == 2 && text[1] == 'i') return kBinary.find(text[0]) != std::string_view::npos;
  if (text.size() == 1 && kDecimal.find(text[0]) != std::string_view::npos) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  take_sign(text);
  return take_decimal(text) && text.empty();
}

// Like the pattern, accepts text that the webhooks can't decode, such as 1e1.5.
bool is_quantity(std::string_view text) {
  return matches_quantity_pattern(text) && k8s::Quantity::is_valid(text);
}

// "32 GB", "10gi" and "64K" in Kubernetes' spelling; "" if that is unclear.
std::string suggest_quantity(std::string_view text) {
  std::string better = base::with_plain_spaces(base::without_curly_quotes(text));
  std::erase(better, ' ');
  if (better.size() > 1 && (better.back() == 'B' || better.back() == 'b')) better.pop_back();
  const auto upper = [](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; };
  if (better.size() > 2 && upper(better.back()) == 'I') {
    better.back() = 'i';
    better[better.size() - 2] = upper(better[better.size() - 2]);
  } else if (!better.empty() && upper(better.back()) == 'K') {
    better.back() = 'k';
  } else if (!better.empty() && better.back() != 'm') {
    better.back() = upper(better.back());
  }
  return better != text && is_quantity(better) ? better : "";
}

// Whether the text is the reason of a condition: a word of letters, digits, and inner _ , and :.
bool is_reason(std::string_view text) {
  if (text.empty() || !base::is_letter(text.front())) return false;
  if (text.size() == 1) return true;
  const auto inner = [](char c) { return is_alnum(c) || c == '_' || c == ',' || c == ':'; };
  return std::ranges::all_of(text, inner) && (is_alnum(text.back()) || text.back() == '_');
}

// Whether the text is a qualified name: [prefix/]Name.
bool is_qualified_name(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return k8s::is_name_part(text);
  return k8s::is_dns_subdomain(text.substr(0, slash)) && k8s::is_name_part(text.substr(slash + 1));
}

bool take_digits(std::string_view& text, size_t count) {
  if (text.size() < count || !std::ranges::all_of(text.substr(0, count), is_digit)) return false;
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// A decimal number in JSON's syntax, as text: -0.5, 1e-5.
bool is_decimal_text(std::string_view text) {
  take(text, "-");
  const auto digits = [&] {
    size_t count = 0;
    while (take_digits(text, 1)) ++count;
    return count;
  };
  const bool begins_with_zero = text.starts_with('0');
  const size_t whole = digits();
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (take(text, ".") && digits() == 0) return false;
  if (take(text, "eE")) {
    take(text, "+-");
    if (digits() == 0) return false;
  }
  return text.empty();
}

int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// Whether the text is Z, or like +02:00.
bool is_zone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  const std::string_view hours = text.substr(1, 2);
  const std::string_view minutes = text.substr(4, 2);
  return std::ranges::all_of(hours, is_digit) && std::ranges::all_of(minutes, is_digit) &&
         number(hours) <= 24 && number(minutes) <= 60;
}

// Whether the text is RFC 3339 as Go reads it. The API server's own check of custom resources accepts a bit
// more (a lower-case t), but nothing more that Trainer could decode.
bool is_date_time(std::string_view text) {
  const std::string_view whole = text;
  if (!(take_digits(text, 4) && take(text, "-") && take_digits(text, 2) && take(text, "-") &&
        take_digits(text, 2) && take(text, "T") && take_digits(text, 2) && take(text, ":") &&
        take_digits(text, 2) && take(text, ":") && take_digits(text, 2))) {
    return false;
  }
  const auto at = [&](size_t from) { return number(whole.substr(from, 2)); };
  using namespace std::chrono;
  const year_month_day date(year(number(whole.substr(0, 4))), month(static_cast<unsigned>(at(5))),
                            day(static_cast<unsigned>(at(8))));
  if (!date.ok() || at(11) > 23 || at(14) > 59 || at(17) > 59) return false;
  if (take(text, ".,")) {
    if (!take_digits(text, 1)) return false;
    while (take_digits(text, 1)) {
    }
  }
  return is_zone(text);
}

struct Known {
  std::string_view pattern;
  bool (*matches)(std::string_view);
  PatternAdvice advice;
};

constexpr std::array kKnown = std::to_array<Known>({
    {R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)",
     is_quantity,
     {"input/quantity", "a quantity", "such as 4, 500m, 1.5G or 32Gi"}},
    {R"(^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)", is_reason, {"input/pattern", "a condition's reason", ""}},
    {R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)",
     is_qualified_name,
     {"input/pattern", "a condition's type", ""}},
    {R"(^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$)",
     is_decimal_text,
     {"input/pattern", "a decimal number", "such as 0.1, 10 or 1e-5, in quotes"}},
    {"date-time", is_date_time, {"input/format", "a date-time", ""}},
});

const Known* find_pattern(std::string_view pattern) {
  return base::find(kKnown, pattern, &Known::pattern);
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  const Known* known = find_pattern(pattern);
  return !known || known->matches(text);
}

bool knows_pattern(std::string_view pattern) {
  return find_pattern(pattern) != nullptr;
}

PatternAdvice explain_pattern(std::string_view pattern) {
  const Known* known = find_pattern(pattern);
  return known ? known->advice : PatternAdvice{"input/pattern", "of the required form", ""};
}

std::string corrected(std::string_view pattern, std::string_view text) {
  const Known* known = find_pattern(pattern);
  return known && known->matches == is_quantity ? suggest_quantity(text) : "";
}

}  // namespace trainjobc::schema
