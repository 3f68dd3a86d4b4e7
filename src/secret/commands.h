// SPDX-License-Identifier: Apache-2.0

// Secrets among the words of a command: the value after --token, `wandb login KEY`.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "secret/secret.h"

namespace trainjobc::secret {

struct SecretWord {
  size_t index = 0;  // position of the word
  SecretInText secret;
};

// The words of one command that are secrets, or contain one; each once, in order.
std::vector<SecretWord> find_secret_words(std::span<const std::string_view> words);

}  // namespace trainjobc::secret
