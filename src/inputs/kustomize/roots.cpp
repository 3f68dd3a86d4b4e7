// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
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

// The folder in which kustomizations that include files of the absolute folder are looked for: the
// repository; outside of repositories, the one around the outermost kustomization. "" if there is none:
// kustomize includes files of its own folder and of those below it only.
std::string top_for(const base::FileSystem& files, const std::string& of) {
  const std::string repository = inputs::repository_of(files, of);
  std::string outermost;
  for (std::string folder = of; !folder.empty(); folder = base::parent_of(folder)) {
    if (!find_kustomization(files, base::shortest_path(folder)).empty()) outermost = folder;
    if (folder == repository) break;
  }
  if (outermost.empty()) return "";
  if (!repository.empty()) return repository;
  const std::string around = base::parent_of(outermost);
  return around.empty() || around == "/" ? outermost : around;
}

}  // namespace

std::vector<Root> Kustomizations::find(const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    if (!source.named && is_kustomization(source.name)) add(source.name, nullptr);
  }
  if (loader_.request.found_roots != inputs::FoundRoots::Named) find_including(sources);
  std::vector<Root> roots;
  for (const Found& found : found_) {
    if (!found.is_wanted() || !is_root(found)) continue;
    roots.push_back({.flag = std::string(flag()),
                     .folder = found.folder,
                     .config = found.config,
                     .is_required = found.config->kustomize.build == inputs::Building::Required});
  }
  return roots;
}

// `named`: nullptr if a directory has the file.
void Kustomizations::add(const std::string& file, const std::set<std::string>* named) {
  const std::string folder = base::shortest_path(base::parent_of(base::absolute_path(file)));
  if (base::contains(found_, folder, &Found::folder)) return;
  Found found{folder, read_tree(loader_.files, folder), loader_.configurations.of_file(file)};
  if (!found.tree->root()) return;
  const auto is_around = [&](const std::string& directory) {
    return !base::path_below(base::absolute_path(file), base::absolute_path(directory)).empty();
  };
  found.is_whole = !named || std::ranges::any_of(loader_.loaded.directories, is_around);
  if (!found.is_whole) {
    std::ranges::set_intersection(found.tree->files(), *named, std::inserter(found.named, found.named.end()));
  }
  found_.push_back(std::move(found));
}

// The files of directories that belong to a kustomization among them. A component needs another one.
std::set<std::string> Kustomizations::placed_files() const {
  std::set<std::string> placed;
  for (const Found& found : found_) {
    if (!found.tree->root()->is_component) placed.merge(std::set(found.tree->files()));
  }
  return placed;
}

// Adds all kustomizations of the repositories in which one may include a file that a path names, or one of a
// directory whose own kustomizations don't.
void Kustomizations::find_including(const std::vector<Source>& sources) {
  std::set<std::string> wanted;
  std::set<std::string> folders;
  const std::set<std::string> placed = placed_files();
  for (const Source& source : sources) {
    const std::string file = base::absolute_path(source.name);
    if (source.named && inputs::is_manifest(file)) folders.insert(base::parent_of(file));
    if (source.named || !placed.contains(file)) wanted.insert(file);
  }
  std::set<std::string> directories;
  for (const std::string& directory : loader_.loaded.directories)
    directories.insert(base::absolute_path(directory));
  folders.insert(directories.begin(), directories.end());
  for (const Found& found : found_) {
    if (!placed.contains(base::absolute_path(found.tree->root()->path)))
      folders.insert(base::absolute_path(found.folder));
  }
  std::set<std::string> tops;
  for (const std::string& folder : folders) {
    const std::string top = top_for(loader_.files, folder);
    const bool was_read = std::ranges::any_of(directories, [&](const std::string& directory) {
      return top == directory || !base::path_below(top, directory).empty();
    });
    if (!top.empty() && !was_read) tops.insert(top);
  }
  for (const std::string& top : tops) {
    const auto all = inputs::discover(loader_.files, base::shortest_path(top),
                                      {.configurations = &loader_.configurations});
    const auto* discovery = std::get_if<inputs::Discovery>(&all);
    if (!discovery) continue;
    for (const std::string& file : discovery->files) {
      if (is_kustomization(file)) add(file, &wanted);
    }
  }
}

// What another one includes is built with it, and a component only there.
bool Kustomizations::is_root(const Found& found) const {
  const inputs::KustomizeSettings& settings = found.config->kustomize;
  if (settings.build == inputs::Building::Never) return false;
  // A named root is built even if its own files contain no object: charts make objects, too.
  if (!settings.roots.empty()) return settings.names(found.config->folder, found.folder);
  if (found.tree->root()->is_component || !has_our_kinds(*found.tree)) return false;
  const std::string place = base::absolute_path(found.folder);
  return std::ranges::none_of(found_, [&](const Found& other) {
    return &other != &found && (other.is_whole || !found.is_whole) && other.tree->folders().contains(place);
  });
}

std::vector<std::string> Kustomizations::files_of(const Root& root, const std::vector<Source>&) const {
  const auto found = std::ranges::find(found_, root.folder, &Found::folder);
  if (found == found_.end()) return {};
  return {found->tree->files().begin(), found->tree->files().end()};
}

std::vector<inputs::BuiltGroup> Kustomizations::build(std::span<const Root> roots) {
  std::vector<Target> targets;
  for (const Root& root : roots) {
    const auto config =
        root.config ? root.config : loader_.configurations.of_file(root.folder + "/kustomization.yaml");
    targets.push_back({.folder = root.folder, .may_run_helm = config->helm.build != inputs::Building::Never});
  }
  std::vector<inputs::BuiltGroup> groups;
  const BuildOptions options{loader_.request.allow_remote, loader_.build_timeout()};
  for (BuildResult& result : kustomize::build(loader_.files, loader_.programs, targets, options)) {
    auto* built = std::get_if<Built>(&result);
    if (!built) {
      groups.emplace_back(std::get<BuildFailure>(std::move(result)));
      continue;
    }
    const auto found = std::ranges::find(found_, built->folder, &Found::folder);
    InputGroup group = group_of(std::move(*built), loader_.configurations);
    if (found != found_.end()) group.reported = found->named;
    groups.emplace_back(std::move(group));
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
      if (!found.is_whole && !found.named.contains(file)) continue;
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
  group.found = check_built(*built.tree, built.source.text);
  group.memory.push_back(built.tree);
  group.annotate = [tree = built.tree](base::Diagnostic& found) { explain_replaced_list(*tree, found); };
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
