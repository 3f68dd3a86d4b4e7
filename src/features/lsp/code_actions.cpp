// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/lsp/answers.h"
#include "features/migrate/migrate.h"
#include "lint/lint.h"
#include "model/behaviours.h"
#include "model/dialects.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::lsp {
namespace {

using base::Diagnostic;

// Whether both texts can be read, with the same values.
bool reads_the_same(const base::SourceFile& before, const base::SourceFile& after) {
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(before, arena, problems);
  const auto others = yaml::read(after, arena, problems);
  return !problems.has_errors() &&
         std::ranges::equal(documents, others, [](const yaml::Document& a, const yaml::Document& b) {
           return yaml::equal(*a.root, *b.root);
         });
}

// Whether an object of the file is of an older API than Trainer's.
bool is_in_dialect(const base::SourceFile& file) {
  base::Arena arena;
  base::Diagnostics ignored;
  return std::ranges::any_of(yaml::read(file, arena, ignored), [](const yaml::Document& document) {
    return model::find_dialect(yaml::string_at(*document.root, "apiVersion")) != nullptr;
  });
}

bool overlaps(const Range& a, const Range& b) {
  return a.start <= b.end && b.start <= a.end;
}

// What the action of a fix is called.
std::string title_of(const Diagnostic& found) {
  if (found.hint.empty()) return "Fix " + found.rule;
  const bool is_one_word =
      found.fix.size() == 1 && found.fix.front().range.line == found.fix.front().range.end_line;
  if (found.hint.starts_with("did you mean") && is_one_word && !found.hide_source)
    return fmt::format("Change to {}", found.fix.front().text);
  return "Fix: " + found.hint;
}

// Whether actions of the kind are asked for: of the kind itself, or of one above it.
bool wants(const ActionRequest& request, std::string_view kind) {
  return request.only.empty() || std::ranges::any_of(request.only, [&](const std::string& only) {
           return kind == only || kind.starts_with(only + ".");
         });
}

// The edit from one text of a file to another: what lies between their common beginning and end.
Json edit_between(const base::SourceFile& file, std::string_view after) {
  const std::string_view before = file.text();
  const auto differ = std::ranges::mismatch(before, after);
  auto begin = static_cast<size_t>(differ.in1 - before.begin());
  begin = begin == 0 ? 0 : before.rfind('\n', begin - 1) + 1;  // whole lines: no character is cut
  size_t end = 0;
  const size_t most = std::min(before.size(), after.size()) - begin;
  while (end < most && before[before.size() - 1 - end] == after[after.size() - 1 - end]) ++end;
  // The end is the beginning of a line, too.
  while (end > 0 && end < before.size() && before[before.size() - end - 1] != '\n') --end;
  const Range range{position_of(file, begin), position_of(file, before.size() - end)};
  return {{"range", range}, {"newText", std::string(after.substr(begin, after.size() - end - begin))}};
}

Json workspace_edit(const DocumentId& document, Json edits) {
  Json changes = Json::object();
  changes[uri_of(document)] = std::move(edits);
  return {{"changes", std::move(changes)}};
}

class ActionFinder {
 public:
  ActionFinder(const Workspace& workspace, const PublishedFindings& findings, const ActionRequest& request)
      : workspace_(workspace),
        findings_(findings),
        request_(request),
        text_(workspace.current(request.document)) {}

  Json find() {
    if (!text_) return Json::array();
    for (const Diagnostic* found : findings_.of(request_.document)) {
      if (!wants(request_, kQuickFix) || !overlaps(findings_.range_of(*found), request_.range)) continue;
      add_fix(*found);
      add_suppression(*found);
    }
    if (wants(request_, kFixAll)) add_all_fixes();
    if (wants(request_, kMigrate)) add_migration();
    return std::move(actions_);
  }

 private:
  void add_fix(const Diagnostic& found) {
    base::Diagnostics one;
    one.add(found);
    if (found.fix.empty() || lint::apply_fixes(one, base::Certainty::Suggested).applied == 0) return;
    Json changes = Json::object();
    for (const base::Edit& edit : found.fix) {
      const auto at = location_of(edit.range);
      if (!at) return;
      changes[uri_of(at->document)].push_back({{"range", at->range}, {"newText", edit.text}});
    }
    actions_.push_back({{"title", title_of(found)},
                        {"kind", std::string(kQuickFix)},
                        {"diagnostics", Json::array({findings_.to_json(found)})},
                        {"isPreferred", true},
                        {"edit", {{"changes", std::move(changes)}}}});
  }

