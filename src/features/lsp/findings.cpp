// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/explanations.h"
#include "features/lsp/workspace.h"
#include "inputs/config.h"
#include "inputs/kustomize/checks.h"
#include "inputs/kustomize/kustomization.h"
#include "rules/rules.h"

namespace trainjobc::lsp {

namespace {

constexpr size_t kBlock = 4096;  // that is compared at once

// The number of bytes at the beginning of both texts that are the same.
size_t same_at_begin(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t same = 0;
  while (same + kBlock <= size && a.substr(same, kBlock) == b.substr(same, kBlock)) same += kBlock;
  while (same < size && a[same] == b[same]) ++same;
  return same;
}

// The same at their end.
size_t same_at_end(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t same = 0;
  const auto block = [&](std::string_view text) { return text.substr(text.size() - same - kBlock, kBlock); };
  while (same + kBlock <= size && block(a) == block(b)) same += kBlock;
  while (same < size && a[a.size() - 1 - same] == b[b.size() - 1 - same]) ++same;
  return same;
}

// The number of whole lines at the beginning of both files that are the same bytes.
uint32_t lines_of_prefix(const base::SourceFile& a, const base::SourceFile& b) {
  return a.line_at(same_at_begin(a.text(), b.text())) - 1;
}

// The same at their end, without one that may begin in it.
uint32_t lines_of_suffix(const base::SourceFile& a, const base::SourceFile& b) {
  return a.line_count() - a.line_at(a.text().size() - same_at_end(a.text(), b.text()));
}

}  // namespace

// Lines may also differ in their ends.
LineMap::LineMap(const base::SourceFile& from, const base::SourceFile& to)
    : from_(from.line_count()), to_(to.line_count()) {
  const uint32_t shorter = std::min(from_, to_);
  first_ = std::min(shorter, lines_of_prefix(from, to));
  while (first_ < shorter && from.line(first_ + 1) == to.line(first_ + 1)) ++first_;
  last_ = std::min(shorter - first_, lines_of_suffix(from, to));
  while (last_ < shorter - first_ && from.line(from_ - last_) == to.line(to_ - last_)) ++last_;
}

uint32_t LineMap::operator()(uint32_t line) const {
  if (line <= first_) return line;
  return line > from_ - last_ && line <= from_ ? line - from_ + to_ : 0;
}

namespace {

using base::Diagnostic;

// Maps places in a text that was linted to places in the text that the editor shows.
class Relocation {
 public:
  using Lines = std::function<uint32_t(uint32_t line)>;

  // `lines` returns the line of the shown text for one of the linted text; 0 if it is gone.
  Relocation(const DocumentId& document, Lines lines, const base::SourceFile& shown)
      : document_(document), lines_(std::move(lines)), shown_(shown) {}

  bool is_in(const base::Location& at) const {
    return at.file && base::absolute_path(at.file->name()) == document_;
  }

  // False if the place is gone.
  bool apply(base::Location& at) const {
    if (!is_in(at)) return true;
    const uint32_t line = at.line == 0 ? 0 : lines_(at.line);
    if (at.line != 0 && line == 0) return false;
    at.end_line = std::max(line, at.end_line == 0 ? 0 : lines_(at.end_line));
    at.line = line;
    at.file = &shown_;
    return true;
  }

