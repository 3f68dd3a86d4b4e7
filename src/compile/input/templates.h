// Files that are not manifests yet: templates of Helm, Jinja or envsubst, and JSON that is not an object.
#pragma once

#include "base/diagnostic.h"
#include "compile/input/input.h"

namespace trainjobc::compile {

// Of a file whose errors come from placeholders ({{ … }}, {% … %}, ${NAME}), keeps one finding that says so
// in the place of all, or passes the file over if it doesn't mention Trainer. So is JSON that can't be
// read, doesn't mention Trainer, and was found in a directory: it is data, or another tool's settings.
// `diagnostics` are sorted before and after.
void fold_templates(base::Diagnostics& diagnostics, InputSet& inputs);

}  // namespace trainjobc::compile
