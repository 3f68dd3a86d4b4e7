// SPDX-License-Identifier: Apache-2.0

// What looks like a secret: by the form of a text, by a name, and by the lines around it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "secret/parts.h"

namespace trainjobc::secret {
namespace {

using base::is_alnum;
using base::is_digit;

using yaml::Node;

// A family of keys: a prefix, and a minimum of letters and digits (or of `others`) up to the end.
struct KeyForm {
  std::string_view what;
  std::string_view prefix;
  size_t length;
  std::string_view others;
};

constexpr std::array kKeyForms = std::to_array<KeyForm>({
    {"a Hugging Face token", "hf_", 20},
    {"a GitHub token", "ghp_", 30},
    {"a GitHub token", "gho_", 30},
    {"a GitHub token", "ghs_", 30},
    {"a GitHub token", "github_pat_", 30, "_"},
    {"a GitLab token", "glpat-", 16, "-_"},
    {"an AWS access key", "AKIA", 16},
    {"an AWS access key", "ASIA", 16},
    {"an API key", "sk-", 20, "-_"},
    {"an NVIDIA API key", "nvapi-", 20, "-_"},
    {"a Google API key", "AIza", 30, "-_"},
    {"a GitHub token", "ghu_", 30},
    {"a GitHub token", "ghr_", 30},
    {"a Slack token", "xoxb-", 20, "-"},
    {"a Slack token", "xoxp-", 20, "-"},
    {"a Slack token", "xapp-", 20, "-"},
    {"a Slack webhook", "hooks.slack.com/services/", 20, "/"},
    {"a Docker Hub token", "dckr_pat_", 20, "-_"},
    {"an npm token", "npm_", 30},
    {"a PyPI token", "pypi-", 40, "-_"},
    {"a Replicate token", "r8_", 30},
    {"a Groq API key", "gsk_", 30},
    {"a Google token", "ya29.", 30, "-_"},
    {"a SendGrid API key", "SG.", 40, "-_."},
    {"a DigitalOcean token", "dop_v1_", 40},
    {"a signed token", "eyJ", 20, "-_.="},
});

// The letters and digits (or the form's other characters) after the prefix.
std::string_view body_of(std::string_view text, const KeyForm& form) {
  const std::string_view rest = text.substr(form.prefix.size());
  const auto fits = [&](char c) { return is_alnum(c) || form.others.find(c) != std::string_view::npos; };
  const auto end = std::ranges::find_if_not(rest, fits);
  return rest.substr(0, static_cast<size_t>(end - rest.begin()));
}

// Whether the body is a key's. Keys are random and have digits, or letters of both cases: those of Hugging
// Face may have no digit. Words with hyphens, such as the name of a model, may have none.
bool is_body(std::string_view body, const KeyForm& form) {
  if (body.size() < form.length) return false;
  const bool is_mixed =
      std::ranges::any_of(body, base::is_upper) && std::ranges::any_of(body, base::is_lower);
  return std::ranges::any_of(body, is_digit) || (is_mixed && form.others.empty());
}

constexpr std::string_view kKeyBegin = "-----BEGIN ";
constexpr std::string_view kPrivateKey = "PRIVATE KEY-----";
constexpr std::string_view kKeyEnd = "-----END ";

// The length of the PEM private key at the beginning of the text, up to its last line or the end of the text;
// 0 if there is none.
size_t private_key_length(std::string_view text) {
  if (!text.starts_with(kKeyBegin)) return 0;
  if (text.substr(0, 80).find(kPrivateKey) == std::string_view::npos) return 0;
  const size_t end = text.find(kKeyEnd);
  return end == std::string_view::npos ? text.size() : std::min(text.find('\n', end), text.size());
}

// For each byte, a bit per form of key that has it at position `at`.
constexpr std::array<uint32_t, 256> forms_with(size_t at) {
  std::array<uint32_t, 256> forms{};
  for (size_t i = 0; i < kKeyForms.size(); ++i)
    forms[static_cast<unsigned char>(kKeyForms[i].prefix[at])] |= 1U << i;
  forms[static_cast<unsigned char>(kKeyBegin[at])] |= 1U << kKeyForms.size();
  return forms;
}

constexpr std::array<std::array<uint32_t, 256>, 3> kForms{forms_with(0), forms_with(1), forms_with(2)};

bool may_be_key(std::string_view text) {
  const auto forms = [&](size_t at) { return kForms[at][static_cast<unsigned char>(text[at])]; };
  return text.size() >= kForms.size() && (forms(0) & forms(1) & forms(2)) != 0;
}

// The next position where a key may begin, not within a word; the size of the text if there is none.
size_t next_beginning(std::string_view text, size_t at) {
  const auto may_begin = [&](size_t i) {
    return may_be_key(text.substr(i)) && (i == 0 || !is_alnum(text[i - 1]));
  };
  while (at < text.size() && !may_begin(at)) ++at;
  return at;
}

// Looks for keys at positions of a text, in order.
class KeySearch {
 public:
  explicit KeySearch(std::string_view text) : text_(text) {}

