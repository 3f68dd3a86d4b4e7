// SPDX-License-Identifier: Apache-2.0

// Values that a text assigns to a name: NAME=value and --flag value in shells, os.environ["NAME"] = "value"
// in Python, "name": "value" in JSON and YAML, Name: value in HTTP.
#include <algorithm>
#include <array>
#include <optional>

#include "base/text/text.h"
#include "secret/parts.h"

namespace trainjobc::secret {
namespace {

using base::is_alnum;

constexpr std::string_view kQuotes = "\"'";
constexpr std::string_view kEnds = " \t\r\n\"'\\;&|,";

bool is_quote(char c) {
  return kQuotes.find(c) != std::string_view::npos;
}

std::string_view name_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && (is_alnum(text[begin - 1]) || text[begin - 1] == '_' || text[begin - 1] == '-'))
    --begin;
  return text.substr(begin, end - begin);
}

// The name before an = or a :, or a flag.
struct Name {
  std::string_view text;
  bool is_quoted = false;  // "NAME": or os.environ["NAME"] =
  bool is_spaced = false;  // NAME =
  bool is_reference = false;
};

Name name_at(std::string_view text, size_t sign) {
  Name name;
  size_t end = sign;
  if (text[sign] != ' ') {
    while (end > 0 && text[end - 1] == ' ') --end;
    name.is_spaced = end < sign;
    if (end > 0 && text[end - 1] == ']') --end;
    if (end > 0 && is_quote(text[end - 1])) {
      name.is_quoted = true;
      --end;
      if (end > 0 && text[end - 1] == '\\') --end;
    }
  }
  name.text = name_before(text, end);
  const size_t before = end - name.text.size();
  name.is_reference = before > 0 && (text[before - 1] == '$' || text[before - 1] == '{');
  return name;
}

// Finds where words end. Many may end at one place: it is searched for once.
class WordEnds {
 public:
  explicit WordEnds(std::string_view text) : text_(text) {}

  size_t after(size_t begin) {
    if (begin < begin_ || begin > end_) {
      begin_ = begin;
      end_ = std::min(text_.find_first_of(kEnds, begin), text_.size());
    }
    return end_;
  }

 private:
  std::string_view text_;
  size_t begin_ = 1;
  size_t end_ = 0;
};

// The part of a long value that is looked at.
std::string_view beginning_of(std::string_view value) {
  constexpr size_t kEnough = 4096;
  return value.substr(0, kEnough);
}

struct Value {
  std::string_view text;
  size_t begin = 0;
  bool is_quoted = false;
  bool is_spaced = false;  // follows spaces
};

// The value that begins at `at`, or after spaces there.
Value value_at(std::string_view text, size_t at, WordEnds& ends) {
  Value value;
  size_t begin = std::min(text.find_first_not_of(' ', at), text.size());
  value.is_spaced = begin > at;
  const bool has_prefix = begin + 1 < text.size() && is_quote(text[begin + 1]) &&
                          std::string_view("bBrRuU").find(text[begin]) != std::string_view::npos;
  if (has_prefix) ++begin;
  if (begin + 1 < text.size() && text[begin] == '\\' && is_quote(text[begin + 1])) ++begin;
  size_t end = std::string_view::npos;
  if (begin < text.size() && is_quote(text[begin])) {
    value.is_quoted = true;
    const char quote = text[begin++];
    end = text.find_first_of(std::string_view(quote == '"' ? "\"\r\n\\" : "'\r\n\\"), begin);
  }
  if (!value.is_quoted) end = ends.after(begin);
  value.begin = begin;
  value.text =
      text.substr(std::min(begin, text.size()), std::min(end, text.size()) - std::min(begin, text.size()));
  return value;
}

// Whether the sign assigns the value to the name.
bool is_given(const Name& name, char sign, const Value& value) {
  const bool is_flag = name.text.starts_with("-");
  switch (sign) {
    case ' ': return is_flag;
    case ',': return name.is_quoted && value.is_quoted;  // os.putenv("NAME", "value")
    case ':': return value.is_spaced || value.is_quoted;
    default: return !value.is_spaced || name.is_spaced || value.is_quoted;
  }
}

