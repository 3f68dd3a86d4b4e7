// SPDX-License-Identifier: Apache-2.0
// What completion offers at the cursor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "features/lsp/features/cursor.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {

// CompletionItemKind of the protocol.
enum class SuggestionKind : uint8_t {
  Field = 5,
  Variable = 6,
  Module = 9,
  Value = 12,
  Snippet = 15,
  EnumMember = 20
};

struct Suggestion {
  std::string label;
  SuggestionKind kind = SuggestionKind::Value;
  std::string detail;         // beside the label
  std::string documentation;  // Markdown
  std::string insert;         // replaces the word; with placeholders if it is a snippet
  int order = 1;              // lower ones come first
};

struct SuggestionContext {
  const Workspace& workspace;
  const DocumentId& document;
  const Cursor& cursor;
  size_t column = 0;                     // of the word, in characters
  const schema::Schema* root = nullptr;  // of the object; nullptr if its kind has none
  std::string_view quote;                // what the word begins with; "" if it isn't quoted

  std::string quoted(std::string_view word) const { return std::string(quote).append(word).append(quote); }
};

// Fields that the map at the cursor can have and hasn't.
void suggest_fields(const SuggestionContext& context, std::vector<Suggestion>& out);
// The first lines of a whole document.
void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out);
// A patch, below spec of a TrainJob.
void suggest_patch(const SuggestionContext& context, std::vector<Suggestion>& out);
// Values of the field at the cursor.
void suggest_values(const SuggestionContext& context, const schema::Schema* field,
                    std::vector<Suggestion>& out);
// Rules, in a comment that suppresses some.
void suggest_in_comment(const SuggestionContext& context, std::vector<Suggestion>& out);
void suggest_rules(std::string_view suffix, std::vector<Suggestion>& out);

}  // namespace trainjobc::lsp
