// SPDX-License-Identifier: Apache-2.0

#include "lint/changes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/input.h"
#include "lint/baseline.h"
#include "model/train_job.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;

// What makes two documents the same: scope, settings that apply, and text.
using Content = std::tuple<std::string, std::string, std::string_view>;
// {scope, object}
using Name = std::pair<std::string, std::string>;

struct Document {
  std::string scope;
  std::string settings;
  yaml::FoundDocument found;
  bool is_input = true;  // false: only its runtimes count

  Content content() const { return {scope, settings, base::trimmed(found.text)}; }
};

// The texts of a configuration and of those around it.
std::string settings_of(const inputs::Config* config) {
  std::string text;
  for (; config && config->file; config = config->outer.get())
    text += std::string(config->file->text()) + "\n";
  return text;
}

// The scopes that both states have. Those that only one state has may have been renamed: they count as one.
class SharedScopes {
 public:
  SharedScopes(const std::vector<inputs::InputGroup>& before, const std::vector<inputs::InputGroup>& after) {
    std::set<std::string> earlier;
    for (const inputs::InputGroup& group : before) earlier.insert(group.scope);
    for (const inputs::InputGroup& group : after) {
      if (earlier.contains(group.scope)) shared_.insert(group.scope);
    }
  }

  std::string of(const std::string& scope) const { return shared_.contains(scope) ? scope : ""; }

 private:
  std::set<std::string> shared_;
};

// The documents of one state of the inputs.
class Documents {
 public:
  Documents(const std::vector<inputs::InputGroup>& groups, const SharedScopes& scopes) {
    for (const inputs::InputGroup& group : groups) {
      const std::string settings = settings_of(group.config.get());
      const std::string scope = scopes.of(group.scope);
      for (const Source& source : group.inputs) add(source, scope, settings, true);
      for (const Source& source : group.runtimes) add(source, scope, settings, false);
    }
  }

  const std::vector<Document>& all() const { return all_; }

 private:
  void add(const Source& source, const std::string& scope, const std::string& settings, bool is_input) {
    const auto& file =
        files_.emplace_back(std::make_unique<const base::SourceFile>(source.name, source.text));
    base::Diagnostics ignored;
    std::vector<yaml::FoundDocument> found = yaml::find_documents(*file, ignored);
    if (found.empty()) found.push_back({file.get(), file->text()});
    for (const yaml::FoundDocument& document : found) all_.push_back({scope, settings, document, is_input});
  }

  std::vector<std::unique_ptr<const base::SourceFile>> files_;
  std::vector<Document> all_;
};

std::set<Content> contents_of(const Documents& documents) {
  std::set<Content> contents;
  for (const Document& document : documents.all()) contents.insert(document.content());
  return contents;
}

std::string runtime_name(std::string_view kind, std::string_view name) {
  return std::string(kind) + "/" + std::string(name);
}

// What changed: documents of the later state, the objects of either state in a changed document, and the
// TrainJobs that refer to a changed runtime.
class Changes {
 public:
  Changes(const Documents& before, const Documents& after) {
    add_changed(before, contents_of(after), false);
    add_changed(after, contents_of(before), true);
    if (runtimes_.empty()) return;
    for (const Document& document : after.all()) {
      if (document.is_input && document.found.text.find("runtimeRef") != std::string_view::npos)
        add_users(document);
    }
  }

  bool has(const std::string& scope, const std::string& object) const {
    return objects_.contains({scope, object});
  }

  // Whether the place is in a changed document.
  bool has(const base::Location& at) const {
    if (!at.file) return false;
    const auto file = places_.find(at.file->name());
    if (file == places_.end()) return false;
    return at.line == 0 || std::ranges::any_of(file->second, [&](const auto& lines) {
             return lines.first <= at.line && at.line <= lines.second;
           });
  }

  bool has_file(const std::string& name) const { return places_.contains(name); }

 private:
  void add_changed(const Documents& documents, const std::set<Content>& others, bool is_later) {
    for (const Document& document : documents.all()) {
      if (others.contains(document.content())) continue;
      if (is_later) add_place(document.found);
      compile::ObjectMemory memory;
      for (const compile::InputObject& object : read(document, memory)) {
        if (object.is_runtime())
          runtimes_.insert({document.scope, runtime_name(object.id.kind, object.id.name)});
        if (document.is_input) objects_.insert({document.scope, object.id.str()});
      }
    }
  }

  void add_users(const Document& document) {
    compile::ObjectMemory memory;
    for (const compile::InputObject& object : read(document, memory)) {
      if (object.kind != compile::InputKind::TrainJob) continue;
      const model::ObjectId runtime = model::runtime_of(*object.root, "");
      if (runtimes_.contains({document.scope, runtime_name(runtime.kind, runtime.name)}))
        objects_.insert({document.scope, object.id.str()});
    }
  }

  void add_place(const yaml::FoundDocument& found) {
    const auto lines = static_cast<uint32_t>(std::ranges::count(found.text, '\n'));
    places_[found.file->name()].emplace_back(found.first_line, found.first_line + lines);
  }

  static std::vector<compile::InputObject> read(const Document& document, compile::ObjectMemory& memory) {
    auto objects = compile::read_objects(document.found, {}, memory).objects;
    std::erase_if(objects, [](const compile::InputObject& object) { return !object.root; });
    return objects;
  }

  std::set<Name> objects_;
  std::set<Name> runtimes_;
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>> places_;  // first and last lines, by file
};

}  // namespace

Affected narrow_to_changes(Findings& findings, const std::vector<inputs::InputGroup>& groups,
                           const EarlierState& earlier) {
  const SharedScopes shared(earlier.groups, groups);
  const Documents before(earlier.groups, shared);
  const Documents after(groups, shared);
  const Changes changes(before, after);
  std::map<std::string, std::string> scopes;  // by file
  for (const inputs::InputGroup& group : groups) {
    for (const Source& source : group.inputs) scopes[source.name] = shared.of(group.scope);
  }
  const auto is_affected = [&](const std::string& file, const std::string& object) {
    const auto scope = scopes.find(file);
    if (scope != scopes.end()) return changes.has(scope->second, object);
    return std::ranges::any_of(
        groups, [&](const inputs::InputGroup& group) { return changes.has(shared.of(group.scope), object); });
  };
  std::set<Said> known;
  for (const Diagnostic& found : earlier.findings.diagnostics.items()) known.insert(said_by(found));
  findings.diagnostics.retain([&](const Diagnostic& found) {
    const std::string file = found.location.file ? found.location.file->name() : "";
    const auto is_changed = [&](const base::Note& note) { return changes.has(note.location); };
    return is_affected(file, found.object) || changes.has(found.location) ||
           std::ranges::any_of(found.notes, is_changed) || !known.contains(said_by(found));
  });
  Affected affected{.of = findings.compiled.linted.size()};
  std::erase_if(findings.compiled.linted,
                [&](const LintedObject& linted) { return !is_affected(linted.file, linted.object); });
  affected.objects = findings.compiled.linted.size();
  std::set<std::string> files;
  for (const LintedObject& linted : findings.compiled.linted) files.insert(linted.file);
  for (const Diagnostic& found : findings.diagnostics.items()) {
    if (found.location.file) files.insert(found.location.file->name());
  }
  std::erase_if(findings.files,
                [&](const std::string& file) { return !files.contains(file) && !changes.has_file(file); });
  return affected;
}

void leave_new(Findings& findings, const EarlierState& earlier) {
  const std::string here = base::working_directory();
  drop_known(findings.diagnostics, known_findings(earlier.findings.diagnostics, here), here);
}

}  // namespace trainjobc::lint
