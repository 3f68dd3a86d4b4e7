// SPDX-License-Identifier: Apache-2.0

// Kustomizations of Flux.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/artifact.h"
#include "inputs/gitops/objects.h"
#include "inputs/gitops/own_source.h"
#include "inputs/gitops/roots.h"
#include "inputs/kustomize/kustomization.h"
#include "yaml/node.h"

namespace trainjobc::gitops {

using yaml::Node;

std::shared_ptr<const base::FileSystem> Repository::artifact(const std::string& ignore) const {
  auto& known = artifacts_[ignore];
  if (!known) known = std::make_shared<ArtifactFiles>(files, base::absolute_path(folder), ignore);
  return known;
}

Root root_of(const Manifest& object) {
  Root root;
  root.title = object.title();
  root.place = object.place();
  root.file = object.file;
  root.line = object.line;
  root.location = yaml::locate(*object.root);
  root.location.end_line = root.location.line;
  root.location.end_column = root.location.column;
  return root;
}

void add_values_file(const base::FileSystem& files, std::string_view written, std::string path, bool may_skip,
                     Root& root) {
  if (files.kind(path) == base::FileKind::File) {
    root.release.values.push_back(std::move(path));
  } else if (!may_skip) {
    root.missing = fmt::format("the repository has no values file {}", written);
  }
}

void find_content(const base::FileSystem& files, Root& root) {
  if (!files.is_directory(root.folder)) {
    root.missing = "the repository has no such folder";
  } else if (!kustomize::find_kustomization(files, root.folder).empty()) {
    root.content = Content::Kustomization;
  }
}

Root read_flux(const Repository& repository, const Manifest& object) {
  const Node& spec = *object.root->get("spec");
  Root root = root_of(object);
  root.spec = &spec;
  const Node* source = spec.get("sourceRef");
  SourcePath place =
      repository.source.path_in_source(yaml::string_at(spec, "path"), source, object.ns(), object.file);
  root.folder = path_in(repository.folder, place.path);
  root.missing = std::move(place.missing);
  if (root.missing.empty() && yaml::is_true_at(spec, "suspend")) root.missing = "it is suspended";
  if (!root.missing.empty()) return root;
  root.files = repository.artifact(repository.source.ignored_by(source, object.ns(), object.file));
  find_content(*root.files, root);
  const Node* strategy = spec.at({"postBuild", "substituteStrategy"});
  root.always_substitutes = strategy && strategy->text() == "Always";
  return root;
}

namespace {

std::string without_breaks(std::string_view text) {
  std::string line(text);
  std::erase(line, '\n');
  return line;
}

void add_variable(const yaml::Entry& entry, Root& root) {
  const std::string name(entry.key);
  if (!is_variable_name(name)) root.bad_variables.push_back(name);
  root.variables[name] = without_breaks(entry.value->is_scalar() ? entry.value->text() : "");
  root.definitions[name] = yaml::locate(*entry.value);
  root.unknown.erase(name);
}

void add_unknown(const yaml::Entry& entry, Root& root) {
  const std::string name(entry.key);
  root.unknown.insert(name);
  root.variables.erase(name);
  root.definitions.erase(name);
}

}  // namespace

std::vector<ObjectName> substitute_sources(const Root& root, const std::string& ns) {
  std::vector<ObjectName> names;
  if (!root.spec) return names;
  for (const Node* from : yaml::items_at(*root.spec, {"postBuild", "substituteFrom"})) {
    names.push_back(
        {std::string(yaml::string_at(*from, "kind")), ns, std::string(yaml::string_at(*from, "name"))});
  }
  return names;
}

void add_variables(Root& root, const std::vector<ObjectName>& names, const FindObject& find) {
  for (const ObjectName& name : names) {
    const Node* object = find(name);
    if (!object) {
      root.not_here.push_back(name.title());
      continue;
    }
    for (const std::string_view field : {"data", "stringData"}) {
      const Node* data = object->get(field);
      if (!data) continue;
      for (const yaml::Entry& entry : data->entries()) {
        if (name.kind == "ConfigMap")
          add_variable(entry, root);
        else
          add_unknown(entry, root);
      }
    }
  }
  const Node* own = root.spec ? root.spec->at({"postBuild", "substitute"}) : nullptr;
  if (!own) return;
  for (const yaml::Entry& entry : own->entries()) add_variable(entry, root);
}

}  // namespace trainjobc::gitops
