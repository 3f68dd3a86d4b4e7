// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "features/json_schema/json_schema.h"
#include "features/lsp/cursor.h"
#include "features/lsp/documentation.h"
#include "features/lsp/references.h"
#include "features/lsp/workspace.h"
#include "model/behaviours.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

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

  bool in_settings() const { return is_settings_file(document); }
  // nullptr if the schema has no such field.
  const schema::Schema* schema_at(const CursorPath& path) const {
    return root ? schema_along(*root, path, path.size()) : nullptr;
  }
  std::string quoted(std::string_view word) const { return std::string(quote).append(word).append(quote); }
};

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

// Suggests values of a field: those of its schema, names of runtimes and of what is in them.
class ValueSuggester {
 public:
  ValueSuggester(const SuggestionContext& context, const schema::Schema* field, std::vector<Suggestion>& out)
      : context_(context), cursor_(context.cursor), field_(field), out_(out) {
    // An item without its dash, in a list of values.
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
  void add(std::string_view value, std::string_view detail = "",
           SuggestionKind kind = SuggestionKind::EnumMember) {
    const bool is_known =
        std::ranges::any_of(out_, [&](const Suggestion& one) { return one.label == value; });
    if (is_known || value.empty()) return;
    out_.push_back({.label = std::string(value),
                    .kind = kind,
                    .detail = std::string(detail),
                    .insert = (needs_dash_ ? "- " : "") + context_.quoted(value)});
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
    if (reference.of == NameOf::Nothing) return suggest_variables();
    if (reference.is_own) {
      for (const OwnName& name : own_names(cursor_, reference)) {
        if (name.begin != cursor_.begin) add(name.name, "", SuggestionKind::Module);
      }
      return;
    }
    const auto runtime = runtime_of(context_.workspace, context_.document, cursor_);
    if (!runtime) return;
    const std::string detail = fmt::format("{} of {}", what(reference.of), runtime->id.name);
    for (const yaml::Node* name : names_in(*runtime->root, reference))
      add(name->text(), detail, SuggestionKind::Module);
  }

  static std::string_view what(NameOf name) {
    if (name == NameOf::ReplicatedJob) return "replicatedJob";
    return name == NameOf::Container ? "container" : "init container";
  }

  void suggest_runtimes() {
    const SyntaxNode* reference = cursor_.at({"spec", "runtimeRef"});
    const std::string_view kind = reference ? reference->text_of("kind") : std::string_view();
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

  // A TrainingRuntime's kind, which the reference must name, beside the name.
  std::string kind_beside(std::string_view kind) const {
    if (cursor_.in_flow) return fmt::format(", kind: {}", kind);
    const SyntaxNode* reference = cursor_.at({"spec", "runtimeRef"});
    const SyntaxEntry* name = reference ? reference->find("name") : nullptr;
    if (!name || name->begin + context_.column < cursor_.begin) return "";
    const size_t line = cursor_.begin - context_.column;
    return fmt::format("\n{}kind: {}", std::string(name->begin - line, ' '), kind);
  }

  // Variables that the runtime's framework reads.
  void suggest_variables() {
    if (!matches(cursor_.path, {"spec", "trainer", "env", "[]", "name"})) return;
    const auto runtime = runtime_of(context_.workspace, context_.document, cursor_);
    const yaml::Node* policy = runtime ? runtime->root->at({"spec", "mlPolicy"}) : nullptr;
    if (!policy) return;
    for (const policy::Plugin* plugin : policy::registry()) {
      const policy::Framework& framework = plugin->framework;
      if (framework.field.empty() || !policy->get(framework.field)) continue;
      const std::string detail = fmt::format("read by {}", framework.title);
      for (const std::string_view name : framework.settings) add(name, detail, SuggestionKind::Variable);
    }
  }

  const SuggestionContext& context_;
  const Cursor& cursor_;
  const schema::Schema* field_;
  std::vector<Suggestion>& out_;
  bool needs_dash_ = false;
};

void suggest_values(const SuggestionContext& context, const schema::Schema* field,
                    std::vector<Suggestion>& out) {
  ValueSuggester(context, field, out).suggest();
}

// The fields of every object, for a document whose kind isn't written yet.
constexpr Schema kAnyText{.type = Type::String};
constexpr Schema kAnyObject{.type = Type::Object};
constexpr std::array kObjectFields = std::to_array<Property>({{.name = "apiVersion", .schema = &kAnyText},
                                                              {.name = "kind", .schema = &kAnyText},
                                                              {.name = "metadata", .schema = &kAnyObject},
                                                              {.name = "spec", .schema = &kAnyObject}});
constexpr std::array<std::string_view, 3> kObjectNeeds{"apiVersion", "kind", "metadata"};
constexpr Schema kObject{.type = Type::Object, .properties = kObjectFields, .required = kObjectNeeds};

// Suggests fields that the map at the cursor can have and does not have.
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
      if (map->type != Type::Object) return suggest_values(context_, map, out_);
    }
    const SyntaxNode* present = dash_.empty() ? cursor_.container : nullptr;
    for (const Property& property : map->properties) {
      if (is_offered(property, present)) add(*map, property);
    }
    if (matches(map_path_, {"rules"}) && context_.in_settings())
      suggest_rules(cursor_.is_complete && cursor_.spot == Spot::Key ? "" : ": ", out_);
  }

 private:
  bool is_offered(const Property& property, const SyntaxNode* present) const {
    if (map_path_.empty() && property.name == "status") return false;
    if (!present) return true;
    return std::ranges::none_of(present->entries, [&](const SyntaxEntry& entry) {
      return entry.key == property.name && entry.begin != cursor_.begin;
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
                    .order = is_needed ? 0 : 1});
  }

  std::string notes_of(std::string_view kind, const Schema& field, const CursorPath& path) const {
    const bool is_known = !kind.empty() || context_.in_settings();
    return is_known ? field_notes(kind, field, path) : limit_words(field);
  }

  // The colon, and in a block the beginning of the line below.
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
  std::string dash_;  // of an item that is not begun yet
};

