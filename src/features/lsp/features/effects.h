// SPDX-License-Identifier: Apache-2.0
// What a value of a TrainJob or of its runtime becomes.
#pragma once

#include <string>

#include "features/lsp/features/cursor.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// What the field at the cursor becomes in the rendered objects, what it replaces there, and what replaces it,
// in Markdown; "" if nothing is rendered from it. Of a runtime, in the first job that uses it. Of a document
// that can't be read, that of its last text that could.
std::string describe_effects(const Workspace& workspace, const DocumentId& document, const Cursor& cursor);

}  // namespace trainjobc::lsp
