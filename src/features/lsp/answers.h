// SPDX-License-Identifier: Apache-2.0

// The answers to the requests of an editor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "features/lsp/cursor.h"
#include "features/lsp/protocol.h"
#include "features/lsp/workspace.h"
#include "rules/rules.h"
#include "schema/schema.h"

namespace trainjobc::lsp {

// What becomes of a document's TrainJobs: the lens over each of them, their rendered objects, and the effect
// of a field on these.

// The command of the lens. Its arguments are the document's URI, and the job's namespace and name.
inline constexpr std::string_view kShowJobSet = "trainjobc.showJobSet";
// The scheme of the virtual document with the rendered objects.
inline constexpr std::string_view kJobSetScheme = "trainjobc-jobset:";

// The result of textDocument/codeLens: "4 nodes × 8 GPUs = 32 GPUs, 32 processes · show JobSet" at each
// TrainJob that can be rendered.
Json code_lenses(const Workspace& workspace, const DocumentId& document);

// Returns {"uri", "languageId", "text"}: the objects of a TrainJob as `render` prints them, without their
// secrets.
std::variant<Json, WhyNot> rendered_job_set(const Workspace& workspace, const DocumentId& document,
                                            const std::string& ns, const std::string& name);

// Describes what the field at the cursor becomes in the rendered objects, what it replaces there, and what
// replaces it, in Markdown; "" if nothing is rendered from it. For a runtime, in the first job that uses it.
// For a document that can't be read, uses its last readable text.
std::string describe_effects(const Workspace& workspace, const DocumentId& document, const Cursor& cursor);

// Navigation: from a name to what it refers to, and back; renaming; the objects of a document, and its
// foldable parts. Each function returns the result of a request. Symbols and folds work in incomplete
// documents, too.

// For catalogue runtimes: a virtual document, if the client supports it (`opens_virtual`); otherwise null.
Json find_definition(const Workspace& workspace, const DocumentId& document, Position at,
                     bool opens_virtual = true);
Json find_references(const Workspace& workspace, const DocumentId& document, Position at,
                     bool include_declaration, bool opens_virtual = true);

// The scheme of the catalogue's virtual documents: trainjobc-runtime://catalogue/v2.3/NAME.yaml.
inline constexpr std::string_view kRuntimeScheme = "trainjobc-runtime";
// Answers workspace/textDocumentContent with {"text"} of such a document.
std::variant<Json, WhyNot> virtual_document(std::string_view uri);

// Returns {"range", "placeholder"} for a name that can be renamed; null if there is no name.
std::variant<Json, WhyNot> prepare_rename(const Workspace& workspace, const DocumentId& document,
                                          Position at);
// Returns the edits of all documents that contain the name.
std::variant<Json, WhyNot> rename(const Workspace& workspace, const DocumentId& document, Position at,
                                  const std::string& name);

Json document_symbols(const Workspace& workspace, const DocumentId& document);
Json folding_ranges(const Workspace& workspace, const DocumentId& document);

// Documentation of fields, settings and rules, for hover and completion.

// The result of textDocument/hover.
Json hover(const Workspace& workspace, const DocumentId& document, Position at);
// Hovers at a byte of a text of the document that need not be the current one.
Json hover_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
              size_t offset);

// Schema of the object at the cursor; nullptr for unknown kinds.
const schema::Schema* object_schema(const schema::VersionSchemas& version, const DocumentId& document,
                                    const Cursor& cursor);

// The schema after the first `steps` steps of the path; nullptr if there is no such field.
const schema::Schema* schema_along(const schema::Schema& root, const CursorPath& path, size_t steps);

// What the field at the path is for, as a sentence; "" if there is no description. `kind` is "" for a
// setting.
std::string_view description_of(std::string_view kind, const CursorPath& path);

// A type in words: "integer", "list of strings", "map of quantities".
std::string type_words(const schema::Schema& schema);

// A field's limits in sentences: "Default: 1. At least 1. One of: a, b."; "" if there are none.
std::string limit_words(const schema::Schema& schema);

bool requires_field(const schema::Schema& map, std::string_view name);

