// SPDX-License-Identifier: Apache-2.0

// What kustomize, kubectl and helm have in common when they build manifests.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/process.h"

namespace trainjobc::builder {

struct BuildFailure {
  bool has_no_program = false;  // none that could build it is on the PATH
  std::string message;          // may have several lines
};

// Whether the program is not on the PATH.
bool is_missing(const base::IoResult<base::ProcessResult>& answer);

// What the program printed. `call` is the command line in messages: "kustomize build overlays/prod".
std::variant<std::string, BuildFailure> output_of(std::string_view call,
                                                  base::IoResult<base::ProcessResult> answer);

}  // namespace trainjobc::builder
