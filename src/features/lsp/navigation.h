// SPDX-License-Identifier: Apache-2.0

// From a name to what it names, and back; the objects of a document, and its foldable parts. Each answer is
// the result of the request. Symbols and folds are also those of incomplete documents.
#pragma once

#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

Json find_definition(const Workspace& workspace, const DocumentId& document, Position at);
Json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                     bool include_declaration);
Json document_symbols(const Workspace& workspace, const DocumentId& document);
Json folding_ranges(const Workspace& workspace, const DocumentId& document);

}  // namespace trainjobc::lsp
