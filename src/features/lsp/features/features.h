// SPDX-License-Identifier: Apache-2.0

// What the server asks about a place in a document. Each answer is the `result` of the request of that name.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "features/lsp/protocol/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

nlohmann::json hover(const Workspace& workspace, const DocumentId& document, Position at);
nlohmann::json complete(const Workspace& workspace, const DocumentId& document, Position at);
// The answer of complete() for a client without snippets: their placeholders as plain words.
nlohmann::json without_snippets(nlohmann::json completions);
nlohmann::json find_definition(const Workspace& workspace, const DocumentId& document, Position at);
nlohmann::json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                               bool include_declaration);
nlohmann::json document_symbols(const Workspace& workspace, const DocumentId& document);
nlohmann::json folding_ranges(const Workspace& workspace, const DocumentId& document);

}  // namespace trainjobc::lsp
