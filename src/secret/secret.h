// SPDX-License-Identifier: Apache-2.0

// What is secret, and how it is kept out of what people read. Nodes with secrets are marked when they are
// read; code that shows a value checks its node.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::secret {

// What is shown instead of a secret.
inline constexpr std::string_view kHidden = "***";

// The annotation that contains what kubectl apply last applied, including a Secret's values.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// Names the known kind of key that the text is: "a Hugging Face token"; "" if it is none.
std::string_view known_key(std::string_view text);
// Like known_key, for a word of a command line: the key itself, or --flag=KEY.
std::string_view known_key_in(std::string_view word);
// A secret in a longer text, such as a shell script.
struct SecretInText {
  std::string_view what;  // "a Hugging Face token"; "" if only the name shows that it is a secret
  std::string_view name;  // WANDB_API_KEY, --api-key; "" if the form shows that it is a secret
  size_t begin = 0;       // offset in the text
  size_t length = 0;
};
// The known kinds of keys in the text, and the literal values that it assigns to names of secrets:
// WANDB_API_KEY=…, --api-key … In the order of the text, each kind and name once.
std::vector<SecretInText> find_secrets(std::string_view text);
// Whether the text contains such a secret.
bool has_key(std::string_view text);
// The text with every such secret hidden.
std::string without_keys(std::string_view text);

// Whether an environment variable contains a secret, judging by its name: HF_TOKEN does, PAD_TOKEN does not.
bool is_secret_name(std::string_view name);
// A quick test, false for most names that are not secret.
bool may_be_secret_name(std::string_view name);
// Whether an element of an env list contains a secret in plain text.
bool is_plain_secret(const yaml::Node& env);
// Whether a word of a command line is a key, or names a secret whose value follows.
bool may_hold_secret(std::string_view line);

// Marks the origins of secret values: those of Secrets, and of variables with a secret's name. Shares what
// contains none.
const yaml::Node* mark_secrets(const yaml::Node& root, const yaml::Maker& make);

// A marked tree for display: *** for each secret, and for each known kind of key in other values.
const yaml::Node* masked(const yaml::Node& root, const yaml::Maker& make);
// Like masked, for a tree that may not be marked.
const yaml::Node* masked_object(const yaml::Node& root, const yaml::Maker& make);

// Two marked trees for comparison: masked, but with "*** (before)" and "*** (after)" for secrets that differ.
struct BeforeAfter {
  const yaml::Node* before = nullptr;
  const yaml::Node* after = nullptr;
};
BeforeAfter masked(BeforeAfter nodes, const yaml::Maker& make);

// The secrets of some trees, to be hidden in other texts.
class SecretTexts {
 public:
  // Adds the secrets of a marked tree.
  void collect(const yaml::Node& root);
  // Adds the secrets of a tree that may not be marked.
  void collect_unmarked(const yaml::Node& root);
  // The text with *** for each of these secrets, and for each known kind of key.
  std::string hide(std::string_view text) const;

  // The length of the longest secret at the beginning of the text; 0 if there is none.
  size_t length_at(std::string_view text) const;
  bool empty() const { return texts_.empty(); }

 private:
  std::set<std::string, std::less<>> texts_;
};

// The secrets of objects, each with a `root`, to be hidden in the output of other programs.
template <class Objects>
SecretTexts secrets_of(const Objects& objects) {
  SecretTexts texts;
  for (const auto& object : objects) texts.collect_unmarked(*object.root);
  return texts;
}

// A diff of a YAML file without the file's secrets.
std::string without_secrets(const std::string& diff, const std::string& file_text);

// What hide_secrets looks for in a document, for documents with many findings. Copies share it.
class DocumentSecrets {
 public:
  DocumentSecrets() = default;
  explicit DocumentSecrets(const yaml::Node& document);

 private:
  friend class FindingsGuard;
  struct Content;
  std::shared_ptr<const Content> content_;
};

// Code that reports on files of any kind passes its findings through this function: it hides the source of
// each diagnostic whose line contains a part of a secret, and the secrets in its texts. `documents` are those
// that were read from the files, marked or not. If none of them is from a diagnostic's file, or the reader
// itself reports it, its line is judged by its text alone (see `guess_secret_lines`); so is a line of which a
// build has kept nothing. `known` is one more document, whose secrets are known already.
void hide_secrets(base::Diagnostics& diagnostics, std::span<const yaml::Node* const> documents = {},
                  const DocumentSecrets& known = {});

// For each line number of a file, whether the line may show a part of a secret: it is in a document of kind
// Secret, or in or next to what looks like a secret. Works for any kind of file.
std::vector<bool> guess_secret_lines(const base::SourceFile& file);
// The same for one line, by those near it.
bool guess_secret_line(const base::SourceFile& file, uint32_t line);
// The text with *** for each such line: output of another program may repeat files whose secrets are not
// known.
std::string without_secret_lines(std::string_view text);

}  // namespace trainjobc::secret
