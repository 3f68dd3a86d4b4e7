// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/substitute.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

// The whole text against a pattern of *, ?, [a-z], [^a-z] and \x. nullopt if the pattern is malformed.
class Glob {
 public:
  explicit Glob(std::string_view pattern) : pattern_(pattern) {}

  std::optional<bool> matches(std::string_view text) const {
    size_t at = 0;
    size_t in = 0;
    size_t star = std::string_view::npos;  // after the last star
    size_t from = 0;                       // where the text after it was tried
    while (in < text.size() || at < pattern_.size()) {
      if (at < pattern_.size() && pattern_[at] == '*') {
        star = ++at;
        from = in;
        continue;
      }
      size_t next = at;
      if (in < text.size() && at < pattern_.size()) {
        const auto one = takes(text[in], next);
        if (!one) return std::nullopt;
        if (*one) {
          at = next;
          ++in;
          continue;
        }
      }
      if (star == std::string_view::npos || from >= text.size()) return false;
      at = star;
      in = ++from;
    }
    return true;
  }

 private:
  // Whether the character matches the element at `at`, which is moved past it.
  std::optional<bool> takes(char c, size_t& at) const {
    if (pattern_[at] == '[') return takes_class(c, at);
    const bool is_escaped = pattern_[at] == '\\';
    if (is_escaped && ++at == pattern_.size()) return std::nullopt;
    const char wanted = pattern_[at++];
    return wanted == c || (wanted == '?' && !is_escaped);
  }

  std::optional<char> class_end(size_t& at) const {
    if (at >= pattern_.size() || pattern_[at] == '-' || pattern_[at] == ']') return std::nullopt;
    if (pattern_[at] == '\\' && ++at == pattern_.size()) return std::nullopt;
    const char c = pattern_[at++];
    return at < pattern_.size() ? std::optional(c) : std::nullopt;
  }

  std::optional<bool> takes_class(char c, size_t& at) const {
    const bool is_negated = ++at < pattern_.size() && pattern_[at] == '^';
    if (is_negated) ++at;
    bool is_in = false;
    for (bool is_first = true; is_first || at >= pattern_.size() || pattern_[at] != ']'; is_first = false) {
      const auto low = class_end(at);
      if (!low) return std::nullopt;
      auto high = low;
      if (pattern_[at] == '-') high = class_end(++at);
      if (!high) return std::nullopt;
      is_in = is_in || (*low <= c && c <= *high);
    }
    ++at;
    return is_in != is_negated;
  }

  std::string_view pattern_;
};

// Without the shortest beginning that matches, or the longest.
std::string trimmed(const std::string& text, const std::string& pattern, bool longest) {
  const Glob glob(pattern);
  for (size_t i = 1; i <= text.size(); ++i) {
    const size_t size = longest ? text.size() + 1 - i : i;
    const auto found = glob.matches(std::string_view(text).substr(0, size));
    if (!found) return text;
    if (*found) return text.substr(size);
  }
  return text;
}

// By characters.
std::string reversed(std::string_view text) {
  std::string result;
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && base::is_continuation(text[begin])) --begin;
    result += text.substr(begin, end - begin);
    end = begin;
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to, bool all) {
  if (from.empty() && !all) return to + text;
  if (from.empty()) {
    std::string result = to;
    for (const char c : text) result += c + to;
    return result;
  }
  std::string result;
  size_t begin = 0;
  for (size_t at = text.find(from); at != std::string::npos;
       at = all ? text.find(from, begin) : std::string::npos) {
    result.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  return result.append(text, begin);
}

std::optional<int64_t> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return base::read_integer(text);
}

std::string part_of(const std::string& text, const std::vector<std::string>& arguments) {
  const auto size = static_cast<int64_t>(text.size());
  auto position = number_of(arguments[0]);
  if (!position) return text;
  if (*position < 0) position = std::max<int64_t>(size + *position, 0);
  const auto length = arguments.size() > 1 ? number_of(arguments[1]) : std::optional<int64_t>(size);
  if (!length) return text;
  if (*position >= size) return "";
  const auto from = static_cast<size_t>(*position);
  // A negative length counts from the end.
  const int64_t end = *length < 0 ? size + *length : *position + std::min(*length, size);
  return end < *position ? "" : text.substr(from, static_cast<size_t>(end - *position));
}

