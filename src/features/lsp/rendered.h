// SPDX-License-Identifier: Apache-2.0

// What the TrainJobs of a document become: the lens over each of them, their rendered objects, and what a
// field becomes in these.
#pragma once

#include <string>
#include <variant>

#include "features/lsp/cursor.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// The command of the lens. Its arguments are the document's URI, and the job's namespace and name.
inline constexpr std::string_view kShowJobSet = "trainjobc.showJobSet";
// The scheme of the virtual document.
inline constexpr std::string_view kJobSetScheme = "trainjobc-jobset:";

// The result of textDocument/codeLens: "4 nodes × 8 GPUs = 32 GPUs, 32 processes · show JobSet" at each
// TrainJob that can be rendered.
Json code_lenses(const Workspace& workspace, const DocumentId& document);

// {"uri", "languageId", "text"}: the objects of a TrainJob as `render` prints them, without their secrets.
std::variant<Json, WhyNot> rendered_job_set(const Workspace& workspace, const DocumentId& document,
                                            const std::string& ns, const std::string& name);

// What the field at the cursor becomes in the rendered objects, what it replaces there, and what replaces it,
// in Markdown; "" if nothing is rendered from it. Of a runtime, in the first job that uses it. Of a document
// that can't be read, that of its last text that could.
std::string describe_effects(const Workspace& workspace, const DocumentId& document, const Cursor& cursor);

}  // namespace trainjobc::lsp
