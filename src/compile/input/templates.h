// SPDX-License-Identifier: Apache-2.0

// Files that are not manifests yet: templates of Helm, Jinja or envsubst, and JSON that is not an object.
#pragma once

#include "base/diagnostic.h"
#include "compile/input/input.h"

namespace trainjobc::compile {

// Of a file whose errors come from placeholders ({{ … }}, {% … %}, ${NAME}), replaces all of them by one
// finding that says so, or skips the file if it doesn't mention Trainer. JSON from a directory that can't be
// read and doesn't mention Trainer is skipped, too: it is data, or another tool's settings. `diagnostics` are
// and stay sorted.
void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs);

}  // namespace trainjobc::compile
