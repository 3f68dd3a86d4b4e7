// SPDX-License-Identifier: Apache-2.0

// What the sources of this folder share: how secrets are recognised by their names, in texts and in commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "secret/secret.h"

namespace trainjobc::secret {

// Names and values. (secret/names.cpp)

// What a name says of its value. Weak: a key of some kind, which is a secret only if it looks like one.
enum class NameKind : uint8_t { None, Weak, Strong };
// Of a variable, a flag, a header or a field: HF_TOKEN, --api-key, X-Api-Key, accountKey.
NameKind kind_of_name(std::string_view name);
// PGPASSWORD, --db-pass: what people may have made up themselves.
bool names_password(std::string_view name);

// Not the secret itself: a reference to something else, a placeholder, a path, a switch.
bool is_no_secret(std::string_view value);
// Not code, nor a reference to another variable.
bool is_literal(std::string_view value);
// At least 16 characters of a key's alphabet, with digits and letters.
bool looks_random(std::string_view value);
// The same, but no words that are joined: its letters and digits change often.
bool looks_like_key(std::string_view value);
// Whether a value that a command line or code gives to a name is a secret.
bool is_value_of(std::string_view name, NameKind kind, std::string_view value);

// Values that a text gives to a name, in the languages of shells, Python, YAML, JSON and HTTP.
// (secret/named.cpp)
void add_named(std::string_view text, std::vector<SecretInText>& places);

// The secrets that the commands of a script are given. (secret/commands.cpp)
void add_commands(std::string_view text, std::vector<SecretInText>& places);

}  // namespace trainjobc::secret