  // False if the finding is gone. Drops its fix, which was made for the linted text.
  bool apply(Diagnostic& found) const {
    if (!apply(found.location)) return false;
    for (base::Note& note : found.notes) {
      if (!apply(note.location)) note.location = {};
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

base::Diagnostics relocated(base::Diagnostics diagnostics, const Relocation& relocation) {
  base::Diagnostics kept;
  for (Diagnostic& found : diagnostics.take()) {
    if (relocation.apply(found)) kept.add(std::move(found));
  }
  return kept;
}

// The YAML documents of a file that have changed.
class ChangedDocuments {
 public:
  // `objects` are those of the old text.
  ChangedDocuments(const base::SourceFile& before, const base::SourceFile& now,
                   const std::vector<LintedObject>& objects)
      : now_(now), lines_(before, now) {
    base::Diagnostics ignored;
    const std::vector<yaml::FoundDocument> old_ones = yaml::find_documents(before, ignored);
    const std::vector<yaml::FoundDocument> new_ones = yaml::find_documents(now, ignored);
    for (const yaml::FoundDocument& document : old_ones) before_.push_back({document.first_line, 0});
    const auto is_same_text = [](const yaml::FoundDocument& a, const yaml::FoundDocument& b) {
      return a.text == b.text;
    };
    // Most documents before and after those that were edited are the same.
    const auto first = std::ranges::mismatch(old_ones, new_ones, is_same_text);
    const auto begin = static_cast<size_t>(first.in1 - old_ones.begin());
    const auto last = std::mismatch(old_ones.rbegin(), std::make_reverse_iterator(first.in1),
                                    new_ones.rbegin(), std::make_reverse_iterator(first.in2), is_same_text);
    const auto old_end = static_cast<size_t>(last.first.base() - old_ones.begin());
    const auto new_end = static_cast<size_t>(last.second.base() - new_ones.begin());
    std::unordered_map<std::string_view, std::vector<size_t>> known;  // indexes in `before_`, by text
    for (size_t i = begin; i < old_end; ++i) known[old_ones[i].text].push_back(i);
    for (size_t i = 0; i < new_ones.size(); ++i) {
      if (i < begin) {
        add_same(i, new_ones[i]);
      } else if (i >= new_end) {
        add_same(old_end + i - new_end, new_ones[i]);
      } else if (const auto same = known.find(new_ones[i].text);
                 same != known.end() && !same->second.empty()) {
        add_same(same->second.back(), new_ones[i]);
        same->second.pop_back();
      } else {
        changed_.push_back(new_ones[i]);
      }
    }
    for (const LintedObject& object : objects) {
      if (object.file == before.name() && !same_part(object.line)) add_object(object.object);
    }
  }

  // The file's new text with unchanged documents blanked, except for their line breaks.
  std::string text() const { return yaml::without_documents(now_.text(), same_); }

  // The new number of an old line; 0 if it is gone.
  uint32_t line_now(uint32_t line) const {
    const Part* part = same_part(line);
    return part ? line - part->before + part->now : lines_(line);
  }

  // Adds an object of the changed documents.
  void add_object(std::string_view object) { objects_.emplace(object); }

  // Whether linting only the changed documents decides about a finding in the file.
  bool decide(const Diagnostic& found) const {
    if (found.rule == "advice/unused-suppression" || found.rule == "input/duplicate-object") return false;
    return found.object.empty() ? contains(found.location.line) : objects_.contains(found.object);
  }

 private:
  struct Part {  // a document, by its first lines
    uint32_t before = 0;
    uint32_t now = 0;  // 0 if it has changed
  };

  // Adds a document that is the old one with that index.
  void add_same(size_t before, const yaml::FoundDocument& document) {
    before_[before].now = document.first_line;
    same_.push_back(document);
  }

  // The unchanged document that contained an old line; nullptr if it has changed.
  const Part* same_part(uint32_t line) const {
    const auto after = std::ranges::upper_bound(before_, line, {}, &Part::before);
    return after == before_.begin() || std::prev(after)->now == 0 ? nullptr : &*std::prev(after);
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

enum class Tag { Unnecessary = 1, Deprecated = 2 };

// The protocol's DiagnosticSeverity.
int severity_of(base::Severity severity) {
  switch (severity) {
    case base::Severity::Error: return 1;
    case base::Severity::Warning: return 2;
    case base::Severity::Info: return 3;
  }
  return 3;
}

// What editors show faded, or struck through.
Json tags_of(std::string_view rule) {
  if (rule == "advice/deprecated-runtime" || rule == "advice/dialect")
    return Json::array({static_cast<int>(Tag::Deprecated)});
  if (rule.ends_with("-no-effect") || rule == "advice/unused-suppression")
    return Json::array({static_cast<int>(Tag::Unnecessary)});
  return Json::array();
}

Range to_range(const lint::Region& region) {
  return {{region.line - 1, region.column - 1}, {region.end_line - 1, region.end_column - 1}};
}

// Whether the editor shows both places alike; their files may be two readings of one.
bool is_same_place(const base::Location& a, const base::Location& b) {
  const auto lines = [](const base::Location& at) {
    return std::tuple(at.line, at.column, at.end_line, at.end_column);
  };
  if (lines(a) != lines(b) || !a.file != !b.file) return false;
  const auto is_same_line = [&](uint32_t line) {
    return line == 0 || a.file->line(line) == b.file->line(line);
  };
  return !a.file || (a.file->name() == b.file->name() && is_same_line(a.line) &&
                     (a.end_line == a.line || is_same_line(a.end_line)));
}

bool is_same_note(const base::Note& a, const base::Note& b) {
  return a.message == b.message && is_same_place(a.location, b.location);
}

bool is_same_finding(const Diagnostic& a, const Diagnostic& b) {
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.rule, d.severity, d.message, d.hint, d.object, d.field);
  };
  return key(a) == key(b) && is_same_place(a.location, b.location) &&
         std::ranges::equal(a.notes, b.notes, is_same_note);
}

// The files that the group was made of.
std::vector<DocumentId> parts_of(const inputs::InputGroup& group) {
  std::vector<DocumentId> parts;
  for (const Source& part : group.parts) parts.push_back(base::absolute_path(part.name));
  for (const std::string& part : group.templates) parts.push_back(base::absolute_path(part));
  return parts;
}

}  // namespace

// Builds the roots that read a file which was saved; all of them if no root has read that file before.
void Workspace::build_roots() {
  if (!settings_.builds_roots || !problem_.empty()) return;
  if (!has_roots_) roots_.groups.clear();
  const auto saved = std::exchange(roots_.saved, {});
  if (has_roots_ && (roots_.has_to_build || !saved.empty())) {
    const bool is_known = std::ranges::includes(roots_.built, saved);
    if (roots_.has_to_build || !is_known) roots_.groups.clear();
    std::erase_if(roots_.groups, [&](const inputs::InputGroup& group) {
      return std::ranges::any_of(parts_of(group),
                                 [&](const DocumentId& part) { return saved.contains(part); });
    });
    inputs::Request request = request_for(folders_);
    request.found_roots = inputs::FoundRoots::Built;
    for (const inputs::InputGroup& known : roots_.groups) request.left_out.push_back(known.scope);
    const auto on_disk = as_saved();
    inputs::Loaded built = inputs::load(*on_disk, settings_.programs, request);
    for (inputs::InputGroup& group : built.groups) {
      if (!group.parts.empty() || !group.templates.empty()) roots_.groups.push_back(std::move(group));
    }
    root_problem_ = base::trimmed(text_of(built.messages));
    roots_.has_to_build = false;
  }
  index_roots();
}

void Workspace::index_roots() {
  const auto before = std::exchange(roots_.parts, {});
  roots_.built.clear();
  const auto add = [&](const DocumentId& document, std::string text) {
    const auto known = before.find(document);
    const bool is_same = known != before.end() && known->second->text() == text;
    roots_.parts[document] =
        is_same ? known->second : std::make_shared<const base::SourceFile>(document, std::move(text));
  };
  for (const Source& patch : roots_.patches) add(base::absolute_path(patch.name), patch.text);
  for (const inputs::InputGroup& group : roots_.groups) {
    for (const Source& part : group.parts) add(base::absolute_path(part.name), part.text);
    for (const std::string& part : group.templates) {
      auto text = disk_.read(part);
      if (auto* read = std::get_if<std::string>(&text)) add(base::absolute_path(part), std::move(*read));
    }
    for (DocumentId& part : parts_of(group)) roots_.built.insert(std::move(part));
  }
}

// Files of roots are linted as parts of the built objects, not on their own.
std::vector<inputs::InputGroup> Workspace::linted_groups() const {
  std::vector<inputs::InputGroup> groups = groups_;
  const auto is_built = [&](const std::string& name) {
    return roots_.built.contains(base::absolute_path(name));
  };
  for (inputs::InputGroup& group : groups) {
    std::erase_if(group.inputs, [&](const Source& source) { return is_built(source.name); });
    group.found.retain([&](const Diagnostic& found) {
      return !found.location.file || !is_built(found.location.file->name());
    });
  }
  std::ranges::copy(roots_.groups, std::back_inserter(groups));
  return groups;
}

std::shared_ptr<const WorkspaceFindings> Workspace::findings() {
  bring_up_to_date();
  if (findings_) return findings_;
  build_roots();
  linted_ = std::make_shared<const lint::Findings>(lint::find(linted_groups(), options_of_lint(), ""));
  edited_.clear();
  findings_ = as_shown(last_findings());
  return findings_;
}

std::shared_ptr<const WorkspaceFindings> Workspace::early_findings() {
  if (has_to_load_) return nullptr;
  bring_up_to_date();
  if (!linted_ || is_small()) return findings();
  if (findings_) return findings_;
  const auto findings = last_findings();
  for (const DocumentId& document : edited_) {
    if (group_of_.contains(document) && !roots_.parts.contains(document)) lint_edited(document, *findings);
  }
  return as_shown(findings);
}

// Whether the whole workspace can be checked faster than a person types.
bool Workspace::is_small() const {
  constexpr size_t kSmall = size_t{128} * 1024;
  size_t size = 0;
  for (const auto& [document, sources] : sources_) size += sources.front()->text.size();
  return size <= kSmall;
}

std::shared_ptr<WorkspaceFindings> Workspace::last_findings() const {
  auto findings = std::make_shared<WorkspaceFindings>();
  findings->diagnostics = linted_->diagnostics;
  findings->objects = linted_->compiled.linted;
  findings->files = linted_->files;
  findings->memory.push_back(linted_);
  return findings;
}

// Replaces the findings on the YAML documents of the file that have changed since `linted_` was made.
void Workspace::lint_edited(const DocumentId& document, WorkspaceFindings& findings) const {
  const std::string& text = sources_.at(document).front()->text;
  const auto now = std::make_shared<base::SourceFile>(document, text);
  static const base::SourceFile kNone("", "");
  const base::SourceFile* before = &kNone;
  for (const base::SourceFile* file : linted_->compiled.files) {
    if (base::absolute_path(file->name()) == document) before = file;
  }
  ChangedDocuments changed(*before, *now, linted_->compiled.linted);
  std::vector<inputs::InputGroup> alone = group_with(document, changed.text());
  alone.front().runtimes = inputs_of(document).others;
  if (text.find("TrainingRuntime") != std::string::npos) alone.front().runtimes.push_back({document, text});
  auto linted = std::make_shared<lint::Findings>(lint::find(std::move(alone), options_of_lint(), ""));
  for (const LintedObject& object : linted->compiled.linted) changed.add_object(object.object);

  const Relocation relocation(
      document, [&](uint32_t line) { return changed.line_now(line); }, *now);
  findings.diagnostics = relocated(std::move(findings.diagnostics), relocation);
  findings.diagnostics.retain(
      [&](const Diagnostic& found) { return !relocation.is_in(found.location) || !changed.decide(found); });
  for (const Diagnostic& found : linted->diagnostics.items()) {
    if (relocation.is_in(found.location) && changed.decide(found)) findings.diagnostics.add(found);
  }
  findings.memory.push_back(now);
  findings.memory.push_back(std::move(linted));
}

// A group with only this document, and its settings.
std::vector<inputs::InputGroup> Workspace::group_with(const DocumentId& document, std::string text) const {
  const inputs::InputGroup& settings = settings_of(document);
  std::vector<inputs::InputGroup> groups(1);
  inputs::InputGroup& group = groups.front();
  group.config = settings.config;
  group.trainer_version = settings.trainer_version;
  group.feature_gates = settings.feature_gates;
  group.kubernetes_version = settings.kubernetes_version;
  group.use_catalogue = settings.use_catalogue;
  group.ns = settings.ns;
  group.inputs.push_back({document, std::move(text)});
  return groups;
}

// Moves findings to the lines of the texts that the editor shows; adds errors in their syntax and in
// configurations.
std::shared_ptr<const WorkspaceFindings> Workspace::as_shown(std::shared_ptr<WorkspaceFindings> findings) {
  move_from_output(*findings);
  for (const auto& [document, part] : roots_.parts) move_to_buffer(document, *part, *findings);
  for (const auto& [document, frozen] : frozen_) {
    if (roots_.parts.contains(document)) continue;
    const Relocation relocation(document, LineMap(*frozen.linted, *frozen.current->file),
                                *frozen.current->file);
    findings->diagnostics = relocated(std::move(findings->diagnostics), relocation);
    findings->memory.push_back(frozen.current);
    add_syntax_errors(document, *findings);
  }
  if (!problem_.empty()) add_configuration_errors(*findings);
  findings->diagnostics.sort();
  return findings;
}

// For unsaved parts of a kustomization or chart: keeps findings whose lines are unchanged, and checks the
// fields of the rest, from which nothing was built.
void Workspace::move_to_buffer(const DocumentId& document, const base::SourceFile& part,
                               WorkspaceFindings& findings) const {
  const std::string* text = buffer(document);
  if (!text || *text == part.text()) return;
  const std::shared_ptr<const ParsedText> shown = look_up(document).current;
  const Relocation relocation(document, LineMap(part, *shown->file), *shown->file);
  findings.diagnostics = relocated(std::move(findings.diagnostics), relocation);
  findings.memory.push_back(shown);
  if (!is_manifest(document)) return;
  if (!shown->is_readable) return add_syntax_errors(document, findings);
  std::vector<const yaml::Node*> objects;
  for (const compile::InputObject& object : shown->objects()) objects.push_back(object.as_written());
  const LineMap before(*shown->file, part);
  for (Diagnostic& found : kustomize::check_fields(objects).take()) {
    if (before(found.location.line) == 0) findings.diagnostics.add(std::move(found));
  }
}

// Moves findings on what a generator or plugin has made to the file of the kustomization or chart.
void Workspace::move_from_output(WorkspaceFindings& findings) const {
  std::map<std::string_view, const base::SourceFile*> owners;
  for (const inputs::InputGroup& group : roots_.groups) {
    for (const DocumentId& part : parts_of(group)) {
      const std::string folder = base::parent_of(part);
      const bool is_owner = kustomize::is_kustomization(part) || part.ends_with("/Chart.yaml");
      if (!is_owner || folder != base::parent_of(base::absolute_path(group.inputs.front().name))) continue;
      if (const auto known = roots_.parts.find(part); known != roots_.parts.end())
        owners[group.inputs.front().name] = known->second.get();
    }
  }
  findings.diagnostics.retain([&](Diagnostic& found) {
    const auto owner = found.location.file ? owners.find(found.location.file->name()) : owners.end();
    if (owner != owners.end()) found.location = base::whole_line(*owner->second, 1);
    return true;
  });
  for (const auto& [document, part] : roots_.parts) findings.memory.push_back(part);
}

// Adds what `lint` reports about the syntax of the text that the editor shows.
void Workspace::add_syntax_errors(const DocumentId& document, WorkspaceFindings& findings) const {
  if (!group_of_.contains(document) && !roots_.parts.contains(document)) return;
  const ParsedText& shown = *look_up(document).current;
  std::vector<yaml::FoundDocument> readable;
  for (const ParsedText::Part& part : shown.parts) {
    if (part.is_readable) readable.push_back(part.document);
  }
  auto linted = std::make_shared<lint::Findings>(lint::find(
      group_with(document, yaml::without_documents(shown.file->text(), readable)), options_of_lint(), ""));
  for (const Diagnostic& found : linted->diagnostics.items()) {
    if (found.stage == base::Stage::Yaml) findings.diagnostics.add(found);
  }
  findings.memory.push_back(std::move(linted));
}

// Adds errors in the configurations of the folders and of the files.
void Workspace::add_configuration_errors(WorkspaceFindings& findings) {
  std::set<std::string> folders(folders_.begin(), folders_.end());
  for (const auto& [document, sources] : sources_) folders.insert(base::parent_of(document));
  for (const auto& [document, text] : buffers_) folders.insert(base::parent_of(document));
  std::set<std::string> seen;
  for (std::string folder : folders) {
    for (; !folder.empty() && seen.insert(folder).second; folder = base::parent_of(folder)) {
      const std::string path = (folder == "/" ? "" : folder) + "/" + inputs::kConfigName;
      auto problem = inputs::find_config_problem(*files_, path);
      if (!problem) continue;
      findings.diagnostics.append(std::move(problem->diagnostics));
      findings.memory.push_back(std::move(problem->file));
    }
  }
}

PublishedFindings::PublishedFindings(std::shared_ptr<const WorkspaceFindings> findings)
    : findings_(std::move(findings)), input_{.files = findings_->files, .objects = findings_->objects} {
  for (const Diagnostic& found : findings_->diagnostics.items()) {
    if (const auto place = places_.of(found))
      by_document_[base::absolute_path(place->path)].push_back(&found);
  }
}

std::vector<DocumentId> PublishedFindings::documents() const {
  std::vector<DocumentId> names;
  for (const auto& [document, found] : by_document_) names.push_back(document);
  return names;
}

const std::vector<const Diagnostic*>& PublishedFindings::of(const DocumentId& document) const {
  static const std::vector<const Diagnostic*> kNone;
  const auto found = by_document_.find(document);
  return found != by_document_.end() ? found->second : kNone;
}

bool PublishedFindings::is_same(const PublishedFindings& other, const DocumentId& document) const {
  return std::ranges::equal(of(document), other.of(document),
                            [](const Diagnostic* a, const Diagnostic* b) { return is_same_finding(*a, *b); });
}

std::vector<std::string> PublishedFindings::texts_of(const DocumentId& document,
                                                     const PublishedFindings* other,
                                                     std::vector<std::string> others_texts) const {
  const std::vector<const Diagnostic*>& own = of(document);
  std::vector<std::string> texts(own.size());
  const std::vector<const Diagnostic*>& known = other ? other->of(document) : of("");
  if (known.size() != others_texts.size()) others_texts.clear();
  const size_t most = std::min(own.size(), others_texts.size());
  size_t first = 0;
  for (; first < most && is_same_finding(*own[first], *known[first]); ++first)
    texts[first] = std::move(others_texts[first]);
  size_t last = 0;
  for (; last < most - first && is_same_finding(*own[own.size() - 1 - last], *known[known.size() - 1 - last]);
       ++last)
    texts[own.size() - 1 - last] = std::move(others_texts[others_texts.size() - 1 - last]);
  for (size_t i = first; i < own.size() - last; ++i) texts[i] = to_text(to_json(*own[i]));
  return texts;
}

Range PublishedFindings::range_of(const Diagnostic& found) const {
  const auto place = places_.of(found);
  return place ? to_range(place->region) : Range{};
}

Json PublishedFindings::to_json(const Diagnostic& found) const {
  Json json{{"range", range_of(found)},
            {"severity", severity_of(found.severity)},
            {"source", "trainjobc"},
            {"code", found.rule},
            {"codeDescription", {{"href", rules::page_of(found.rule)}}},
            {"message", lint::full_message(found)}};
  if (Json tags = tags_of(found.rule); !tags.empty()) json["tags"] = std::move(tags);
  Json related = Json::array();
  for (const base::Note& note : found.notes) {
    if (const auto place = places_.of(note.location)) {
      related.push_back({{"location", Location{base::absolute_path(place->path), to_range(place->region)}},
                         {"message", note.message}});
    } else {
      json["message"] = json["message"].get<std::string>() + "\nnote: " + note.message;
    }
  }
  if (!related.empty()) json["relatedInformation"] = std::move(related);
  if (const rules::Rule* rule = rules::find_rule(found.rule))
    json["data"] = {{"explanation", compile::explanation_of(*rule)}};
  return json;
}

}  // namespace trainjobc::lsp