  struct Key {
    size_t length = 0;  // 0 if there is none
    std::string_view what;
  };

  // The key that begins at `at`.
  Key key_at(size_t at) {
    for (size_t i = 0; i < kKeyForms.size(); ++i) {
      if (const size_t length = length_at(at, kKeyForms[i], searched_[i])) return {length, kKeyForms[i].what};
    }
    return {private_key_length(text_.substr(at)), "a private key"};
  }

 private:
  // `searched` is the end of a rejected body: text before it is part of that body, not a key.
  size_t length_at(size_t at, const KeyForm& form, size_t& searched) const {
    const size_t begin = at + form.prefix.size();
    if (begin <= searched || !text_.substr(at).starts_with(form.prefix)) return 0;
    const std::string_view body = body_of(text_.substr(at), form);
    if (is_body(body, form)) return form.prefix.size() + body.size();
    searched = begin + body.size();
    return 0;
  }

  std::string_view text_;
  std::array<size_t, kKeyForms.size()> searched_{};
};

}  // namespace

std::string_view known_key(std::string_view text) {
  if (!may_be_key(text)) return {};
  if (text.starts_with(kKeyBegin) && text.find(kPrivateKey) != std::string_view::npos) return "a private key";
  const auto form = std::ranges::find_if(kKeyForms, [&](const KeyForm& known) {
    if (!text.starts_with(known.prefix)) return false;
    const std::string_view body = body_of(text, known);
    return known.prefix.size() + body.size() == text.size() && is_body(body, known);
  });
  return form != kKeyForms.end() ? form->what : std::string_view();
}

std::string_view known_key_in(std::string_view word) {
  const size_t equals = word.find('=');
  return known_key(word.starts_with("-") && equals != std::string_view::npos ? word.substr(equals + 1)
                                                                             : word);
}

namespace {

void add_keys(std::string_view text, std::vector<SecretInText>& places) {
  size_t at = next_beginning(text, 0);
  if (at == text.size()) return;
  KeySearch search(text);
  for (; at < text.size(); at = next_beginning(text, at + 1)) {
    const auto [length, what] = search.key_at(at);
    if (length == 0) continue;
    places.push_back({what, "", at, length});
    at += length - 1;
  }
}

// Whether the text is the digest after an image's name: sha256:9f86….
bool is_digest(std::string_view text) {
  const size_t colon = text.find(':');
  return text.starts_with("sha") && colon != std::string_view::npos &&
         text.find_first_not_of("0123456789abcdef", colon + 1) == std::string_view::npos;
}

// The password in a word like user:password@host.
std::optional<SecretInText> password_of(std::string_view word, std::string_view authority) {
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= at) return std::nullopt;
  const std::string_view host = authority.substr(at + 1);
  const std::string_view password = authority.substr(colon + 1, at - colon - 1);
  if (host.empty() || !is_alnum(host.front()) || is_digest(host)) return std::nullopt;
  if (password.front() == '$' || password.front() == '{' || password == kHidden) return std::nullopt;
  return SecretInText{"a password", "", static_cast<size_t>(password.data() - word.data()), password.size()};
}

// The password in a URL, an image reference or a path: https://user:password@host/…,
// user:password@registry/….
std::optional<SecretInText> password_in(std::string_view word, size_t begin) {
  const size_t scheme = word.find("://");
  std::optional<SecretInText> found;
  if (scheme != std::string_view::npos) {
    found = password_of(word, word.substr(scheme + 3, word.find('/', scheme + 3) - scheme - 3));
  } else {
    // Text that no slash follows is a name with a tag and a digest.
    for (size_t part = 0, end = word.find('/'); !found && end != std::string_view::npos;
         part = end + 1, end = word.find('/', part)) {
      found = password_of(word, word.substr(part, end - part));
    }
  }
  if (found) found->begin += begin;
  return found;
}

void add_passwords(std::string_view text, std::vector<SecretInText>& places) {
  constexpr std::string_view kUserEnds = " \t\r\n\"'`;|,<>()=\\";
  if (text.find('@') == std::string_view::npos) return;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(kUserEnds, at), text.size());
    if (const auto place = password_in(text.substr(at, end - at), at)) places.push_back(*place);
    at = end + 1;
  }
}

