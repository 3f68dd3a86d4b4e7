// SPDX-License-Identifier: Apache-2.0

// Findings as textDocument/publishDiagnostics sends them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "lint/report/findings.h"
#include "features/lsp/protocol/messages.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// The findings of a workspace, by document.
class PublishedFindings {
 public:
  explicit PublishedFindings(std::shared_ptr<const WorkspaceFindings> findings);

  std::vector<DocumentId> documents() const;
  // Those of a document, in their order.
  const std::vector<const base::Diagnostic*>& of(const DocumentId& document) const;
  // Whether the others say the same about the document.
  bool is_same(const PublishedFindings& other, const DocumentId& document) const;

  Json to_json(const base::Diagnostic& found) const;
  Range range_of(const base::Diagnostic& found) const;

 private:
  std::shared_ptr<const WorkspaceFindings> findings_;
  std::unique_ptr<const lint::ReportInput> input_;
  std::unique_ptr<const lint::Places> places_;
  std::map<DocumentId, std::vector<const base::Diagnostic*>> by_document_;
};

}  // namespace trainjobc::lsp
