#include "schema/pattern.h"

#include <algorithm>
#include <array>

namespace trainjobc::schema {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alnum(char c) { return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_alpha(char c) { return is_alnum(c) && !is_digit(c); }

// Takes a decimal number off the front: 1, 1., 1.5, .5.
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

bool is_quantity(std::string_view text) {
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

// The reason of a condition: a word of letters, digits, and _ , : inside.
bool is_reason(std::string_view text) {
  if (text.empty() || !is_alpha(text.front())) return false;
  if (text.size() == 1) return true;
  const auto inner = [](char c) { return is_alnum(c) || c == '_' || c == ',' || c == ':'; };
  return std::ranges::all_of(text, inner) && (is_alnum(text.back()) || text.back() == '_');
}

bool is_dns_label(std::string_view text) {
  const auto inner = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !text.empty() && std::ranges::all_of(text, inner) && text.front() != '-' && text.back() != '-';
}

// A qualified name: [prefix/]Name.
bool is_qualified_name(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    std::string_view prefix = text.substr(0, slash);
    while (true) {
      const size_t dot = prefix.find('.');
      if (!is_dns_label(prefix.substr(0, dot))) return false;
      if (dot == std::string_view::npos) break;
      prefix.remove_prefix(dot + 1);
    }
    text.remove_prefix(slash + 1);
  }
  const auto inner = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && std::ranges::all_of(text, inner) && is_alnum(text.front()) && is_alnum(text.back());
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

bool is_date_time(std::string_view text) {
  if (!(take_digits(text, 4) && take(text, "-") && take_digits(text, 2) && take(text, "-") && take_digits(text, 2))) {
    return false;
  }
  if (!(take(text, "Tt ") && take_digits(text, 2) && take(text, ":") && take_digits(text, 2) && take(text, ":") &&
        take_digits(text, 2))) {
    return false;
  }
  if (take(text, ".")) {
    if (!take_digits(text, 1)) return false;
    while (take_digits(text, 1)) {
    }
  }
  if (take(text, "Zz")) return text.empty();
  return take(text, "+-") && take_digits(text, 2) && take(text, ":") && take_digits(text, 2) && text.empty();
}

struct Known {
  std::string_view pattern;
  bool (*matches)(std::string_view);
  PatternAdvice advice;
};

constexpr std::array kKnown = std::to_array<Known>({
    {R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)",
     is_quantity,
     {"input/quantity", "a quantity", "a number with at most one suffix of m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei"}},
    {R"(^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)", is_reason, {"input/pattern", "a condition's reason", ""}},
    {R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)",
     is_qualified_name,
     {"input/pattern", "a condition's type", ""}},
    {"date-time", is_date_time, {"input/format", "a date-time", ""}},
});

const Known* find(std::string_view pattern) {
  const auto found = std::ranges::find(kKnown, pattern, &Known::pattern);
  return found != kKnown.end() ? &*found : nullptr;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  const Known* known = find(pattern);
  return !known || known->matches(text);
}

bool knows_pattern(std::string_view pattern) { return find(pattern) != nullptr; }

PatternAdvice explain_pattern(std::string_view pattern) {
  const Known* known = find(pattern);
  return known ? known->advice : PatternAdvice{"input/pattern", "of the required form", ""};
}

}  // namespace trainjobc::schema
