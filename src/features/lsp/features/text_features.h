// SPDX-License-Identifier: Apache-2.0
// Features on a text of a document, which need not be the current one of the workspace.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "base/source.h"
#include "features/lsp/protocol/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// `offset` is a byte of the file.
nlohmann::json complete_in(const Workspace& workspace, const DocumentId& document,
                           const base::SourceFile& file, size_t offset);
nlohmann::json hover_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                        size_t offset);

}  // namespace trainjobc::lsp
