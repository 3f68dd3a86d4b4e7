// SPDX-License-Identifier: Apache-2.0

// Reads a command line as its commands describe it.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace trainjobc::cli {

enum class Wanted { Run, Help, Version, Nothing };

struct ParsedLine {
  Wanted wanted = Wanted::Nothing;
  const Command* command = nullptr;  // the innermost on the line, or the root
  std::string error;                 // if nothing can be done
};

// Sets the targets of the flags that are given, and what commands and flags say of the line.
ParsedLine parse(Command& root, const std::vector<std::string>& arguments);

}  // namespace trainjobc::cli