void suggest_fields(const SuggestionContext& context, std::vector<Suggestion>& out) {
  FieldSuggester(context, out).suggest();
}

// Whole documents, patches and comments to fill in.

constexpr std::string_view kJobSnippet = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: ${1:name}
  namespace: ${2:namespace}
spec:
  runtimeRef:
    name: ${3:torch-distributed}
  trainer:
    image: ${4:image}
    command: [${5:python, /workspace/train.py}]
    numNodes: ${6:1}
)";

constexpr std::string_view kRuntimeSnippet = R"(metadata:
  name: ${{1:name}}{}
  labels:
    trainer.kubeflow.org/framework: ${{3:torch}}
spec:
  mlPolicy:
    numNodes: ${{4:1}}
    ${{3:torch}}: {{}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: ${{5:image}}
)";

constexpr std::string_view kPatchSnippet = R"(runtimePatches:
- manager: ${{1:example.com/me}}
  trainingRuntimeSpec:
    template:
      spec:
        replicatedJobs:
        - name: ${{2:{0}}}
          template:
            spec:
              template:
                spec:
                  containers:
                  - name: ${{3:{1}}}
                    $0)";

constexpr std::string_view kTemplateOverrideSnippet = R"(podTemplateOverrides:
- targetJobs:
  - name: ${{1:{0}}}
  spec:
    containers:
    - name: ${{2:{1}}}
      $0)";

constexpr std::string_view kSpecOverrideSnippet = R"(podSpecOverrides:
- targetJobs:
  - name: ${{1:{0}}}
  containers:
  - name: ${{2:{1}}}
    $0)";

// With the lines after the first one as deep as the word.
std::string indented(std::string_view snippet, size_t column) {
  std::string out;
  for (const std::string_view line : base::Lines(snippet)) {
    if (!out.empty()) out += "\n" + std::string(column, ' ');
    out += line;
  }
  return out;
}

std::string runtime_snippet(std::string_view kind, bool is_namespaced) {
  return fmt::format("apiVersion: {}\nkind: {}\n", model::kTrainerApiVersion, kind) +
         fmt::format(fmt::runtime(kRuntimeSnippet), is_namespaced ? "\n  namespace: ${2:namespace}" : "");
}

// The first replicatedJob that trains, and its container; as they are usually called, if the runtime is not
// known.
struct PatchTarget {
  std::string job = std::string(model::kNode);
  std::string container = std::string(model::kNode);
};

