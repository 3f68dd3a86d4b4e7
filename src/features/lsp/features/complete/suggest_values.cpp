// SPDX-License-Identifier: Apache-2.0
// Values: enums, names of runtimes and of what is in them, rules.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "features/json_schema/json_schema.h"
#include "features/lsp/features/complete/suggestions.h"
#include "features/lsp/features/name_references.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/features/runtimes.h"
#include "features/lsp/features/schema_words.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

class ValueSuggester {
 public:
  ValueSuggester(const SuggestionContext& context, const schema::Schema* field, std::vector<Suggestion>& out)
      : context_(context), cursor_(context.cursor), field_(field), out_(out) {
    // An item without its dash, in a list of values.
    needs_dash_ = cursor_.spot != Spot::Value && context.root && field &&
                  schema_along(*context.root, cursor_.path, cursor_.path.size()) != field;
  }

  void suggest() {
    if (is_settings_file(context_.document)) {
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
    const Sketch* reference = cursor_.at({"spec", "runtimeRef"});
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
    const Sketch* reference = cursor_.at({"spec", "runtimeRef"});
    const SketchEntry* name = reference ? reference->find("name") : nullptr;
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

}  // namespace

void suggest_values(const SuggestionContext& context, const schema::Schema* field,
                    std::vector<Suggestion>& out) {
  ValueSuggester(context, field, out).suggest();
}

void suggest_rules(std::string_view suffix, std::vector<Suggestion>& out) {
  for (const rules::Rule& rule : rules::all_rules()) {
    out.push_back({.label = std::string(rule.id),
                   .kind = SuggestionKind::EnumMember,
                   .detail = std::string(rule.summary),
                   .documentation = rule_words(rule),
                   .insert = std::string(rule.id).append(suffix)});
  }
}

}  // namespace trainjobc::lsp