  void add_suppression(const Diagnostic& found) {
    const base::Location& at = found.location;
    if (!at.file || base::absolute_path(at.file->name()) != request_.document || at.line == 0) return;
    const bool is_refusal = found.stage == base::Stage::Yaml || base::is_refusal(found);
    if (is_refusal || found.rule == "advice/unused-suppression") return;
    const auto comment = suppression_of(*at.file, at.line, found.rule);
    if (!comment) return;
    Json edits = Json::array({{{"range", Range{comment->at, comment->at}}, {"newText", comment->text}}});
    actions_.push_back({{"title", fmt::format("Ignore {} here, with a reason", found.rule)},
                        {"kind", std::string(kQuickFix)},
                        {"diagnostics", Json::array({findings_.to_json(found)})},
                        {"edit", workspace_edit(request_.document, std::move(edits))}});
  }

  // The safe ones that change this document only: editors apply them on every save.
  void add_all_fixes() {
    base::Diagnostics own;
    for (const Diagnostic* found : findings_.of(request_.document)) {
      const bool is_own = std::ranges::all_of(found->fix, [&](const base::Edit& edit) {
        return edit.range.file && base::absolute_path(edit.range.file->name()) == request_.document;
      });
      if (is_own && !found->fix.empty()) own.add(*found);
    }
    const lint::FixedFiles fixed = lint::apply_fixes(own, base::Certainty::Safe);
    if (fixed.texts.size() != 1) return;
    const base::SourceFile after("", fixed.texts.begin()->second);
    actions_.push_back({{"title", fmt::format("Fix all that trainjobc can ({})", fixed.applied)},
                        {"kind", std::string(kFixAll)},
                        {"edit", workspace_edit(request_.document,
                                                Json::array({edit_between(*text_->file, after.text())}))}});
  }

  void add_migration() {
    if (!text_->is_readable || !may_migrate()) return;
    Json action{{"title", fmt::format("Migrate this file to Trainer {}", model::newest_behaviours().trainer)},
                {"kind", std::string(kMigrate)},
                {"data", {{"migrate", uri_of(request_.document)}}}};
    if (!request_.resolves) action = resolve_code_action(workspace_, std::move(action));
    if (request_.resolves || action.contains("edit")) actions_.push_back(std::move(action));
  }

  // Whether the document is for an older Trainer, or for an operator before it.
  bool may_migrate() const {
    const auto& found = findings_.of(request_.document);
    if (std::ranges::any_of(found,
                            [](const Diagnostic* one) { return one->rule == "advice/training-operator"; }))
      return true;
    if (text_->objects().empty()) return false;
    return is_in_dialect(*text_->file) ||
           workspace_.schemas_of(request_.document).trainer != model::newest_behaviours().trainer;
  }

  const Workspace& workspace_;
  const PublishedFindings& findings_;
  const ActionRequest& request_;
  std::shared_ptr<const ParsedText> text_;
  Json actions_ = Json::array();
};

}  // namespace

std::optional<Insertion> suppression_of(const base::SourceFile& file, uint32_t line, std::string_view rule) {
  if (file.name().ends_with(".json")) return std::nullopt;
  const std::string_view text = file.line(line);
  const size_t indent = base::indent_of(text);
  const std::string_view line_end = file.text().find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  Insertion comment{
      {line - 1, 0},
      fmt::format("{}# trainjobc:ignore {} -- TODO: the reason{}", std::string(indent, ' '), rule, line_end)};
  std::string changed(file.text());
  changed.insert(file.line_start(line), comment.text);
  if (!reads_the_same(file, base::SourceFile(file.name(), std::move(changed)))) return std::nullopt;
  return comment;
}

Json code_actions(const Workspace& workspace, const PublishedFindings& findings,
                  const ActionRequest& request) {
  return ActionFinder(workspace, findings, request).find();
}

Json resolve_code_action(const Workspace& workspace, Json action) {
  const auto document = path_of(text_member(action, {"data", "migrate"}));
  const auto text = document ? workspace.current(*document) : nullptr;
  if (!text || !text->is_readable) return action;
  Workspace::Inputs inputs = workspace.inputs_of(*document);
  migrate::MigrateOptions options;
  options.compile = workspace.options_of(*document);
  options.to = model::newest_behaviours().trainer;
  const migrate::Migration migration =
      migrate::migrate(std::move(inputs.own), std::move(inputs.others), options);
  for (const migrate::MigratedFile& file : migration.files) {
    if (file.name != *document) continue;
    const base::SourceFile after("", file.new_text);
    action["edit"] = workspace_edit(*document, Json::array({edit_between(*text->file, after.text())}));
  }
  return action;
}

}  // namespace trainjobc::lsp
