// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "features/lsp/features/complete/suggestions.h"
#include "features/lsp/features/features.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/features/schema_words.h"
#include "features/lsp/features/text_features.h"

namespace trainjobc::lsp {
namespace {

constexpr int kPlainText = 1;
constexpr int kSnippetText = 2;
constexpr int kAsIs = 1;  // InsertTextMode: lines come with their indentation

// What a word on its own line may be: a field of a map, an item of a list, a value.
void suggest_for_word(const SuggestionContext& context, std::vector<Suggestion>& out) {
  const Cursor& cursor = context.cursor;
  const bool is_empty = cursor.path.empty() && !cursor.object->is_map();
  if (is_empty && !is_settings_file(context.document)) suggest_documents(context, out);
  const schema::Schema* field =
      context.root ? schema_along(*context.root, cursor.path, cursor.path.size()) : nullptr;
  const bool is_collection =
      field && (field->type == schema::Type::Object || field->type == schema::Type::Array);
  if (cursor.path.empty() || is_collection) {
    suggest_fields(context, out);
  } else {
    suggest_values(context, field, out);
  }
}

std::vector<Suggestion> suggestions_at(const SuggestionContext& context) {
  std::vector<Suggestion> out;
  const Cursor& cursor = context.cursor;
  switch (cursor.spot) {
    case Spot::None: break;
    case Spot::Comment: suggest_in_comment(context, out); break;
    case Spot::Key:
      suggest_fields(context, out);
      if (matches(cursor.path, {"spec", cursor.word})) suggest_patch(context, out);
      break;
    case Spot::KeyOrValue:
      suggest_for_word(context, out);
      if (matches(cursor.path, {"spec"})) suggest_patch(context, out);
      break;
    case Spot::Value: {
      const schema::Schema* field =
          context.root ? schema_along(*context.root, cursor.path, cursor.path.size()) : nullptr;
      suggest_values(context, field, out);
      break;
    }
  }
  return out;
}

nlohmann::json item_json(const Suggestion& suggestion, const nlohmann::json& range) {
  nlohmann::json item{
      {"label", suggestion.label},
      {"kind", static_cast<int>(suggestion.kind)},
      {"sortText", fmt::format("{}{}", suggestion.order, suggestion.label)},
      {"insertTextFormat", suggestion.kind == SuggestionKind::Snippet ? kSnippetText : kPlainText},
      {"textEdit", {{"range", range}, {"newText", suggestion.insert}}}};
  if (suggestion.label.starts_with("- ")) item["filterText"] = suggestion.label.substr(2);
  if (suggestion.insert.find('\n') != std::string::npos) item["insertTextMode"] = kAsIs;
  if (!suggestion.detail.empty()) item["detail"] = suggestion.detail;
  if (!suggestion.documentation.empty())
    item["documentation"] = {{"kind", "markdown"}, {"value", suggestion.documentation}};
  return item;
}

// The text of a snippet with the words of its placeholders: ${1:name}, $0.
std::string without_placeholders(const std::string& snippet) {
  std::string out;
  for (size_t at = 0; at < snippet.size(); ++at) {
    if (snippet[at] != '$' || at + 1 >= snippet.size()) {
      out += snippet[at];
    } else if (snippet[at + 1] != '{') {
      ++at;  // the digit
    } else {
      const size_t colon = std::min(snippet.find(':', at), snippet.size());
      const size_t close = std::min(snippet.find('}', at), snippet.size());
      if (colon < close) out += snippet.substr(colon + 1, close - colon - 1);
      at = close;
    }
  }
  return out;
}

}  // namespace

nlohmann::json complete_in(const Workspace& workspace, const DocumentId& document,
                           const base::SourceFile& file, size_t offset) {
  const Cursor cursor = find_typed(file.text(), offset);
  // The edit must stay on the cursor's line.
  const size_t line = offset == 0 ? 0 : file.text().rfind('\n', offset - 1) + 1;
  const size_t line_end = std::min(file.text().find_first_of("\r\n", offset), file.text().size());
  const size_t begin = std::max(cursor.begin, line);
  const std::string_view first = file.text().substr(begin, cursor.end > begin ? 1 : 0);
  const SuggestionContext context{.workspace = workspace,
                                  .document = document,
                                  .cursor = cursor,
                                  .column = begin - line,
                                  .root = object_schema(workspace.schemas_of(document), document, cursor),
                                  .quote = first == "\"" || first == "'" ? first : ""};
  const nlohmann::json range = range_json(file, begin, std::min(cursor.end, line_end));
  nlohmann::json items = nlohmann::json::array();
  for (const Suggestion& suggestion : suggestions_at(context)) items.push_back(item_json(suggestion, range));
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

nlohmann::json complete(const Workspace& workspace, const DocumentId& document, Position at) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  return complete_in(workspace, document, *text->file, offset_of(*text->file, at));
}

nlohmann::json without_snippets(nlohmann::json completions) {
  if (completions.is_null()) return completions;
  if (completions.is_null()) return completions;
  for (nlohmann::json& item : completions["items"]) {
    if (item["insertTextFormat"] != kSnippetText) continue;
    item["insertTextFormat"] = kPlainText;
    nlohmann::json& text = item["textEdit"]["newText"];
    text = without_placeholders(text.get<std::string>());
  }
  return completions;
}

}  // namespace trainjobc::lsp