// What a function makes of a variable's value.
std::string apply(std::string_view name, std::string value, const std::vector<std::string>& arguments) {
  const auto argument = [&](size_t i) { return i < arguments.size() ? arguments[i] : std::string(); };
  if (name == "^") return with_first_in_case(value, LetterCase::Upper);
  if (name == ",") return with_first_in_case(value, LetterCase::Lower);
  if (name == "^^") return in_case(value, LetterCase::Upper);
  if (name == ",,") return in_case(value, LetterCase::Lower);
  if (name == "#" && arguments.empty()) return std::to_string(value.size());
  if (name == "#" || name == "##") return trimmed(value, argument(0), name == "##");
  if (name == "%" || name == "%%")
    return reversed(trimmed(reversed(value), reversed(argument(0)), name == "%%"));
  if (name == ":") return part_of(value, arguments);
  if (name == "/" || name == "//") return replaced(value, argument(0), argument(1), name == "//");
  if (name == "/#" || name == "/%") {
    if (arguments.size() != 2) return value;
    if (name == "/#" && value.starts_with(arguments[0]))
      return replaced(value, arguments[0], arguments[1], false);
    if (name == "/%" && value.ends_with(arguments[0]))
      return value.substr(0, value.size() - arguments[0].size()) + arguments[1];
    return value;
  }
  if (!value.empty()) return value;
  for (const std::string& part : arguments) value += part;
  return value;
}

