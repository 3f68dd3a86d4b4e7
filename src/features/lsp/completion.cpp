// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "features/json_schema/json_schema.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "k8s/object_meta.h"
#include "model/behaviours.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::lsp {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

// Adds all rules; `suffix` is inserted after each.
void suggest_rules(std::string_view suffix, std::vector<Suggestion>& out) {
  for (const rules::Rule& rule : rules::all_rules()) {
    out.push_back({.label = std::string(rule.id),
                   .kind = SuggestionKind::EnumMember,
                   .detail = std::string(rule.summary),
                   .documentation = rule_words(rule),
                   .insert = std::string(rule.id).append(suffix)});
  }
}

// Suggests values of a field: those of its schema, and names of runtimes and of their parts.
class ValueSuggester {
 public:
  ValueSuggester(const SuggestionContext& context, const schema::Schema* field, std::vector<Suggestion>& out)
      : context_(context), cursor_(context.cursor), field_(field), out_(out) {
    // In a list of values, an item may lack its dash.
    needs_dash_ =
        cursor_.spot != Spot::Value && context.root && field && context.schema_at(cursor_.path) != field;
  }

  void suggest() {
    if (context_.in_settings()) {
      suggest_setting();
    } else if (cursor_.path.size() == 1) {
      suggest_type();
    } else if (matches(cursor_.path, {"spec", "runtimeRef", "kind"})) {
      add(model::kClusterTrainingRuntime);
      add(model::kTrainingRuntime);
      return;
    } else if (matches(cursor_.path, {"spec", "runtimeRef", "apiGroup"})) {
      add(model::kTrainerGroup);
      return;
    } else {
      suggest_names();
    }
    suggest_by_schema();
  }

 private:
  void add_known() {
    for (const KnownName& known : known_values(context_)) {
      const bool is_variable = cursor_.path.back().key == "name";
      add(known.name, known.detail, is_variable ? SuggestionKind::Variable : SuggestionKind::Value,
          known.order);
    }
  }

  void add(std::string_view value, std::string_view detail = "",
           SuggestionKind kind = SuggestionKind::EnumMember, int order = 1) {
    const bool is_known =
        std::ranges::any_of(out_, [&](const Suggestion& one) { return one.label == value; });
    if (is_known || value.empty()) return;
    out_.push_back({.label = std::string(value),
                    .kind = kind,
                    .detail = std::string(detail),
                    .insert = (needs_dash_ ? "- " : "") + context_.quoted(value),
                    .order = order});
  }

  void suggest_by_schema() {
    if (!field_) return;
    for (const std::string_view value : field_->enums) add(value);
    if (field_->type == schema::Type::Boolean) {
      add("true");
      add("false");
    }
    std::string_view value = field_->default_json;
    if (value.empty() || value.front() == '{' || value.front() == '[') return;
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    add(value, "default", SuggestionKind::Value);
  }

  void suggest_setting() {
    if (matches(cursor_.path, {"trainerVersion"})) {
      add("auto");
      for (const std::string& version : model::trainer_versions())
        add(context_.quote.empty() ? fmt::format("\"{}\"", version) : version);
    }
    if (matches(cursor_.path, {"suppress", "[]", "rule"})) suggest_rules("", out_);
  }

  void suggest_type() {
    const bool is_kind = cursor_.path.front().key == "kind";
    if (!is_kind && cursor_.path.front().key != "apiVersion") return;
    for (const schema::KindSchema* kind :
         json_schema::kinds_of(context_.workspace.schemas_of(context_.document))) {
      const std::string version = fmt::format("{}/{}", kind->group, kind->version);
      const bool fits = is_kind ? cursor_.api_version().empty() ? kind->group == model::kTrainerGroup
                                                                : cursor_.api_version() == version
                        : cursor_.kind().empty() ? kind->group == model::kTrainerGroup
                                                 : cursor_.kind() == kind->kind;
      if (fits)
        add(is_kind ? kind->kind : std::string_view(version), is_kind ? std::string_view(version) : "");
    }
  }

