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
  bool has_no_program = false;  // none that could build it is on the PATH
  std::string message;          // may have several lines
};

// The secrets of what the program has read, of which it may show a part.
using FindSecrets = std::function<secret::SecretTexts()>;

// What the program printed. `call` is the command line in messages: "kustomize build overlays/prod". After a
// failure, what it said without `secrets`.
std::variant<std::string, BuildFailure> output_of(std::string_view call,
                                                  base::IoResult<base::ProcessResult> answer,
                                                  const FindSecrets& secrets);

}  // namespace trainjobc::builder