// The secret after the = or : at `at`, or, if a flag precedes it, after the space.
std::optional<SecretInText> named_at(std::string_view text, size_t at, WordEnds& ends) {
  const Name name = name_at(text, at);
  if (name.text.empty() || name.is_reference) return std::nullopt;
  const NameKind kind = kind_of_name(name.text);
  if (kind == NameKind::None) return std::nullopt;
  const char sign = text[at];
  if (at + 1 < text.size() && (text[at + 1] == '=' || text[at + 1] == '/')) return std::nullopt;
  const Value value = value_at(text, at + 1, ends);
  const std::string_view shown = beginning_of(value.text);
  if (!is_given(name, sign, value) || !is_value_of(name.text, kind, shown)) return std::nullopt;
  // In languages other than a shell's, names and words may be anything.
  const bool is_shell = sign == ' ' || (sign == '=' && !name.is_spaced && !name.is_quoted);
  const bool has_digit = std::ranges::any_of(shown, base::is_digit);
  if (!is_shell && !has_digit) return std::nullopt;
  if (!is_shell && sign == '=' && !value.is_quoted && !looks_like_key(shown)) return std::nullopt;
  if (sign == ':' && !looks_random(shown) && !names_password(name.text)) return std::nullopt;
  if ((sign == ':' || sign == ',') && !names_password(name.text) && !looks_like_key(shown))
    return std::nullopt;
  return SecretInText{"", name.text, value.begin, value.text.size()};
}

// The position of the word in the text from `at` on, ignoring case; npos if there is none.
size_t find_word(std::string_view text, std::string_view word, size_t at) {
  const auto is_same = [](char a, char b) { return base::to_lower(a) == b; };
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())),
                                 text.end(), word.begin(), word.end(), is_same);
  return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

// Adds credentials like those in Authorization: Basic dXNlcjpwYXNzd29yZA==
void add_authorizations(std::string_view text, WordEnds ends, std::vector<SecretInText>& places) {
  static constexpr std::string_view kHeader = "authorization";
  static constexpr std::array<std::string_view, 5> kSchemes{"basic", "bearer", "token", "apikey", "key"};
  for (size_t at = find_word(text, kHeader, 0); at != std::string_view::npos;
       at = find_word(text, kHeader, at + 1)) {
    size_t sign = std::min(text.find_first_not_of("\"'\\] ", at + kHeader.size()), text.size());
    if (sign == text.size() || (text[sign] != ':' && text[sign] != '=' && text[sign] != ',')) continue;
    size_t begin = std::min(text.find_first_not_of("\"'\\ ", sign + 1), text.size());
    size_t end = ends.after(begin);
    if (base::contains(kSchemes, base::lower_case(text.substr(begin, end - begin)))) {
      begin = std::min(text.find_first_not_of(' ', end), text.size());
      end = ends.after(begin);
    }
    const std::string_view value = text.substr(begin, end - begin);
    if (looks_random(beginning_of(value)) && is_literal(beginning_of(value)))
      places.push_back({"", text.substr(at, kHeader.size()), begin, value.size()});
  }
}

void add_bearers(std::string_view text, WordEnds ends, std::vector<SecretInText>& places) {
  static constexpr std::string_view kBearer = "bearer ";
  for (size_t at = find_word(text, kBearer, 0); at != std::string_view::npos;
       at = find_word(text, kBearer, at + 1)) {
    const Value value = value_at(text, at + kBearer.size(), ends);
    const std::string_view shown = beginning_of(value.text);
    if (looks_like_key(shown) && is_literal(shown))
      places.push_back({"a bearer token", "", value.begin, value.text.size()});
  }
}

// Adds signatures of URLs, with which anyone may use these: ?sig=…, &X-Amz-Signature=….
void add_signatures(std::string_view text, std::vector<SecretInText>& places) {
  constexpr size_t kShortest = 20;
  constexpr size_t kLongestName = 32;
  for (const std::string_view parameter : {"sig=", "Signature="}) {
    for (size_t at = text.find(parameter); at != std::string_view::npos; at = text.find(parameter, at + 1)) {
      const size_t first = at - std::min(at, kLongestName);
      const size_t before_name = text.substr(first, at - first).find_last_of("?& \"'");
      if (before_name == std::string_view::npos) continue;
      const size_t name = first + before_name;
      if (text[name] != '?' && text[name] != '&') continue;
      const size_t begin = at + parameter.size();
      const size_t end = std::min(text.find_first_of("& \t\r\n\"'\\;|,?", begin), text.size());
      const std::string_view value = text.substr(begin, end - begin);
      if (value.size() >= kShortest && is_literal(value))
        places.push_back({"", text.substr(name + 1, begin - name - 2), begin, value.size()});
    }
  }
}

}  // namespace

void add_named(std::string_view text, std::vector<SecretInText>& places) {
  WordEnds ends(text);
  bool may_be_request = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '=' && c != ' ' && c != ':' && c != ',') continue;
    may_be_request = true;
    if (const auto place = named_at(text, at, ends)) places.push_back(*place);
  }
  if (!may_be_request) return;
  add_authorizations(text, WordEnds(text), places);
  add_bearers(text, WordEnds(text), places);
  add_signatures(text, places);
}

}  // namespace trainjobc::secret
