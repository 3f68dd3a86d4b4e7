// SPDX-License-Identifier: Apache-2.0

// The findings of a workspace between two edits, and as textDocument/publishDiagnostics sends them. (The rest
// of Workspace is in workspace.cpp.)
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"
#include "lint/report/findings.h"

namespace trainjobc::lsp {

// The text with nothing but line breaks in the place of these documents, which are in order.
std::string without_documents(std::string_view text, const std::vector<yaml::FoundDocument>& documents);

// Finds the lines of one text in another that differs from it in one place.
class LineMap {
 public:
  LineMap(const base::SourceFile& from, const base::SourceFile& to);

  // From 1; 0 for a line that the other text does not have.
  uint32_t operator()(uint32_t line) const;

 private:
  uint32_t first_ = 0;  // so many lines at the beginning are the same
  uint32_t last_ = 0;   // and so many at the end
  uint32_t from_ = 0;   // the number of lines
  uint32_t to_ = 0;
};

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
