// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "base/files/paths.h"
#include "compile/versions.h"
#include "features/lsp/workspace.h"
#include "model/runtime.h"
#include "model/trainer_names.h"

namespace trainjobc::lsp {
namespace {

constexpr std::string_view kAnyRuntime = "TrainingRuntime";
constexpr std::string_view kAnyJob = "TrainJob";

bool mentions(const Source& source, std::string_view kind) {
  return source.text.find(kind) != std::string::npos;
}

const schema::VersionSchemas& version_or_newest(std::string_view version) {
  const schema::VersionSchemas* chosen = schema::find_version(version);
  return chosen ? *chosen : schema::all_versions().back();
}

}  // namespace

// The document with its current text parsed; without one if there is none.
Workspace::Document& Workspace::look_up(const DocumentId& document) const {
  Document& found = documents_[document];
  if (found.current) return found;
  const std::string* text = overlay_.buffer(document);
  const auto sources = sources_.find(document);
  if (!text && sources != sources_.end()) text = &sources->second.front()->text;
  if (!text) return found;
  const auto before = std::exchange(found.before, nullptr);
  found.current = parse_text(document, *text, before.get());
  if (found.current->is_readable) found.last_readable = found.current;
  return found;
}

std::vector<DocumentId> Workspace::documents() const {
  std::vector<DocumentId> names;
  for (const auto& [document, sources] : sources_) names.push_back(document);
  return names;
}

std::shared_ptr<const ParsedText> Workspace::current(const DocumentId& document) const {
  return look_up(document).current;
}

std::shared_ptr<const ParsedText> Workspace::last_readable(const DocumentId& document) const {
  return look_up(document).last_readable;
}

std::vector<WorkspaceObject> Workspace::objects(bool jobs) const {
  std::vector<WorkspaceObject> found;
  for (const auto& [document, sources] : sources_) {
    if (!mentions(*sources.front(), jobs ? kAnyJob : kAnyRuntime)) continue;
    const auto text = last_readable(document);
    if (!text) continue;
    for (const compile::InputObject& object : text->objects()) {
      if (object.is_runtime() != jobs) found.push_back({document, text, &object});
    }
  }
  return found;
}

std::vector<WorkspaceObject> Workspace::jobs() const {
  return objects(true);
}

std::vector<WorkspaceObject> Workspace::runtimes() const {
  return objects(false);
}

std::optional<WorkspaceObject> Workspace::find_runtime(std::string_view kind, std::string_view name,
                                                       std::string_view ns) const {
  model::RuntimeRef ref;
  ref.kind = kind.empty() ? model::kClusterTrainingRuntime : kind;
  ref.name.value = name;
  const model::ObjectId wanted = model::runtime_of(ref, ns);
  for (WorkspaceObject& runtime : runtimes()) {
    const model::ObjectId& id = runtime.object->id;
    if (id.kind == wanted.kind && id.name == wanted.name &&
        model::effective_namespace(id) == model::effective_namespace(wanted))
      return std::move(runtime);
  }
  return std::nullopt;
}

const lint::InputGroup& Workspace::settings_of(const DocumentId& document) const {
  const auto group = group_of_.find(document);
  return groups_[group != group_of_.end() ? group->second : 0];
}

Workspace::Inputs Workspace::inputs_of(const DocumentId& document) const {
  Inputs inputs;
  if (const auto text = last_readable(document)) {
    inputs.own.push_back({document, std::string(text->file->text())});
  }
  std::set<DocumentId> taken{document};
  const auto add = [&](const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      if (!mentions(source, kAnyRuntime)) continue;
      if (taken.insert(base::absolute_path(source.name)).second) inputs.others.push_back(source);
    }
  };
  const lint::InputGroup& group = settings_of(document);
  add(group.inputs);
  for (const lint::InputGroup& other : groups_) add(other.inputs);
  add(group.runtimes);
  return inputs;
}

Options Workspace::options_of(const DocumentId& document) const {
  Options options;
  options.policy = policy_;
  return lint::options_of(settings_of(document), std::move(options));
}

std::shared_ptr<const CompiledDocument> Workspace::compiled(const DocumentId& document) const {
  Document& known = look_up(document);
  if (known.compiled) return known.compiled;
  auto compiled = std::make_shared<CompiledDocument>();
  compiled->text = known.last_readable;
  Inputs inputs = inputs_of(document);
  compiled->compilation =
      compile_sources(std::move(inputs.own), std::move(inputs.others), options_of(document));
  compiled->schemas = &version_or_newest(compiled->compilation.trainer_version);
  known.compiled = std::move(compiled);
  return known.compiled;
}

const schema::VersionSchemas& Workspace::schemas_of(const DocumentId& document) const {
  return *compiled(document)->schemas;
}

}  // namespace trainjobc::lsp
