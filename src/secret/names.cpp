// SPDX-License-Identifier: Apache-2.0

// What names and values reveal about being secret.
#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "secret/parts.h"

namespace trainjobc::secret {
namespace {

using base::is_alnum;
using base::is_digit;

constexpr std::array kExactNames =
    std::to_array<std::string_view>({"TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "JWT", "REDISCLI_AUTH"});
constexpr std::array kStrongEndings = std::to_array<std::string_view>(
    {"_TOKEN", "AUTHTOKEN", "ACCESSTOKEN", "APITOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "_PWD", "_PASS",
     "_PW", "SSHPASS", "_API_KEY", "_APIKEY", "_PRIVATE_KEY", "_JWT"});
constexpr std::array kPasswordEndings =
    std::to_array<std::string_view>({"PASSWORD", "PASSWD", "PASSPHRASE", "_PWD", "_PASS", "_PW", "SSHPASS"});
constexpr std::array kWeakNames =
    std::to_array<std::string_view>({"AUTH", "BEARER", "CREDENTIAL", "CREDENTIALS", "CREDS", "OAUTH", "PAT"});
constexpr std::array kWeakEndings = std::to_array<std::string_view>(
    {"_KEY", "_PAT", "_AUTH", "_CREDENTIALS", "_CREDENTIAL", "_CREDS", "_SAS"});
// Suffixes of names that only refer to a secret, or say how one is used.
constexpr std::array kHarmlessEndings = std::to_array<std::string_view>(
    {"_NAME", "_PATH", "_FILE", "_DIR", "_ARN", "_URI", "_URL", "_REF", "_ID", "_KEYS", "_TYPE", "_VERSION",
     "_MOUNT", "_NAMESPACE", "_ENABLED", "_STORE", "PUBLIC_KEY"});
// Names of tokens in a language model's vocabulary, and of passes of a program.
constexpr std::array kVocabulary = std::to_array<std::string_view>(
    {"PAD", "BOS", "EOS", "UNK", "SEP", "CLS", "MASK", "STOP", "MAX", "NUM", "IMAGE", "SPECIAL", "FORWARD",
     "BACKWARD", "SINGLE", "SECOND", "FIRST", "MULTI", "RENDER"});

template <class Endings>
bool ends_with_any(std::string_view text, const Endings& endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return text.ends_with(ending); });
}

// Whether the name is of that kind: PAD_TOKEN, FORWARD_PASS.
bool is_vocabulary(std::string_view name) {
  for (const std::string_view ending : {"_TOKEN", "_PASS"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    const size_t word = name.rfind('_');
    return base::contains(kVocabulary, word == std::string_view::npos ? name : name.substr(word + 1));
  }
  return false;
}

// A quick test, which few names pass: each word of the endings has one of these last letters.
bool ends_as_secret(std::string_view name) {
  if (name.size() < 3) return false;
  const char before = base::to_upper(name[name.size() - 2]);
  switch (base::to_upper(name.back())) {
    case 'N':
    case 'D':
    case 'Y': return true;
    case 'E':
    case 'S': return before == 'S' || before == 'D' || before == 'L' || before == 'A';
    case 'R': return before == 'E';
    case 'T': return before == 'W' || before == 'A';
    case 'W': return before == 'P';
    case 'H': return before == 'T';
    case 'L': return before == 'A';
    default: return false;
  }
}

bool has_secret_word(std::string_view name) {
  constexpr std::string_view kSecret = "SECRET";
  const auto is_same = [](char c, char wanted) { return base::to_upper(c) == wanted; };
  for (size_t at = 0; at + kSecret.size() <= name.size(); ++at) {
    if (base::to_upper(name[at]) == 'S' &&
        std::ranges::equal(name.substr(at, kSecret.size()), kSecret, is_same))
      return true;
  }
  return false;
}

// The name as an environment variable's: ACCOUNT_KEY for --account-key and accountKey.
std::string as_variable(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string word;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && base::is_upper(name[i]) && base::is_lower(name[i - 1])) word += '_';
    word += name[i] == '-' ? '_' : base::to_upper(name[i]);
  }
  return word;
}

// Whether the value is what people write in place of a secret.
bool is_placeholder(std::string_view value) {
  static constexpr std::array kWords = std::to_array<std::string_view>(
      {"YOUR", "***", "...", "CHANGE", "DUMMY", "EXAMPLE", "PLACEHOLDER", "INSERT", "REPLACE"});
  const std::string upper = base::upper_case(value);
  return upper.find(std::string(3, 'X')) != upper.npos ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return upper.find(word) != upper.npos; });
}

