// SPDX-License-Identifier: Apache-2.0

// What kustomize, kubectl and helm have in common when they build manifests.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "base/process.h"
#include "secret/secret.h"

namespace trainjobc::builder {

struct BuildFailure {
  bool has_no_program = false;  // no program that could build it is on the PATH
  std::string message;          // may have several lines
};

// Returns the secrets in what the program has read, since it may print some of them.
using FindSecrets = std::function<secret::SecretTexts()>;

// Returns what the program printed, or why it failed: what it said, without `secrets`. `call` is the command
// line for messages: "kustomize build overlays/prod".
std::variant<std::string, BuildFailure> output_of(std::string_view call,
                                                  base::IoResult<base::ProcessResult> answer,
                                                  const FindSecrets& secrets);

}  // namespace trainjobc::builder