bool in_name(char c) {
  return base::is_alnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

// Reads and replaces in one go. The functions return false after an error.
class Expander {
 public:
  Expander(std::string_view text, const Variables& variables, Strictness strictness)
      : text_(text), variables_(variables), is_strict_(strictness == Strictness::Strict) {}

  Substituted expand() {
    while (at_ < text_.size()) {
      if (starts_with("${")) {
        at_ += 2;
        std::string value;
        if (!function(value, 0)) return std::move(result_);
        result_.text += value;
      } else {
        if (starts_with("$$")) ++at_;
        result_.text += text_[at_++];
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr int kDeepest = 100;
  // In bytes that are copied or compared: a few lines can ask for terabytes.
  static constexpr size_t kMostWork = size_t{256} << 20U;

  // About what a function costs.
  static size_t work_of(std::string_view function, std::string_view value,
                        const std::vector<std::string>& arguments) {
    size_t own = 0;
    for (const std::string& argument : arguments) own += argument.size();
    const bool has_pattern = function.starts_with('#') || function.starts_with('%');
    if (has_pattern && !arguments.empty()) return value.size() * (value.size() + own);
    const bool replaces = function.starts_with('/');
    return replaces ? value.size() * (own + 1) : value.size() + own;
  }

  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool fail(std::string_view why) {
    result_.error = why;
    result_.text.clear();
    return false;
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // After "${"; `value` is what replaces it.
  bool function(std::string& value, int depth) {
    if (depth > kDeepest) return fail("bad substitution");
    std::string name;
    if (peek() == '#') {
      ++at_;
      name = word();
      if (name.empty() || peek() != '}') return fail("bad substitution");
      return close("#", name, {}, value);
    }
    name = word();
    if (name.empty()) return fail("unable to parse variable name");
    switch (peek()) {
      case '}': return close("", name, {}, value);
      case ':': return colon(name, value, depth);
      case '=': ++at_; return defaults("=", name, value, depth);
      case ',':
      case '^': return casing(name, value);
      case '/': return replacing(name, value, depth);
      case '#':
      case '%': return removing(name, value, depth);
      default: return fail("missing closing brace");
    }
  }

  // Whether the function needs a value: it has no default for a variable that isn't set.
  bool needs_value(std::string_view function) const {
    constexpr std::array<std::string_view, 5> kDefaults{"=", ":=", ":-", ":?", ":+"};
    return is_strict_ ? !base::contains(kDefaults, function) : function.empty();
  }

  // Forgets the variables of an unused default: those in `unset` from `first` on.
  void forget_unused(const std::string& name, size_t first) {
    const auto found = variables_.find(name);
    if (is_strict_ || found == variables_.end() || found->second.empty()) return;
    while (result_.unset.size() > first) {
      unset_.erase(result_.unset.back());
      result_.unset.pop_back();
    }
  }

  bool close(std::string_view function, const std::string& name, const std::vector<std::string>& arguments,
             std::string& value) {
    if (peek() != '}') return fail("bad substitution");
    ++at_;
    const auto found = variables_.find(name);
    const bool is_set = found != variables_.end();
    if (!is_set && needs_value(function) && unset_.insert(name).second) result_.unset.push_back(name);
    const std::string_view before = is_set ? std::string_view(found->second) : std::string_view();
    work_ += work_of(function, before, arguments);
    if (work_ > kMostWork) return fail("the values are too large");
    value = apply(function, std::string(before), arguments);
    return true;
  }

  // Up to a character of `ends`, or the beginning of another variable; or that variable. `escapes`: \/ and
  // \\, and $$.
  bool argument(std::string_view ends, bool escapes, std::string& value, int depth) {
    if (starts_with("${")) {
      at_ += 2;
      return function(value, depth + 1);
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !starts_with("${")) {
      const bool is_escape = escapes && (starts_with("$$") || starts_with("\\/") || starts_with("\\\\"));
      if (is_escape) ++at_;
      if (!is_escape && ends.find(peek()) != std::string_view::npos) break;
      value += text_[at_++];
    }
    return at_ > begin || fail("unable to parse substitution within function");
  }

  bool colon(const std::string& name, std::string& value, int depth) {
    constexpr std::string_view kOperators = "=-?+";
    ++at_;
    if (const char next = peek(); next != '\0' && kOperators.find(next) != std::string_view::npos) {
      ++at_;
      return defaults(std::string(":") + next, name, value, depth);
    }
    std::vector<std::string> arguments(1);
    if (!argument(":}", false, arguments[0], depth)) return false;
    if (peek() == '}') return close(":", name, arguments, value);
    if (peek() != ':') return fail("bad substitution");
    while (peek() == ':') ++at_;
    if (!argument("}", false, arguments.emplace_back(), depth)) return false;
    return close(":", name, arguments, value);
  }

  bool defaults(const std::string& function, const std::string& name, std::string& value, int depth) {
    std::vector<std::string> arguments;
    const size_t first_unset = result_.unset.size();
    while (peek() != '}') {
      if (!argument("}", false, arguments.emplace_back(), depth)) return false;
    }
    forget_unused(name, first_unset);
    return close(function, name, arguments, value);
  }

  bool casing(const std::string& name, std::string& value) {
    const size_t begin = at_;
    while (at_ - begin < 2 && (peek() == ',' || peek() == '^')) ++at_;
    return close(text_.substr(begin, at_ - begin), name, {}, value);
  }

  bool replacing(const std::string& name, std::string& value, int depth) {
    const size_t begin = at_++;
    if (const char next = peek(); next == '/' || next == '#' || next == '%') ++at_;
    const std::string_view function = text_.substr(begin, at_ - begin);
    std::vector<std::string> arguments(1);
    if (!argument("/", true, arguments[0], depth)) return false;
    if (peek() != '/') return fail("bad substitution");
    while (peek() == '/') ++at_;
    if (peek() != '}' && !argument("}", true, arguments.emplace_back(), depth)) return false;
    return close(function, name, arguments, value);
  }

  bool removing(const std::string& name, std::string& value, int depth) {
    const char what = peek();
    const size_t begin = at_++;
    if (peek() == what) ++at_;
    const std::string_view function = text_.substr(begin, at_ - begin);
    std::vector<std::string> arguments(1);
    if (!argument("}", false, arguments[0], depth)) return false;
    return close(function, name, arguments, value);
  }

  std::string_view text_;
  const Variables& variables_;
  const bool is_strict_;
  size_t at_ = 0;
  size_t work_ = 0;
  std::set<std::string> unset_;  // those of the result
  Substituted result_;
};

}  // namespace

Substituted substitute(std::string_view text, const Variables& variables, Strictness strictness) {
  return Expander(text, variables, strictness).expand();
}

bool is_variable_name(std::string_view name) {
  const auto is_part = [](char c) { return base::is_alnum(c) || c == '_'; };
  return !name.empty() && !base::is_digit(name.front()) && std::ranges::all_of(name, is_part);
}

}  // namespace trainjobc::gitops
