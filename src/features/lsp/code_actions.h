// SPDX-License-Identifier: Apache-2.0

// What an editor offers to do about findings.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "features/lsp/findings.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

inline constexpr std::string_view kQuickFix = "quickfix";
inline constexpr std::string_view kFixAll = "source.fixAll.trainjobc";
inline constexpr std::string_view kMigrate = "refactor.rewrite.trainjobc";

struct ActionRequest {
  DocumentId document;
  Range range;
  std::vector<std::string> only;  // kinds; empty: all
  bool resolves = false;          // the client asks for the edit of an action when it is chosen
};

// The result of textDocument/codeAction: for the findings in the range, the fixes of `lint --fix=all` and a
// comment that suppresses them; for the document, all safe fixes at once, and the migration to the newest
// Trainer.
Json code_actions(const Workspace& workspace, const PublishedFindings& findings,
                  const ActionRequest& request);

// codeAction/resolve: the action with its edit.
Json resolve_code_action(const Workspace& workspace, Json action);

// The text with a comment that suppresses the rule on a line, counted from 1: on a line of its own above it.
// nullopt where it would not be a comment, such as in a script.
struct Insertion {
  Position at;
  std::string text;
};
std::optional<Insertion> suppression_of(const base::SourceFile& file, uint32_t line, std::string_view rule);

}  // namespace trainjobc::lsp
