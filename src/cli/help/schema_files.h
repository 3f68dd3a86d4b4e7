// SPDX-License-Identifier: Apache-2.0

// The JSON Schemas that are installed.
#pragma once

#include <string>

#include "cli/output/console.h"

namespace trainjobc::cli {

// One file for each kind of each Trainer version. Returns the exit status; what failed has been reported.
int write_schemas(const std::string& directory, Console& console);

}  // namespace trainjobc::cli
