// SPDX-License-Identifier: Apache-2.0

// A workspace of texts for the language server's features, and their answers as short texts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/files/file_system.h"
#include "features/lsp/workspace.h"
#include "support/test_console.h"

namespace trainjobc::test {

// Files below /w, as the server sees them.
class LspWorkspace {
 public:
  // `version` of Trainer; "auto".
  explicit LspWorkspace(std::string version = "auto") : version_(std::move(version)) {}

  // A file on disk: "jobs/a.yaml" is /w/jobs/a.yaml.
  LspWorkspace& file(const std::string& path, std::string text);
  // An open document, with @@ at the cursor.
  LspWorkspace& open(const std::string& path, std::string_view text);

  lsp::Workspace& workspace();
  const std::string& document() const { return document_; }
  lsp::Position cursor() const { return cursor_; }

  // One line per suggestion in the order of a client: "label (detail): inserted text", with ⏎ for line
  // breaks.
  std::string complete();
  // The labels, separated by blanks.
  std::string labels();
  // The document after the suggestion of that label was accepted by a client without snippets.
  std::string accept(std::string_view label);
  // Markdown; "" if there is none.
  std::string hover();
  // "jobs/a.yaml:3:5-9", lines and columns from 1; "" for none.
  std::string definition();
  // The same, one per line.
  std::string references(bool with_declaration);

 private:
  std::string place(const nlohmann::json& location) const;

  std::string version_;
  base::MemoryFileSystem disk_;
  NoPrograms none_;
  std::unique_ptr<lsp::Workspace> workspace_;
  std::string document_;
  lsp::Position cursor_;
};

}  // namespace trainjobc::test