  void suggest_names() {
    const NameReference reference = reference_at(cursor_);
    if (reference.of == NameOf::Runtime) return suggest_runtimes();
    if (reference.of == NameOf::Nothing) return add_known();
    if (reference.is_own) {
      for (const OwnName& name : own_names(cursor_, reference)) {
        if (name.begin != cursor_.begin) add(name.name, "", SuggestionKind::Module);
      }
      return;
    }
    const auto runtime = runtime_of(context_.workspace, context_.document, cursor_);
    if (!runtime) return;
    const std::string detail = fmt::format("{} of {}", noun_of(reference.of), runtime->id.name);
    for (const yaml::Node* name : names_in(*runtime->root, reference))
      add(name->text(), detail, SuggestionKind::Module);
  }

  void suggest_runtimes() {
    const std::string_view kind = cursor_.text_at({"spec", "runtimeRef", "kind"});
    const std::string ns = namespace_at(context_.workspace, context_.document, cursor_);
    for (const FoundRuntime& runtime : runtimes_for(context_.workspace, context_.document, ns)) {
      if (!kind.empty() && runtime.id.kind != kind) continue;
      const bool names_kind = kind.empty() && runtime.id.kind != model::kClusterTrainingRuntime;
      out_.push_back(
          {.label = std::string(runtime.id.name),
           .kind = SuggestionKind::Module,
           .detail = std::string(runtime.id.kind),
           .documentation = describe_runtime(context_.workspace, runtime),
           .insert = context_.quoted(runtime.id.name) + (names_kind ? kind_beside(runtime.id.kind) : ""),
           .order = runtime.catalogue.empty() ? 0 : 1});
    }
  }

  // For a TrainingRuntime, the line with its kind, which the reference must name beside the name.
  std::string kind_beside(std::string_view kind) const {
    if (cursor_.in_flow) return fmt::format(", kind: {}", kind);
    const SyntaxNode* reference = cursor_.at({"spec", "runtimeRef"});
    const SyntaxEntry* name = reference ? reference->find("name") : nullptr;
    if (!name || name->begin + context_.column < cursor_.begin) return "";
    const size_t line = cursor_.begin - context_.column;
    return fmt::format("\n{}kind: {}", std::string(name->begin - line, ' '), kind);
  }

  const SuggestionContext& context_;
  const Cursor& cursor_;
  const schema::Schema* field_;
  std::vector<Suggestion>& out_;
  bool needs_dash_ = false;
};

// The fields of every object, for a document that has no kind yet.
constexpr Schema kAnyText{.type = Type::String};
constexpr Schema kAnyObject{.type = Type::Object};
constexpr std::array kObjectFields = std::to_array<Property>({{.name = "apiVersion", .schema = &kAnyText},
                                                              {.name = "kind", .schema = &kAnyText},
                                                              {.name = "metadata", .schema = &kAnyObject},
                                                              {.name = "spec", .schema = &kAnyObject}});
constexpr std::array<std::string_view, 3> kObjectNeeds{"apiVersion", "kind", "metadata"};
constexpr Schema kObject{.type = Type::Object, .properties = kObjectFields, .required = kObjectNeeds};

// A field's rank if people look for it in another place than that of trainjobc's own output: common fields
// come before rare ones, and those that only the API server sets come last.
struct WrittenRank {
  std::string_view field;
  int rank;
};
constexpr int kOfServer = 99;
constexpr std::array kWrittenRanks = std::to_array<WrittenRank>({{"generateName", 29},
                                                                 {"replicatedJobs", 30},
                                                                 {"initContainers", 30},
                                                                 {"volumeMounts", 39},
                                                                 {"volumes", 39},
                                                                 {"numNodes", 42},
                                                                 {"nodeSelector", 42},
                                                                 {"numProcPerNode", 43},
                                                                 {"tolerations", 43},
                                                                 {"resourcesPerNode", 44},
                                                                 {"trainer", 45},
                                                                 {"mlPolicy", 45},
                                                                 {"initializer", 46},
                                                                 {"podGroupPolicy", 46},
                                                                 {model::kRuntimePatches, 47},
                                                                 {model::kPodTemplateOverrides, 47},
                                                                 {model::kPodSpecOverrides, 47},
                                                                 {"template", 48}});

int written_rank(std::string_view field) {
  const auto found = std::ranges::find(kWrittenRanks, field, &WrittenRank::field);
  if (found != kWrittenRanks.end()) return found->rank;
  return k8s::is_server_metadata(field) || field == "ownerReferences" ? kOfServer : yaml::key_rank(field);
}