// Whether the name is written like an environment variable's; other names may be those of code.
bool is_variable_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return base::is_upper(c) || is_digit(c) || c == '_'; });
}

bool is_letter(char c) {
  return is_alnum(c) && !is_digit(c);
}

}  // namespace

bool may_be_secret_name(std::string_view name) {
  return ends_as_secret(name) || has_secret_word(name);
}

NameKind kind_of_name(std::string_view name) {
  if (!may_be_secret_name(name)) return NameKind::None;
  const std::string word = as_variable(name);
  if (ends_with_any(word, kHarmlessEndings) || is_vocabulary(word)) return NameKind::None;
  if (base::contains(kExactNames, word) || ends_with_any(word, kStrongEndings) ||
      word.find("SECRET") != std::string::npos)
    return NameKind::Strong;
  const bool is_weak = base::contains(kWeakNames, word) || ends_with_any(word, kWeakEndings);
  return is_weak ? NameKind::Weak : NameKind::None;
}

bool is_secret_name(std::string_view name) {
  return kind_of_name(name) == NameKind::Strong;
}

bool names_password(std::string_view name) {
  return ends_with_any(as_variable(name), kPasswordEndings);
}

bool is_no_secret(std::string_view value) {
  static constexpr std::array kReferences = std::to_array<std::string_view>(
      {"/", "<", "$(", "${", "{{", "arn:", "vault:", "op://", "ssm:", "sm://", "ref+"});
  const bool is_short = value.size() < 4 || (value.size() < 6 && std::ranges::all_of(value, is_digit));
  return is_short || value == "true" || value == "false" ||
         std::ranges::any_of(kReferences, [&](std::string_view start) { return value.starts_with(start); });
}

bool is_literal(std::string_view value) {
  return value.find_first_of("$`(){}[]<>") == std::string_view::npos && !is_placeholder(value);
}

bool looks_random(std::string_view value) {
  constexpr size_t kShortest = 16;
  const auto fits = [](char c) {
    return is_alnum(c) || std::string_view("_-./+=").find(c) != std::string_view::npos;
  };
  return value.size() >= kShortest && std::ranges::any_of(value, is_digit) &&
         std::ranges::any_of(value, is_letter) && std::ranges::all_of(value, fits);
}

bool looks_like_key(std::string_view value) {
  if (!looks_random(value) || value.find('.') != std::string_view::npos) return false;
  const auto kind = [](char c) {
    return is_digit(c) ? 1 : base::is_upper(c) ? 2 : base::is_lower(c) ? 3 : 0;
  };
  size_t changes = 0;
  for (size_t i = 1; i < value.size(); ++i) {
    if (kind(value[i]) != 0 && kind(value[i - 1]) != 0 && kind(value[i]) != kind(value[i - 1])) ++changes;
  }
  return changes * 4 >= value.size();  // random characters: 0.4 to 0.6 changes per character
}

bool is_value_of(std::string_view name, NameKind kind, std::string_view value) {
  constexpr size_t kShortestNamed = 8;
  constexpr size_t kShortestPassword = 6;
  if (kind == NameKind::None || !is_literal(value) || is_no_secret(value)) return false;
  if (kind == NameKind::Weak) return looks_like_key(value);
  if (is_variable_name(name)) return value.size() >= kShortestNamed;
  const bool is_mixed = std::ranges::any_of(value, is_letter) && !std::ranges::all_of(value, is_letter);
  return looks_random(value) || (names_password(name) && value.size() >= kShortestPassword && is_mixed &&
                                 value.find('/') == std::string_view::npos);
}

}  // namespace trainjobc::secret
