// SPDX-License-Identifier: Apache-2.0

// Files that are not manifests yet: templates of Helm, Jinja or envsubst, and JSON that is not an object.
#pragma once

#include "base/diagnostic.h"
#include "compile/input.h"

namespace trainjobc::compile {

// Drops findings on generated documents of other kinds, such as a chart's: a reader of the report can't fix
// them.
void leave_out_foreign(base::Diagnostics& diagnostics, InputSet& inputs);

// Replaces all errors of a file that come from placeholders ({{ … }}, {% … %}, ${NAME}) by one finding that
// says so, or skips the file if it contains no object of Trainer. Also skips JSON from a directory that can't
// be read and doesn't mention Trainer: it is data, or another tool's settings. `diagnostics` must be sorted,
// and stay so.
void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs);

}  // namespace trainjobc::compile