// Suggests fields that the map at the cursor may have, but doesn't have yet.
class FieldSuggester {
 public:
  FieldSuggester(const SuggestionContext& context, std::vector<Suggestion>& out)
      : context_(context), cursor_(context.cursor), out_(out), map_path_(context.cursor.path) {
    if (cursor_.spot == Spot::Key) map_path_.pop_back();
  }

  void suggest() {
    const bool is_any_object = !context_.root && map_path_.empty();
    const Schema* map = is_any_object ? &kObject : context_.schema_at(map_path_);
    if (!map) return;
    if (map->type == Type::Array) {
      if (cursor_.in_flow || !map->items || cursor_.spot == Spot::Value) return;
      dash_ = "- ";
      map_path_.push_back({"", 0});
      map = map->items;
      if (map->type != Type::Object) return ValueSuggester(context_, map, out_).suggest();
    }
    const SyntaxNode* present = dash_.empty() ? cursor_.container : nullptr;
    for (const Property& property : map->properties) {
      if (is_offered(property, present)) add(*map, property);
    }
    if (map->additional && !context_.in_settings()) add_known(present);
    if (matches(map_path_, {"rules"}) && context_.in_settings())
      suggest_rules(cursor_.is_complete && cursor_.spot == Spot::Key ? "" : ": ", out_);
  }

 private:
  bool is_offered(const Property& property, const SyntaxNode* present) const {
    if (map_path_.empty() && property.name == "status") return false;
    return is_free(property.name, present);
  }

  // Adds keys that no schema lists, for resources and labels.
  void add_known(const SyntaxNode* present) {
    int rank = 0;
    for (const KnownName& known : known_keys(context_, map_path_)) {
      if (!is_free(known.name, present)) continue;
      const bool is_typed = cursor_.spot == Spot::Key && cursor_.is_complete;
      out_.push_back({.label = known.name,
                      .kind = SuggestionKind::Field,
                      .detail = known.detail,
                      .insert = context_.quoted(known.name) + (is_typed ? "" : ": "),
                      .order = known.order,
                      .rank = std::min(rank++, kAnyRank)});
    }
  }

  // Whether no other entry has the key.
  bool is_free(std::string_view key, const SyntaxNode* present) const {
    return !present || std::ranges::none_of(present->entries, [&](const SyntaxEntry& entry) {
      return entry.key == key && entry.begin != cursor_.begin;
    });
  }

  void add(const Schema& map, const Property& property) {
    CursorPath path = map_path_;
    path.push_back({std::string(property.name)});
    const bool is_needed =
        requires_field(map, property.name) || (map_path_.empty() && requires_field(kObject, property.name));
    const std::string_view kind = context_.in_settings() ? std::string_view() : cursor_.kind();
    out_.push_back({.label = dash_ + std::string(property.name),
                    .kind = SuggestionKind::Field,
                    .detail = type_words(*property.schema) + (is_needed ? ", required" : ""),
                    .documentation = notes_of(kind, *property.schema, path),
                    .insert = dash_ + context_.quoted(property.name) + after_name(*property.schema),
                    .order = is_needed ? 0 : 1,
                    .rank = context_.in_settings() ? kAnyRank : written_rank(property.name)});
  }

  std::string notes_of(std::string_view kind, const Schema& field, const CursorPath& path) const {
    const bool is_known = !kind.empty() || context_.in_settings();
    return is_known ? field_notes(kind, field, path) : limit_words(field);
  }

  // What follows the name: the colon, and in a block the beginning of the next line.
  std::string after_name(const Schema& field) const {
    if (cursor_.spot == Spot::Key && cursor_.is_complete) return "";
    if (cursor_.in_flow) return ": ";
    const std::string indent(context_.column + dash_.size(), ' ');
    if (field.type == Type::Array) return fmt::format(":\n{}- ", indent);
    if (field.type == Type::Object) return fmt::format(":\n{}  ", indent);
    return ": ";
  }

  const SuggestionContext& context_;
  const Cursor& cursor_;
  std::vector<Suggestion>& out_;
  CursorPath map_path_;
  std::string dash_;  // for an item that has none yet
};

