// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops_builds.h"

#include <fmt/format.h>

#include <utility>

#include "base/files/paths.h"
#include "inputs/gitops/overlay.h"

namespace trainjobc::inputs {

using gitops::Content;
using gitops::Manifests;
using GitopsRoot = gitops::Root;

namespace {

const base::FileSystem& files_for(const GitopsRoot& root, const base::FileSystem& all) {
  return root.files ? *root.files : all;
}

}  // namespace

void GitopsBuilds::add_target(const GitopsRoot& root, const std::string& folder, const Manifests* replaced) {
  kustomize::Target target;
  target.folder = folder;
  target.reads_outside = root.tool == gitops::Tool::Flux;
  target.files = root.files;
  if (replaced) {
    target.replacement = gitops::replacement_of(files_for(root, repository_.files), root, *replaced, memory_);
    target.reads_outside = true;
    target.repository = repository_.folder;
    parts_[&root].push_back({folder, targets_.size()});
    targets_.push_back(std::move(target));
    return;
  }
  const std::string key =
      fmt::format("{}\n{}\n{}", folder, target.reads_outside, static_cast<const void*>(root.files.get()));
  const auto [known, is_new] = numbers_.try_emplace(key, targets_.size());
  parts_[&root].push_back({folder, known->second});
  if (is_new) targets_.push_back(std::move(target));
}

void GitopsBuilds::list(const GitopsRoot& root) {
  const bool is_replaced = gitops::needs_kustomize(root);
  const Manifests none;
  if (root.content == Content::Kustomization) {
    add_target(root, root.folder, is_replaced ? &none : nullptr);
    return;
  }
  const auto& listed =
      listed_.emplace(&root, gitops::list_manifests(files_for(root, repository_.files), root)).first->second;
  const auto* manifests = std::get_if<Manifests>(&listed);
  if (!manifests) return;
  if (is_replaced) return add_target(root, root.folder, manifests);
  for (const std::string& folder : manifests->kustomizations) add_folder(root, folder);
}

// A kustomization among the files of a root.
void GitopsBuilds::add_folder(const GitopsRoot& root, const std::string& folder) {
  const std::string path = kustomize::find_kustomization(repository_.files, folder);
  if (repository_.files.text_of(path).find("Component") != std::string::npos) {
    auto tree = kustomize::read_tree(repository_.files, folder);
    if (tree->root() && tree->root()->is_component) {
      components_[&root].push_back(std::move(tree));
      return;
    }
  }
  add_target(root, folder, nullptr);
}

void GitopsBuilds::build(std::span<const GitopsRoot* const> roots) {
  const std::chrono::seconds timeout = loader_.build_timeout();
  std::vector<const GitopsRoot*> charts;
  std::vector<helm::Release> releases;
  for (const GitopsRoot* root : roots) {
    if (!root->missing.empty()) continue;
    if (root->content != Content::Chart) {
      list(*root);
      continue;
    }
    charts.push_back(root);
    releases.push_back(root->release);
  }
  const std::vector<kustomize::Target> fresh(targets_.begin() + static_cast<std::ptrdiff_t>(built_.size()),
                                             targets_.end());
  for (kustomize::BuildResult& result :
       kustomize::build(loader_.files, loader_.programs, fresh, {loader_.request.allow_remote, timeout}))
    built_.push_back(std::move(result));
  auto rendered = helm::build(loader_.files, loader_.programs, releases, {timeout});
  for (size_t i = 0; i < charts.size(); ++i) charts_.emplace(charts[i], std::move(rendered[i]));
}

std::optional<RootFailure> GitopsBuilds::failure_of(const GitopsRoot& root) const {
  if (root.content == Content::Chart) {
    const auto* why = std::get_if<builder::BuildFailure>(&charts_.at(&root));
    return why ? std::optional(RootFailure{*why, root.folder}) : std::nullopt;
  }
  const auto parts = parts_.find(&root);
  if (parts == parts_.end()) return std::nullopt;
  for (const Part& part : parts->second) {
    if (const auto* why = std::get_if<builder::BuildFailure>(&built_[part.number]))
      return RootFailure{*why, part.folder};
  }
  return std::nullopt;
}

base::IoResult<RootRead> GitopsBuilds::read(const GitopsRoot& root) const {
  RootRead read;
  if (root.content == Content::Chart) {
    read.charts.push_back(std::get<helm::Built>(charts_.at(&root)));
    return read;
  }
  if (const auto parts = parts_.find(&root); parts != parts_.end()) {
    for (const Part& part : parts->second)
      read.built.push_back(std::get<kustomize::Built>(built_[part.number]));
  }
  if (const auto components = components_.find(&root); components != components_.end())
    read.components = components->second;
  const auto listed = listed_.find(&root);
  if (listed == listed_.end()) return read;
  const auto* manifests = std::get_if<Manifests>(&listed->second);
  if (!manifests) return std::get<base::IoError>(listed->second);
  if (gitops::needs_kustomize(root)) return read;
  for (const std::string& file : manifests->files) {
    std::string text;
    if (auto error = base::take(repository_.files.read(file), text)) return *error;
    read.sources.push_back({file, std::move(text), false});
  }
  return read;
}

}  // namespace trainjobc::inputs
