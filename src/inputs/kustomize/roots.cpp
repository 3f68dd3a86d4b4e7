// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "inputs/discover.h"
#include "inputs/kustomize/checks.h"
#include "inputs/repository.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::kustomize {
namespace {

using inputs::InputGroup;
using inputs::Root;

bool has_our_kinds(const Tree& tree) {
  return std::ranges::any_of(tree.resources(), [](const Resource& resource) {
    return resource.kind == model::kTrainJob || resource.kind == model::kTrainingRuntime ||
           resource.kind == model::kClusterTrainingRuntime;
  });
}

}  // namespace

std::vector<Root> Kustomizations::find(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    if (source.named || !is_kustomization(source.name)) continue;
    const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(source.name)));
    Found found{folder, read_tree(loader_.files, folder), loader_.configurations.of_file(source.name)};
    if (found.tree->root()) found_.push_back(std::move(found));
  }
  std::vector<Root> roots;
  for (const Found& found : found_) {
    if (!is_root(found)) continue;
    roots.push_back({.flag = std::string(flag()),
                     .folder = found.folder,
                     .config = found.config,
                     .is_required = found.config->kustomize.build == inputs::Building::Required});
  }
  return roots;
}

// What another one includes is built with it, and a component only there.
bool Kustomizations::is_root(const Found& found) const {
  const inputs::KustomizeSettings& settings = found.config->kustomize;
  if (settings.build == inputs::Building::Never || !has_our_kinds(*found.tree)) return false;
  if (!settings.roots.empty()) return settings.names(found.config->folder, found.folder);
  if (found.tree->root()->is_component) return false;
  const std::string place = base::absolute_path(found.folder);
  return std::ranges::none_of(
      found_, [&](const Found& other) { return &other != &found && other.tree->folders().contains(place); });
}

std::vector<std::string> Kustomizations::files_of(const Root& root, const std::vector<Source>&) const {
  const auto found = std::ranges::find(found_, root.folder, &Found::folder);
  if (found == found_.end()) return {};
  return {found->tree->files().begin(), found->tree->files().end()};
}

std::vector<inputs::BuiltGroup> Kustomizations::build(std::span<const Root> roots) {
  std::vector<std::string> folders;
  for (const Root& root : roots) folders.push_back(root.folder);
  std::vector<inputs::BuiltGroup> groups;
  const BuildOptions options{loader_.request.allow_remote, loader_.build_timeout()};
  for (BuildResult& result : kustomize::build(loader_.files, loader_.programs, folders, options)) {
    if (auto* built = std::get_if<Built>(&result))
      groups.emplace_back(group_of(std::move(*built), loader_.configurations));
    else
      groups.emplace_back(std::get<BuildFailure>(std::move(result)));
  }
  return groups;
}

InputGroup Kustomizations::failed(const Root& root, const BuildFailure& failure) {
  const auto tree = read_tree(loader_.files, root.folder);
  const auto file =
      std::make_shared<base::SourceFile>(base::normal_path(root.folder + "/kustomization.yaml"), "");
  base::Diagnostic found =
      rules::finding("yaml/root", inputs::in_one_line(failure.message), "", {file.get()});
  point_into(*tree, loader_.request.allow_remote, found);
  InputGroup group;
  group.config = loader_.configurations.of_file(found.location.file->name());
  group.scope = root.folder;
  group.memory = {tree, file};
  group.found.add(std::move(found));
  return group;
}

void Kustomizations::take_fragments(inputs::LeftOut& left_out, std::vector<std::string>& kept,
                                    std::vector<InputGroup>& groups) {
  for (const Found& found : found_) {
    InputGroup group;
    for (const std::string& file : found.tree->patch_files()) {
      kept.push_back(file);
      const bool is_new =
          left_out.try_emplace(file, fmt::format("is a patch of {}", found.tree->root()->path)).second;
      if (is_new) group.found.append(check_fields(found.tree->documents(file)));
    }
    if (group.found.empty()) continue;
    group.config = found.config;
    group.scope = inputs::scope_of(*found.config);
    group.memory.push_back(found.tree);
    groups.push_back(std::move(group));
  }
}

InputGroup group_of(Built built, inputs::Configurations& configurations) {
  InputGroup group;
  group.config = configurations.of_file(built.source.name);
  group.scope = built.folder;
  group.renamed = renamed_runtimes(*built.tree);
  group.found = check_images(*built.tree, built.source.text);
  group.memory.push_back(built.tree);
  for (const base::SourceFile* file : built.tree->sources())
    group.parts.push_back(
        {file->name(), (file->had_byte_order_mark() ? "\xEF\xBB\xBF" : "") + std::string(file->text())});
  group.inputs.push_back(std::move(built.source));
  return group;
}

void point_into(const Tree& tree, bool allow_remote, base::Diagnostic& found) {
  for (const base::SourceFile* file : tree.sources()) {
    if (tree.root() && file->name() == tree.root()->path) found.location = {file, 1, 1, 1, 1};
  }
  if (allow_remote || tree.obstacles().empty()) return;
  const Obstacle& first = tree.obstacles().front();
  found.location = first.location;
  found.message = first.message;
  if (first.is_fetched) found.hint = "--kustomize-remote allows that";
}

void find_shared_parts(const base::FileSystem& files, std::vector<InputGroup>& groups) {
  std::set<std::string> parts;
  for (const InputGroup& group : groups) {
    for (const Source& part : group.parts) parts.insert(base::absolute_path(part.name));
  }
  if (parts.empty()) return;
  std::set<std::string> shared;  // by the other kustomizations
  const std::string root = base::shortest_path(inputs::repository_or_working_directory(files));
  const auto found = inputs::discover(files, root, {});
  if (const auto* all = std::get_if<inputs::Discovery>(&found)) {
    for (const std::string& file : all->files) {
      if (!is_kustomization(file) || parts.contains(base::absolute_path(file))) continue;
      const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(file)));
      const auto tree = read_tree(files, folder);
      shared.insert(tree->files().begin(), tree->files().end());
    }
  }
  for (InputGroup& group : groups) {
    for (const Source& part : group.parts) {
      if (shared.contains(base::absolute_path(part.name))) group.shared_parts.push_back(part.name);
    }
  }
}

}  // namespace trainjobc::kustomize