// Suggests rules in a suppression comment.
void suggest_in_comment(const SuggestionContext& context, std::vector<Suggestion>& out) {
  constexpr std::string_view kMarker = "# trainjobc:ignore";
  const Cursor& cursor = context.cursor;
  const std::string_view before =
      std::string_view(cursor.comment)
          .substr(0, std::min(cursor.begin - cursor.comment_begin, cursor.comment.size()));
  if (before.starts_with(kMarker)) {
    if (before.find("--") == std::string_view::npos) suggest_rules("", out);
    return;
  }
  const bool is_first_word = before == "#" || before == "# ";
  if (is_first_word && !context.in_settings()) {
    add_snippet("trainjobc:ignore", "suppress findings on this line or the next",
                "trainjobc:ignore ${1:rule} -- ${2:reason}", out);
  }
}

constexpr int kPlainText = 1;
constexpr int kSnippetText = 2;
constexpr int kAsIs = 1;  // InsertTextMode: the lines include their indentation

// Suggests what a word on its own line may become: a field of a map, an item of a list, a value.
void suggest_for_word(const SuggestionContext& context, std::vector<Suggestion>& out) {
  const Cursor& cursor = context.cursor;
  const bool is_empty = cursor.path.empty() && !cursor.object->is_map();
  if (is_empty && !context.in_settings()) suggest_documents(context, out);
  const schema::Schema* field = context.schema_at(cursor.path);
  const bool is_collection =
      field && (field->type == schema::Type::Object || field->type == schema::Type::Array);
  if (cursor.path.empty() || is_collection) {
    FieldSuggester(context, out).suggest();
  } else {
    ValueSuggester(context, field, out).suggest();
  }
}

std::vector<Suggestion> suggestions_at(const SuggestionContext& context) {
  std::vector<Suggestion> out;
  const Cursor& cursor = context.cursor;
  switch (cursor.spot) {
    case Spot::None: break;
    case Spot::Comment: suggest_in_comment(context, out); break;
    case Spot::Key:
      FieldSuggester(context, out).suggest();
      if (matches(cursor.path, {"spec", cursor.word})) suggest_patch(context, out);
      break;
    case Spot::KeyOrValue:
      suggest_for_word(context, out);
      if (matches(cursor.path, {"spec"})) suggest_patch(context, out);
      break;
    case Spot::Value: ValueSuggester(context, context.schema_at(cursor.path), out).suggest(); break;
  }
  return out;
}

Json item_json(const Suggestion& suggestion, const Json& range, bool with_snippets) {
  const bool is_snippet = suggestion.kind == SuggestionKind::Snippet;
  Json item{{"label", suggestion.label},
            {"kind", static_cast<int>(suggestion.kind)},
            {"sortText", fmt::format("{}{:02}{}", suggestion.order, suggestion.rank, suggestion.label)},
            {"insertTextFormat", is_snippet && with_snippets ? kSnippetText : kPlainText},
            {"textEdit",
             {{"range", range},
              {"newText",
               is_snippet && !with_snippets ? without_placeholders(suggestion.insert) : suggestion.insert}}}};
  if (suggestion.label.starts_with("- ")) item["filterText"] = suggestion.label.substr(2);
  if (suggestion.insert.find('\n') != std::string::npos) item["insertTextMode"] = kAsIs;
  if (!suggestion.detail.empty()) item["detail"] = suggestion.detail;
  if (!suggestion.documentation.empty())
    item["documentation"] = {{"kind", "markdown"}, {"value", suggestion.documentation}};
  return item;
}

}  // namespace

const schema::Schema* SuggestionContext::schema_at(const CursorPath& path) const {
  return root ? schema_along(*root, path, path.size()) : nullptr;
}

Json complete_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                 size_t offset, bool with_snippets) {
  const Cursor cursor = find_typed(file.text(), offset);
  // An edit must stay on the cursor's line.
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
  const Json range = range_of(file, begin, std::min(cursor.end, line_end));
  Json items = Json::array();
  for (const Suggestion& suggestion : suggestions_at(context))
    items.push_back(item_json(suggestion, range, with_snippets));
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

Json complete(const Workspace& workspace, const DocumentId& document, Position at, bool with_snippets) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  return complete_in(workspace, document, *text->file, offset_of(*text->file, at), with_snippets);
}

}  // namespace trainjobc::lsp
