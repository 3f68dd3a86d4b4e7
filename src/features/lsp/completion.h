// SPDX-License-Identifier: Apache-2.0

// What completion offers at the cursor.
#pragma once

#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// The result of textDocument/completion. Without `with_snippets`, placeholders are plain words.
Json complete(const Workspace& workspace, const DocumentId& document, Position at, bool with_snippets = true);
// The same at a byte of a text of the document that need not be the current one.
Json complete_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                 size_t offset, bool with_snippets = true);

}  // namespace trainjobc::lsp
