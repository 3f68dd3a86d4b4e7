// SPDX-License-Identifier: Apache-2.0

// What completion offers at the cursor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/lsp/cursor.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"
#include "schema/schema.h"

namespace trainjobc::lsp {

// The result of textDocument/completion. Without `with_snippets`, placeholders are plain words.
Json complete(const Workspace& workspace, const DocumentId& document, Position at, bool with_snippets = true);
// The same at a byte of a text of the document that need not be the current one.
Json complete_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                 size_t offset, bool with_snippets = true);

// ----- what the sources of suggestions share -----

// CompletionItemKind of the protocol.
enum class SuggestionKind : uint8_t {
  Field = 5,
  Variable = 6,
  Module = 9,
  Value = 12,
  Snippet = 15,
  EnumMember = 20
};

// Lower ones come first; equal ones are in alphabetical order.
inline constexpr int kAnyRank = 50;

struct Suggestion {
  std::string label;
  SuggestionKind kind = SuggestionKind::Value;
  std::string detail;         // beside the label
  std::string documentation;  // Markdown
  std::string insert;         // replaces the word; with placeholders if it is a snippet
  int order = 1;              // lower ones come first
  int rank = kAnyRank;        // of those with the same order, below 100
};

struct SuggestionContext {
  const Workspace& workspace;
  const DocumentId& document;
  const Cursor& cursor;
  size_t column = 0;                     // of the word, in characters
  const schema::Schema* root = nullptr;  // of the object; nullptr if its kind has none
  std::string_view quote;                // what the word begins with; "" if it isn't quoted

  bool in_settings() const { return is_settings_file(document); }
  // nullptr if the schema has no such field.
  const schema::Schema* schema_at(const CursorPath& path) const;
  std::string quoted(std::string_view word) const { return std::string(quote).append(word).append(quote); }
};

// A name that the schema doesn't know, but the workspace or the ecosystem does.
struct KnownName {
  std::string name;
  std::string detail;
  int order = 1;
};

// Keys of the map at the path: resources, labels. In the order in which they are offered; none for other
// maps.
std::vector<KnownName> known_keys(const SuggestionContext& context, const CursorPath& map);
// Values of the field at the cursor: of labels, storageUri, and the names of environment variables.
std::vector<KnownName> known_values(const SuggestionContext& context);

// Whole documents, and patches below spec of a TrainJob.
void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out);
void suggest_patch(const SuggestionContext& context, std::vector<Suggestion>& out);
void add_snippet(std::string label, std::string detail, std::string insert, std::vector<Suggestion>& out);
// The text of a snippet with the words of its placeholders: ${1:name}, $0.
std::string without_placeholders(std::string_view snippet);

}  // namespace trainjobc::lsp
