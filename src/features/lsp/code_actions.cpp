// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/lsp/action_candidates.h"
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

// Whether an object of the file belongs to an API older than Trainer's.
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

// The title of the action that applies a fix.
std::string title_of(const Diagnostic& found) {
  if (found.hint.empty()) return "Fix " + found.rule;
  const bool is_one_word =
      found.fix.size() == 1 && found.fix.front().range.line == found.fix.front().range.end_line;
  if (found.hint.starts_with("did you mean") && is_one_word && !found.hide_source)
    return fmt::format("Change to {}", found.fix.front().text);
  return "Fix: " + found.hint;
}

// Whether the client asks for actions of the kind, or of one above it.
bool wants(const ActionRequest& request, std::string_view kind) {
  return request.only.empty() || std::ranges::any_of(request.only, [&](const std::string& only) {
           return kind == only || kind.starts_with(only + ".");
         });
}

// The edit that turns one text of a file into another: replaces the text between their common beginning and
// end.
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

bool takes_comments(const base::SourceFile& file) {
  return !file.name().ends_with(".json");
}

Insertion suppression_above(const base::SourceFile& file, uint32_t line, std::string_view rule) {
  return {{line - 1, 0},
          comment_above(file, line, fmt::format("# trainjobc:ignore {} -- TODO: the reason", rule))};
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
    if (wants(request_, kQuickFix)) add_quick_fixes();
    if (wants(request_, kFixAll)) add_all_fixes();
    if (wants(request_, kMigrate)) add_migration();
    return std::move(actions_);
  }

 private:
  void add_quick_fixes() {
    std::vector<const Diagnostic*> list;
    std::map<const base::SourceFile*, std::set<uint32_t>> lines;
    for (const Diagnostic* found : findings_.of(request_.document)) {
      if (!overlaps(findings_.range_of(*found), request_.range)) continue;
      list.push_back(found);
      if (may_suppress(*found)) lines[found->location.file].insert(found->location.line);
    }
    const FindingSet fixable = applicable_fixes(list);
    for (auto& [file, wanted] : lines) wanted = lines_for_comments(*file, wanted);
    for (const Diagnostic* found : list) {
      if (fixable.contains(found)) add_fix(*found);
      if (may_suppress(*found) && lines[found->location.file].contains(found->location.line))
        add_suppression(*found);
    }
  }

  void add_fix(const Diagnostic& found) {
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

  bool may_suppress(const Diagnostic& found) const {
    const base::Location& at = found.location;
    if (!at.file || base::absolute_path(at.file->name()) != request_.document || at.line == 0) return false;
    const bool is_refusal = found.stage == base::Stage::Yaml || base::is_refusal(found);
    return !is_refusal && found.rule != "advice/unused-suppression" && takes_comments(*at.file);
  }

  void add_suppression(const Diagnostic& found) {
    const Insertion comment = suppression_above(*found.location.file, found.location.line, found.rule);
    Json edits = Json::array({{{"range", Range{comment.at, comment.at}}, {"newText", comment.text}}});
    actions_.push_back({{"title", fmt::format("Ignore {} here, with a reason", found.rule)},
                        {"kind", std::string(kQuickFix)},
                        {"diagnostics", Json::array({findings_.to_json(found)})},
                        {"edit", workspace_edit(request_.document, std::move(edits))}});
  }

  // Adds all safe fixes that change only this document: editors apply them on every save.
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
  if (!takes_comments(file) || lines_for_comments(file, {line}).empty()) return std::nullopt;
  return suppression_above(file, line, rule);
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