// Whether the password is unlikely to be an example.
bool is_made_up(std::string_view password) {
  constexpr size_t kShortest = 8;
  const bool has_digit = std::ranges::any_of(password, base::is_digit);
  const bool has_letter =
      std::ranges::any_of(password, [](char c) { return is_alnum(c) && !base::is_digit(c); });
  return password.size() >= kShortest && has_digit && has_letter && is_literal(password) &&
         !is_no_secret(password);
}

enum class Passwords : uint8_t { MadeUp, All };

// The secrets, in the order of the text, none inside another. `passwords` are those of URLs and image
// references.
std::vector<SecretInText> secrets_in(std::string_view text, Passwords passwords = Passwords::All) {
  std::vector<SecretInText> places;
  add_keys(text, places);
  add_named(text, places);
  add_commands(text, places);
  const auto others = static_cast<std::ptrdiff_t>(places.size());
  add_passwords(text, places);
  if (passwords == Passwords::MadeUp) {
    const auto is_example = [&](const SecretInText& place) {
      return !is_made_up(text.substr(place.begin, place.length));
    };
    places.erase(std::remove_if(places.begin() + others, places.end(), is_example), places.end());
  }
  if (places.empty()) return places;
  std::ranges::stable_sort(places, {}, &SecretInText::begin);
  size_t end = 0;
  std::erase_if(places, [&](const SecretInText& place) {
    const bool is_inside = place.begin < end;
    end = std::max(end, place.begin + place.length);
    return is_inside;
  });
  return places;
}

}  // namespace

std::vector<SecretInText> real_secrets_in(std::string_view text) {
  return secrets_in(text, Passwords::MadeUp);
}

std::vector<SecretInText> find_secrets(std::string_view text) {
  constexpr std::string_view kSigned = "eyJ";  // other JSON in Base64 has the same beginning
  std::vector<SecretInText> found;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const SecretInText& place : real_secrets_in(text)) {
    const std::string_view key = text.substr(place.begin, place.length);
    if (key.starts_with(kSigned) && key.find('.') == std::string_view::npos) continue;
    if (seen.emplace(place.what, place.name).second) found.push_back(place);
  }
  return found;
}

bool has_key(std::string_view text) {
  return !secrets_in(text).empty();
}

std::string without_keys(std::string_view text) {
  std::string out;
  size_t shown = 0;
  for (const SecretInText& place : secrets_in(text)) {
    out.append(text.substr(shown, place.begin - shown)).append(kHidden);
    shown = place.begin + place.length;
  }
  return out.append(text.substr(shown));
}

bool is_plain_secret(const Node& env) {
  const Node* value = env.get("value");
  if (!value || !value->is_scalar()) return false;
  const std::string_view text = value->text();
  if (!known_key(text).empty()) return true;
  const NameKind kind = kind_of_name(env.get("name") ? env.get("name")->text() : "");
  if (kind == NameKind::Strong && !is_no_secret(text)) return true;
  return (kind == NameKind::Weak && looks_like_key(text)) || !find_secrets(text).empty();
}

bool may_hold_secret(std::string_view line) {
  constexpr std::string_view kBetweenWords = " \t\n\"';=";
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(kBetweenWords, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (!known_key(word).empty() || kind_of_name(word) != NameKind::None) return true;
    at = end + 1;
  }
  return has_key(line);
}

// The lines of a file

