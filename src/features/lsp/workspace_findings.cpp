// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "base/files/paths.h"
#include "lint/config.h"
#include "features/lsp/workspace.h"

namespace trainjobc::lsp {
namespace {

using base::Diagnostic;

// Moves places of a text that was linted to the text that the editor shows.
class Mover {
 public:
  Mover(const DocumentId& document, const base::SourceFile& linted, const base::SourceFile& shown)
      : document_(document), lines_(linted, shown), shown_(shown) {}

  bool is_in(const base::Location& at) const {
    return at.file && base::absolute_path(at.file->name()) == document_;
  }

  // False if the place is gone.
  bool move(base::Location& at) const {
    if (!is_in(at)) return true;
    const uint32_t line = at.line == 0 ? 0 : lines_(at.line);
    if (at.line != 0 && line == 0) return false;
    at.end_line = std::max(line, at.end_line == 0 ? 0 : lines_(at.end_line));
    at.line = line;
    at.file = &shown_;
    return true;
  }

  // False if the finding is gone. Its fix was made for the other text.
  bool move(Diagnostic& found) const {
    if (!move(found.location)) return false;
    for (base::Note& note : found.notes) {
      if (!move(note.location)) note.location = {};
    }
    if (std::ranges::any_of(found.fix, [&](const base::Edit& edit) { return is_in(edit.range); }))
      found.fix.clear();
    return true;
  }

 private:
  const DocumentId& document_;
  LineMap lines_;
  const base::SourceFile& shown_;
};

base::Diagnostics moved(base::Diagnostics diagnostics, const Mover& mover) {
  base::Diagnostics kept;
  for (Diagnostic& found : diagnostics.take()) {
    if (mover.move(found)) kept.add(std::move(found));
  }
  return kept;
}

Options options_of_lint() {
  Options options;
  options.render = false;
  return options;
}

}  // namespace

std::shared_ptr<const WorkspaceFindings> Workspace::findings() {
  bring_up_to_date();
  if (findings_) return findings_;
  auto linted = std::make_shared<lint::Findings>(lint::find(groups_, options_of_lint(), "", caches_));
  auto findings = std::make_shared<WorkspaceFindings>();
  findings->diagnostics = std::move(linted->diagnostics);
  findings->objects = linted->compiled.linted;
  findings->files = linted->files;
  findings->memory.push_back(std::move(linted));
  for (const auto& [document, frozen] : frozen_) {
    const Mover mover(document, *frozen.linted, *frozen.current->file);
    findings->diagnostics = moved(std::move(findings->diagnostics), mover);
    findings->memory.push_back(frozen.current);
    add_syntax_errors(document, *findings);
  }
  if (!problem_.empty()) add_configuration_errors(*findings);
  findings->diagnostics.sort();
  findings_ = std::move(findings);
  return findings_;
}

// What `lint` says about the syntax of the text that the editor shows.
void Workspace::add_syntax_errors(const DocumentId& document, WorkspaceFindings& findings) const {
  const auto group = group_of_.find(document);
  if (group == group_of_.end()) return;
  const lint::InputGroup& settings = groups_[group->second];
  std::vector<lint::InputGroup> alone(1);
  alone.front().config = settings.config;
  alone.front().trainer_version = settings.trainer_version;
  alone.front().inputs.push_back({document, without_readable_documents(*look_up(document).current)});
  auto linted = std::make_shared<lint::Findings>(lint::find(std::move(alone), options_of_lint(), ""));
  for (const Diagnostic& found : linted->diagnostics.items()) {
    if (found.stage == base::Stage::Yaml) findings.diagnostics.add(found);
  }
  findings.memory.push_back(std::move(linted));
}

// Of the configurations of the folders and of the files.
void Workspace::add_configuration_errors(WorkspaceFindings& findings) {
  std::set<std::string> folders(folders_.begin(), folders_.end());
  for (const auto& [document, sources] : sources_) folders.insert(base::parent_of(document));
  for (const auto& [document, text] : overlay_.buffers()) folders.insert(base::parent_of(document));
  std::set<std::string> seen;
  for (std::string folder : folders) {
    for (; !folder.empty() && seen.insert(folder).second; folder = base::parent_of(folder)) {
      const std::string path = (folder == "/" ? "" : folder) + "/" + lint::kConfigName;
      auto problem = lint::find_config_problem(overlay_, path);
      if (!problem) continue;
      findings.diagnostics.append(std::move(problem->diagnostics));
      findings.memory.push_back(std::move(problem->file));
    }
  }
}

}  // namespace trainjobc::lsp
