// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/secrets/secret_text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "k8s/secret_values.h"

namespace trainjobc::compile::advice {
namespace {

using k8s::is_secret_name;
using k8s::known_key;

using base::SourceFile;

// An env variable takes a few lines: this is the distance between its name and its value.
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

// secretKeyRef, secretName and the like don't contain a secret value.
bool names_secret(std::string_view word) {
  const bool is_field =
      word.find("ecret") != std::string_view::npos && word.find('_') == std::string_view::npos;
  return !is_field && is_secret_name(word);
}

bool begins_private_key(std::string_view line) {
  return line.find("-----BEGIN ") != std::string_view::npos &&
         line.find("PRIVATE KEY-----") != std::string_view::npos;
}

// kind: Secret, in YAML of either style or JSON.
bool names_secret_kind(std::string_view line) {
  const size_t kind = line.find("kind");
  if (kind == std::string_view::npos) return false;
  std::string_view value = line.substr(kind + 4);
  value.remove_prefix(std::min(value.find_first_not_of("\"': \t"), value.size()));
  return value.starts_with("Secret") && (value.size() == 6 || !is_word(value[6]));
}

// The lines of a file that may contain part of a secret.
class HiddenLines {
 public:
  explicit HiddenLines(const SourceFile& file) : hidden_(file.line_count() + 1, false) {
    uint32_t document = 1;
    bool is_secret = false;
    bool in_key = false;
    for (uint32_t at = 1; at <= file.line_count(); ++at) {
      const std::string_view line = file.line(at);
      if (is_separator(line)) {
        if (is_secret) hide(document, at);
        document = at;
        is_secret = in_key = false;
      }
      is_secret = is_secret || names_secret_kind(line);
      in_key = in_key || begins_private_key(line);
      if (in_key || any_word(line, [](std::string_view word) { return !known_key(word).empty(); }))
        hide(at, at);
      if (any_word(line, names_secret)) hide(at - 1, at + kNear);
      if (line.find("-----END ") != std::string_view::npos) in_key = false;
    }
    if (is_secret) hide(document, file.line_count());
  }

  bool holds(uint32_t line) const { return line < hidden_.size() && hidden_[line]; }

 private:
  void hide(uint32_t first, uint32_t last) {
    for (uint32_t line = first; line <= last && line < hidden_.size(); ++line) hidden_[line] = true;
  }

  std::vector<bool> hidden_;
};

}  // namespace

void hide_secret_text(base::Diagnostics& diagnostics) {
  std::map<const SourceFile*, HiddenLines> files;
  base::Diagnostics hidden;
  for (base::Diagnostic diagnostic : diagnostics.items()) {
    const base::Location& at = diagnostic.location;
    if (at.file && at.line != 0 && files.try_emplace(at.file, *at.file).first->second.holds(at.line))
      diagnostic.hide_source = true;
    diagnostic.message = k8s::without_keys(diagnostic.message);
    diagnostic.hint = k8s::without_keys(diagnostic.hint);
    hidden.add(std::move(diagnostic));
  }
  diagnostics = std::move(hidden);
}

}  // namespace trainjobc::compile::advice
