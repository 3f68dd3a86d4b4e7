// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/files/paths.h"
#include "features/lsp/workspace.h"
#include "lint/config.h"

namespace trainjobc::lsp {
namespace {

using base::Diagnostic;

// Moves places of a text that was linted to the text that the editor shows.
class Mover {
 public:
  using Lines = std::function<uint32_t(uint32_t line)>;

  // `lines`: where a line of the text that was linted is in the text that is shown; 0 for one that is gone.
  Mover(const DocumentId& document, Lines lines, const base::SourceFile& shown)
      : document_(document), lines_(std::move(lines)), shown_(shown) {}

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
  Lines lines_;
  const base::SourceFile& shown_;
};

base::Diagnostics moved(base::Diagnostics diagnostics, const Mover& mover) {
  base::Diagnostics kept;
  for (Diagnostic& found : diagnostics.take()) {
    if (mover.move(found)) kept.add(std::move(found));
  }
  return kept;
}

// What has changed in a file, by YAML documents.
class ChangedDocuments {
 public:
  // `objects`: of the file before.
  ChangedDocuments(const base::SourceFile& before, const base::SourceFile& now,
                   const std::vector<LintedObject>& objects)
      : now_(now), lines_(before, now) {
    base::Diagnostics ignored;
    std::unordered_map<std::string_view, std::vector<uint32_t>> known;  // by text: where they began
    for (const yaml::FoundDocument& document : yaml::find_documents(before, ignored)) {
      before_.push_back({document.first_line, 0});
      known[document.text].push_back(document.first_line);
    }
    for (const yaml::FoundDocument& document : yaml::find_documents(now, ignored)) {
      const auto same = known.find(document.text);
      (same != known.end() && !same->second.empty() ? same_ : changed_).push_back(document);
      if (same == known.end() || same->second.empty()) continue;
      part_before(same->second.back())->now = document.first_line;
      same->second.pop_back();
    }
    for (const LintedObject& object : objects) {
      const auto part = part_before(object.line);
      if (object.file == before.name() && (part == before_.end() || part->now == 0))
        add_object(object.object);
    }
  }

  // The file's text with nothing but line breaks in the place of what is the same.
  std::string text() const { return without_documents(now_.text(), same_); }

  // Where a line of the file before is now; 0 if it is gone.
  uint32_t line_now(uint32_t line) const {
    const auto part = part_before(line);
    const bool is_same = part != before_.end() && part->now != 0;
    return is_same ? line - part->before + part->now : lines_(line);
  }

  // Says that an object is in the documents that have changed.
  void add_object(std::string_view object) { objects_.emplace(object); }

  // Whether these documents alone decide about a finding in the file.
  bool decide(const Diagnostic& found) const {
    if (found.rule == "advice/unused-suppression" || found.rule == "input/duplicate-object") return false;
    return found.object.empty() ? contains(found.location.line) : objects_.contains(found.object);
  }

 private:
  struct Part {
    uint32_t before = 0;  // first lines of a document
    uint32_t now = 0;     // 0: it has changed
  };

  std::vector<Part>::iterator part_before(uint32_t line) {
    const auto after = std::ranges::upper_bound(before_, line, {}, &Part::before);
    return after == before_.begin() ? before_.end() : std::prev(after);
  }
  std::vector<Part>::const_iterator part_before(uint32_t line) const {
    const auto after = std::ranges::upper_bound(before_, line, {}, &Part::before);
    return after == before_.begin() ? before_.end() : std::prev(after);
  }

  bool contains(uint32_t line) const {
    const auto after = std::ranges::upper_bound(changed_, line, {}, &yaml::FoundDocument::first_line);
    if (after == changed_.begin()) return false;
    const yaml::FoundDocument& document = *std::prev(after);
    return line <= document.first_line + std::ranges::count(document.text, '\n');
  }

