// SPDX-License-Identifier: Apache-2.0

// From a name to what it names, and back; another name for it; the objects of a document, and its foldable
// parts. Each answer is the result of the request. Symbols and folds are also those of incomplete documents.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// Of a runtime of the catalogue a virtual document, if the client asks for those (`opens_virtual`);
// otherwise null.
Json find_definition(const Workspace& workspace, const DocumentId& document, Position at,
                     bool opens_virtual = true);
Json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                     bool include_declaration, bool opens_virtual = true);

// The scheme of the catalogue's virtual documents: trainjobc-runtime://catalogue/v2.3/NAME.yaml.
inline constexpr std::string_view kRuntimeScheme = "trainjobc-runtime";
// workspace/textDocumentContent: {"text"} of one.
std::variant<Json, WhyNot> virtual_document(std::string_view uri);

// {"range", "placeholder"} of a name that can be renamed; null where nothing is named.
std::variant<Json, WhyNot> prepare_rename(const Workspace& workspace, const DocumentId& document,
                                          Position at);
// The edits of all documents in which it is named.
std::variant<Json, WhyNot> rename(const Workspace& workspace, const DocumentId& document, Position at,
                                  const std::string& name);

Json document_symbols(const Workspace& workspace, const DocumentId& document);
Json folding_ranges(const Workspace& workspace, const DocumentId& document);

}  // namespace trainjobc::lsp