namespace {

using base::SourceFile;

// The distance between the name of an env variable and its value, which may be on different lines.
constexpr uint32_t kNear = 3;
constexpr std::string_view kWordSymbols = "_-.";

bool is_word(char c) {
  return base::is_alnum(c) || kWordSymbols.find(c) != std::string_view::npos;
}

template <class Test>
bool any_word(std::string_view line, Test test) {
  for (auto begin = std::ranges::find_if(line, is_word); begin != line.end();) {
    const auto end = std::find_if_not(begin, line.end(), is_word);
    if (test(std::string_view(begin, end))) return true;
    begin = std::find_if(end, line.end(), is_word);
  }
  return false;
}

bool is_separator(std::string_view line) {
  return line.starts_with("---") &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

// Whether the word names a secret value; secretKeyRef, secretName and the like only refer to one.
bool word_names_secret(std::string_view word) {
  const bool is_field =
      word.find("ecret") != std::string_view::npos && word.find('_') == std::string_view::npos;
  return !is_field && is_secret_name(word);
}

// Whether the word names a key of some kind, whose value is secret if it looks like one.
bool word_names_key(std::string_view word) {
  return kind_of_name(word) == NameKind::Weak;
}

bool begins_private_key(std::string_view line) {
  return line.find(kKeyBegin) != std::string_view::npos && line.find(kPrivateKey) != std::string_view::npos;
}

// Whether the line says kind: Secret, in YAML of either style or in JSON.
bool names_secret_kind(std::string_view line) {
  const size_t kind = line.find("kind");
  if (kind == std::string_view::npos) return false;
  std::string_view value = line.substr(kind + 4);
  value.remove_prefix(std::min(value.find_first_not_of("\"': \t"), value.size()));
  return value.starts_with("Secret") && (value.size() == 6 || !is_word(value[6]));
}

// Quotes, such as JSON's, hide where a command begins.
bool holds_secret(std::string_view line) {
  const auto holds = [](std::string_view part) { return !secrets_in(part).empty(); };
  return holds(line) || std::ranges::any_of(base::split(line, "\"'"), holds);
}

class SecretLineGuess {
 public:
  explicit SecretLineGuess(const SourceFile& file) : is_secret_(file.line_count() + 1, false) {
    uint32_t document = 1;
    bool is_secret = false;
    bool in_key = false;
    for (uint32_t at = 1; at <= file.line_count(); ++at) {
      const std::string_view line = file.line(at);
      if (is_separator(line)) {
        if (is_secret) mark(document, at);
        document = at;
        is_secret = in_key = false;
      }
      is_secret = is_secret || names_secret_kind(line);
      in_key = in_key || begins_private_key(line);
      const auto is_key = [](std::string_view word) { return !known_key(word).empty(); };
      if (in_key || any_word(line, is_key) || has_key(line) || holds_secret(line)) mark(at, at);
      if (any_word(line, word_names_secret)) mark(at - 1, at + kNear);
      if (any_word(line, word_names_key)) mark_keys(file, at);
      if (line.find(kKeyEnd) != std::string_view::npos) in_key = false;
    }
    if (is_secret) mark(document, file.line_count());
  }

  std::vector<bool> take() { return std::move(is_secret_); }

 private:
  void mark(uint32_t first, uint32_t last) {
    for (uint32_t line = first; line <= last && line < is_secret_.size(); ++line) is_secret_[line] = true;
  }

  // The lines near a name that contain what looks like a key.
  void mark_keys(const SourceFile& file, uint32_t name) {
    const auto last = std::min<uint32_t>(name + kNear, static_cast<uint32_t>(file.line_count()));
    for (uint32_t at = std::max<uint32_t>(name, 2) - 1; at <= last; ++at) {
      if (any_word(file.line(at), looks_like_key)) mark(at, at);
    }
  }

  std::vector<bool> is_secret_;  // indexed by line
};

}  // namespace

std::vector<bool> guess_secret_lines(const SourceFile& file) {
  return SecretLineGuess(file).take();
}

bool guess_secret_line(const SourceFile& file, uint32_t line) {
  const uint32_t first = line > kNear + 1 ? line - kNear - 1 : 1;
  const size_t begin = file.line_start(first);
  const std::string_view near = file.text().substr(begin, file.line_start(line + kNear + 1) - begin);
  return guess_secret_lines(SourceFile("", std::string(near)))[line - first + 1];
}

std::string without_secret_lines(std::string_view text) {
  const std::vector<bool> guessed = guess_secret_lines(SourceFile("", std::string(text)));
  std::string out;
  size_t number = 1;
  for (const std::string_view line : base::Lines(text)) {
    out += number < guessed.size() && guessed[number] ? kHidden : line;
    out += '\n';
    ++number;
  }
  return out;
}

}  // namespace trainjobc::secret