// The settings of .trainjobc.yaml.
const schema::Schema& configuration_schema();
std::string_view configuration_description(std::string_view path);

// A rule with its explanation, in Markdown.
std::string rule_words(const rules::Rule& rule);

// The description of a field and its limits, in Markdown; "" if there are none. `kind` is "" for a setting.
std::string field_notes(std::string_view kind, const schema::Schema& field, const CursorPath& path);

// What an editor can do about findings.

inline constexpr std::string_view kQuickFix = "quickfix";
inline constexpr std::string_view kFixAll = "source.fixAll.trainjobc";
inline constexpr std::string_view kMigrate = "refactor.rewrite.trainjobc";

struct ActionRequest {
  DocumentId document;
  Range range;
  std::vector<std::string> only;  // kinds of actions; empty: all
  bool resolves = false;          // the client requests an action's edit when the user chooses it
};

// The result of textDocument/codeAction: for the findings in the range, the fixes of `lint --fix=all` and a
// comment that suppresses them; for the document, all safe fixes at once, and the migration to the newest
// Trainer.
Json code_actions(const Workspace& workspace, const PublishedFindings& findings,
                  const ActionRequest& request);

// Answers codeAction/resolve with the action and its edit.
Json resolve_code_action(const Workspace& workspace, Json action);

// Inserts a comment that suppresses the rule on a line, counted from 1: on a line of its own above it.
// nullopt if it would not be a comment there, such as in a script.
struct Insertion {
  Position at;
  std::string text;
};
std::optional<Insertion> suppression_of(const base::SourceFile& file, uint32_t line, std::string_view rule);

// Completion at the cursor.

// The result of textDocument/completion. Without `with_snippets`, placeholders are plain words.
Json complete(const Workspace& workspace, const DocumentId& document, Position at, bool with_snippets = true);
// Completes at a byte of a text of the document that need not be the current one.
Json complete_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                 size_t offset, bool with_snippets = true);

// ----- What the sources of suggestions share -----

// The protocol's CompletionItemKind.
enum class SuggestionKind : uint8_t {
  Field = 5,
  Variable = 6,
  Module = 9,
  Value = 12,
  Snippet = 15,
  EnumMember = 20
};

// The default rank; lower ones come first, equal ones in alphabetical order.
inline constexpr int kAnyRank = 50;

struct Suggestion {
  std::string label;
  SuggestionKind kind = SuggestionKind::Value;
  std::string detail;         // shown beside the label
  std::string documentation;  // Markdown
  std::string insert;         // replaces the word; a snippet has placeholders
  int order = 1;              // lower ones come first
  int rank = kAnyRank;        // orders those with the same order; below 100
};

struct SuggestionContext {
  const Workspace& workspace;
  const DocumentId& document;
  const Cursor& cursor;
  size_t column = 0;                     // of the word, in characters
  const schema::Schema* root = nullptr;  // schema of the object; nullptr for unknown kinds
  std::string_view quote;                // the quote before the word; "" if there is none

  bool in_settings() const { return is_settings_file(document); }
  // Returns nullptr if the schema has no such field.
  const schema::Schema* schema_at(const CursorPath& path) const;
  std::string quoted(std::string_view word) const { return std::string(quote).append(word).append(quote); }
};

// A name that the schema doesn't know, but the workspace or the ecosystem does.
struct KnownName {
  std::string name;
  std::string detail;
  int order = 1;
};

// Known keys of the map at the path, for resources and labels, in the order in which they are offered. None
// for other maps.
std::vector<KnownName> known_keys(const SuggestionContext& context, const CursorPath& map);
// Known values of the field at the cursor: for labels, storageUri, and the names of environment variables.
std::vector<KnownName> known_values(const SuggestionContext& context);

// Adds whole documents; the next function adds patches below spec of a TrainJob.
void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out);
void suggest_patch(const SuggestionContext& context, std::vector<Suggestion>& out);
void add_snippet(std::string label, std::string detail, std::string insert, std::vector<Suggestion>& out);
// The text of a snippet in which the default words replace its placeholders: ${1:name}, $0.
std::string without_placeholders(std::string_view snippet);

}  // namespace trainjobc::lsp