PatchTarget target_of(const SuggestionContext& context) {
  PatchTarget target;
  const auto runtime = runtime_of(context.workspace, context.document, context.cursor);
  if (!runtime) return target;
  const auto jobs = names_in(*runtime->root, {NameOf::ReplicatedJob});
  if (jobs.empty()) return target;
  const bool has_node =
      std::ranges::any_of(jobs, [](const yaml::Node* name) { return name->text() == model::kNode; });
  if (!has_node) target.job = jobs.back()->text();
  const auto containers = names_in(*runtime->root, {NameOf::Container, {target.job}});
  if (!containers.empty()) target.container = containers.front()->text();
  return target;
}

void add_snippet(std::string label, std::string detail, std::string insert, std::vector<Suggestion>& out) {
  out.push_back({.label = std::move(label),
                 .kind = SuggestionKind::Snippet,
                 .detail = std::move(detail),
                 .insert = std::move(insert),
                 .order = 2});
}

// The first lines of a whole document.
void suggest_documents(const SuggestionContext& context, std::vector<Suggestion>& out) {
  if (context.column != 0) return;
  add_snippet("TrainJob", "a job on a runtime", std::string(kJobSnippet), out);
  const schema::KindSchema* job = context.workspace.schemas_of(context.document).kind(model::kTrainJob);
  const schema::Property* spec = job ? job->schema->property("spec") : nullptr;
  if (spec && spec->schema->property(model::kRuntimePatches)) {
    add_snippet("TrainJob with a patch", "a job that changes its runtime",
                std::string(kJobSnippet) + "  " +
                    indented(fmt::format(fmt::runtime(kPatchSnippet), model::kNode, model::kNode), 2),
                out);
  }
  add_snippet("ClusterTrainingRuntime", "a runtime for all namespaces",
              runtime_snippet(model::kClusterTrainingRuntime, false), out);
  add_snippet("TrainingRuntime", "a runtime for one namespace",
              runtime_snippet(model::kTrainingRuntime, true), out);
}

// A patch, below spec of a TrainJob.
void suggest_patch(const SuggestionContext& context, std::vector<Suggestion>& out) {
  const Cursor& cursor = context.cursor;
  if (cursor.kind() != model::kTrainJob || cursor.in_flow || (cursor.spot == Spot::Key && cursor.is_complete))
    return;
  const schema::Property* spec = context.root ? context.root->property("spec") : nullptr;
  if (!spec) return;
  struct Style {
    std::string_view field;
    std::string_view snippet;
  };
  // The newest that the Trainer version has.
  for (const Style& style : {Style{model::kRuntimePatches, kPatchSnippet},
                             Style{model::kPodTemplateOverrides, kTemplateOverrideSnippet},
                             Style{model::kPodSpecOverrides, kSpecOverrideSnippet}}) {
    if (!spec->schema->property(style.field)) continue;
    if (cursor.container && cursor.container->get(style.field)) return;
    const PatchTarget target = target_of(context);
    add_snippet(
        "patch a container", fmt::format("{} for the runtime's container", style.field),
        indented(fmt::format(fmt::runtime(style.snippet), target.job, target.container), context.column),
        out);
    return;
  }
}

// Rules, in a comment that suppresses some.
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
constexpr int kAsIs = 1;  // InsertTextMode: lines come with their indentation

// What a word on its own line may be: a field of a map, an item of a list, a value.
void suggest_for_word(const SuggestionContext& context, std::vector<Suggestion>& out) {
  const Cursor& cursor = context.cursor;
  const bool is_empty = cursor.path.empty() && !cursor.object->is_map();
  if (is_empty && !context.in_settings()) suggest_documents(context, out);
  const schema::Schema* field = context.schema_at(cursor.path);
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
    case Spot::Value: suggest_values(context, context.schema_at(cursor.path), out); break;
  }
  return out;
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

Json item_json(const Suggestion& suggestion, const Json& range, bool with_snippets) {
  const bool is_snippet = suggestion.kind == SuggestionKind::Snippet;
  Json item{{"label", suggestion.label},
            {"kind", static_cast<int>(suggestion.kind)},
            {"sortText", fmt::format("{}{}", suggestion.order, suggestion.label)},
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

Json complete_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
                 size_t offset, bool with_snippets) {
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
