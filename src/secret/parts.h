// SPDX-License-Identifier: Apache-2.0

// What the sources of this folder share: they recognise secrets by their names, in texts and in commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "secret/secret.h"

namespace trainjobc::secret {

// Names and values. (secret/names.cpp)

// What a name implies about its value. Weak: a key of some kind, which is a secret only if it looks like one.
enum class NameKind : uint8_t { None, Weak, Strong };
// The kind of the name of a variable, flag, header or field: HF_TOKEN, --api-key, X-Api-Key, accountKey.
NameKind kind_of_name(std::string_view name);
// Whether the value is a password that people may have made up: PGPASSWORD, --db-pass.
bool names_password(std::string_view name);

// Whether the value is not the secret itself: a reference to something else, a placeholder, a path, a switch.
bool is_no_secret(std::string_view value);
// Whether the value is neither code nor a reference to another variable.
bool is_literal(std::string_view value);
// Whether the value has at least 16 characters of a key's alphabet, with digits and letters.
bool looks_random(std::string_view value);
// Like looks_random, but false for words that are joined: letters and digits must change often.
bool looks_like_key(std::string_view value);
// Whether a value that a command line or code assigns to a name is a secret.
bool is_value_of(std::string_view name, NameKind kind, std::string_view value);

// The secrets in a text, in its order, without the passwords of examples. (secret/recognise.cpp)
std::vector<SecretInText> real_secrets_in(std::string_view text);

// Adds values that a text assigns to a name, in the languages of shells, Python, YAML, JSON and HTTP.
// (secret/named.cpp)
void add_named(std::string_view text, std::vector<SecretInText>& places);

// Adds the secrets among the words of a script's commands. (secret/commands.cpp)
void add_commands(std::string_view text, std::vector<SecretInText>& places);

}  // namespace trainjobc::secret
