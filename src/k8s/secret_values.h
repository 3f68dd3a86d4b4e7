// SPDX-License-Identifier: Apache-2.0

// Recognises secrets.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::k8s {

// Whether the text has the form of a known kind of key: "a Hugging Face token"; "" otherwise.
std::string_view known_key(std::string_view text);

// The same for a word of a command line: the key itself, or --flag=KEY.
std::string_view known_key_in(std::string_view word);

// What is shown instead of a secret.
inline constexpr std::string_view kHidden = "***";

// Whether the text contains a known kind of key.
bool has_key(std::string_view text);
// The text with every known kind of key hidden.
std::string without_keys(std::string_view text);

// Whether an environment variable contains a secret, judging by its name: HF_TOKEN, but not PAD_TOKEN.
bool is_secret_name(std::string_view name);

// Whether an element of an env list contains a secret in plain text.
bool is_plain_secret(const yaml::Node& env);

}  // namespace trainjobc::k8s