  const base::SourceFile& now_;
  LineMap lines_;
  std::vector<Part> before_;
  std::vector<yaml::FoundDocument> same_;
  std::vector<yaml::FoundDocument> changed_;
  std::set<std::string, std::less<>> objects_;
};

Options options_of_lint() {
  Options options;
  options.render = false;
  return options;
}

}  // namespace

std::shared_ptr<const WorkspaceFindings> Workspace::findings() {
  bring_up_to_date();
  if (findings_) return findings_;
  checked_ = std::make_shared<const lint::Findings>(lint::find(groups_, options_of_lint(), ""));
  edited_.clear();
  findings_ = as_shown(last_checked());
  return findings_;
}

std::shared_ptr<const WorkspaceFindings> Workspace::early_findings() {
  if (has_to_load_) return nullptr;
  bring_up_to_date();
  if (!checked_ || is_small()) return findings();
  if (findings_) return findings_;
  const auto findings = last_checked();
  for (const DocumentId& document : edited_) {
    if (group_of_.contains(document)) check_edited(document, *findings);
  }
  return as_shown(findings);
}

// Whether all of it is checked faster than a person types.
bool Workspace::is_small() const {
  constexpr size_t kSmall = size_t{128} * 1024;
  size_t size = 0;
  for (const auto& [document, sources] : sources_) size += sources.front()->text.size();
  return size <= kSmall;
}

std::shared_ptr<WorkspaceFindings> Workspace::last_checked() const {
  auto findings = std::make_shared<WorkspaceFindings>();
  findings->diagnostics = checked_->diagnostics;
  findings->objects = checked_->compiled.linted;
  findings->files = checked_->files;
  findings->memory.push_back(checked_);
  return findings;
}

// Replaces the findings on the YAML documents of the file that have changed since `checked_`.
void Workspace::check_edited(const DocumentId& document, WorkspaceFindings& findings) const {
  const std::string& text = sources_.at(document).front()->text;
  const auto now = std::make_shared<base::SourceFile>(document, text);
  static const base::SourceFile kNone("", "");
  const base::SourceFile* before = &kNone;
  for (const base::SourceFile* file : checked_->compiled.files) {
    if (base::absolute_path(file->name()) == document) before = file;
  }
  ChangedDocuments changed(*before, *now, checked_->compiled.linted);
  std::vector<lint::InputGroup> alone = group_with(document, changed.text());
  alone.front().runtimes = inputs_of(document).others;
  if (text.find("TrainingRuntime") != std::string::npos) alone.front().runtimes.push_back({document, text});
  auto linted = std::make_shared<lint::Findings>(lint::find(std::move(alone), options_of_lint(), ""));
  for (const LintedObject& object : linted->compiled.linted) changed.add_object(object.object);

  const Mover mover(
      document, [&](uint32_t line) { return changed.line_now(line); }, *now);
  findings.diagnostics = moved(std::move(findings.diagnostics), mover);
  findings.diagnostics.retain(
      [&](const Diagnostic& found) { return !mover.is_in(found.location) || !changed.decide(found); });
  for (const Diagnostic& found : linted->diagnostics.items()) {
    if (mover.is_in(found.location) && changed.decide(found)) findings.diagnostics.add(found);
  }
  findings.memory.push_back(now);
  findings.memory.push_back(std::move(linted));
}

// The document alone, with its settings.
std::vector<lint::InputGroup> Workspace::group_with(const DocumentId& document, std::string text) const {
  const lint::InputGroup& settings = settings_of(document);
  std::vector<lint::InputGroup> groups(1);
  lint::InputGroup& group = groups.front();
  group.config = settings.config;
  group.trainer_version = settings.trainer_version;
  group.use_catalogue = settings.use_catalogue;
  group.ns = settings.ns;
  group.inputs.push_back({document, std::move(text)});
  return groups;
}

// With the lines of the texts that the editor shows, and what can't be linted.
std::shared_ptr<const WorkspaceFindings> Workspace::as_shown(std::shared_ptr<WorkspaceFindings> findings) {
  for (const auto& [document, frozen] : frozen_) {
    const Mover mover(document, LineMap(*frozen.linted, *frozen.current->file), *frozen.current->file);
    findings->diagnostics = moved(std::move(findings->diagnostics), mover);
    findings->memory.push_back(frozen.current);
    add_syntax_errors(document, *findings);
  }
  if (!problem_.empty()) add_configuration_errors(*findings);
  findings->diagnostics.sort();
  return findings;
}

// What `lint` says about the syntax of the text that the editor shows.
void Workspace::add_syntax_errors(const DocumentId& document, WorkspaceFindings& findings) const {
  if (!group_of_.contains(document)) return;
  const ParsedText& shown = *look_up(document).current;
  std::vector<yaml::FoundDocument> readable;
  for (const ParsedText::Part& part : shown.parts) {
    if (part.is_readable) readable.push_back(part.document);
  }
  auto linted = std::make_shared<lint::Findings>(lint::find(
      group_with(document, without_documents(shown.file->text(), readable)), options_of_lint(), ""));
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
