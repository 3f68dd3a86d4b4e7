// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/overlay.h"
#include "inputs/helm/roots.h"
#include "inputs/kustomize/roots.h"
#include "rules/rules.h"

namespace trainjobc::inputs {

using gitops::Content;
using GitopsRoot = gitops::Root;

namespace {

std::string named(const GitopsRoot& root) {
  return fmt::format("{} of {}", root.title, root.cluster);
}

std::string content_of(const GitopsRoot& root, const RootRead& read) {
  if (root.content == Content::Kustomization) return "a kustomization";
  if (root.content == Content::Chart) return "a chart";
  const auto count_built = [](const kustomize::Built& built) { return built.tree->files().size(); };
  size_t count = read.sources.size();
  if (gitops::needs_kustomize(root)) {
    for (const kustomize::Built& built : read.built) count += count_built(built);
  }
  return base::counted(count, "file");
}

std::vector<std::string> notes_on(const GitopsRoot& root) {
  std::vector<std::string> notes;
  if (!root.without.empty())
    notes.push_back(fmt::format("the values of {} are not known: it is checked without them",
                                base::word_list(root.without)));
  if (!root.ignored.empty())
    notes.push_back(fmt::format("{} {} not applied", base::word_list(root.ignored),
                                root.ignored.size() == 1 ? "is" : "are"));
  if (!root.not_here.empty())
    notes.push_back(
        fmt::format("no file has {}: what only it may set is not checked", base::word_list(root.not_here)));
  if (!root.bad_variables.empty())
    notes.push_back(
        fmt::format("Flux refuses the names of variables {}", base::word_list(root.bad_variables)));
  base::append(notes, root.remarks);
  return notes;
}

}  // namespace

RootResult GitopsGroups::of(const GitopsRoot& root, RootRead read) const {
  RootResult result;
  result.notes.push_back(fmt::format("{}, {}", root.folder, content_of(root, read)));
  base::append(result.notes, notes_on(root));
  for (const kustomize::Built& built : read.built)
    result.files.insert(result.files.end(), built.tree->files().begin(), built.tree->files().end());
  for (const Source& source : read.sources) result.files.push_back(base::absolute_path(source.name));
  add_refused(root, read, result);
  const bool is_different =
      root.tool == gitops::Tool::Flux && std::ranges::any_of(read.sources, gitops::is_read_differently);
  if (gitops::is_changed(root) || is_different)
    add_rendered(root, std::move(read), result);
  else
    add_read(root, std::move(read), result);
  return result;
}

RootResult GitopsGroups::of(const GitopsRoot& root, const RootFailure& failure) const {
  RootResult result;
  if (!root.without.empty()) {
    result.notes.push_back(fmt::format("{} is not checked without the values of {}, which are not known: {}",
                                       root.folder, base::word_list(root.without), failure.why.message));
    return result;
  }
  InputGroup group;
  base::Diagnostic found = rules::finding("yaml/root", in_one_line(failure.why.message), "", root.location);
  if (root.content != Content::Chart) {
    const auto tree = kustomize::read_tree(loader_.files, failure.folder);
    result.files.assign(tree->files().begin(), tree->files().end());
    group.memory.push_back(tree);
    kustomize::point_into(*tree, loader_.request.allow_remote, found);
    if (found.location.file != root.location.file)
      found.notes.push_back({named(root) + " applies it", root.location});
  }
  group.config = loader_.configurations.of_file(found.location.file->name());
  group.found.add(std::move(found));
  add(root, std::move(group), result);
  return result;
}

void GitopsGroups::add(const GitopsRoot& root, InputGroup group, RootResult& result) const {
  group.scope = root.cluster;
  group.ns = root.ns;
  group.memory.push_back(memory_);
  result.groups.push_back(std::move(group));
}

// Adds a finding for each document that keeps Flux from applying the folder.
void GitopsGroups::add_refused(const GitopsRoot& root, const RootRead& read, RootResult& result) const {
  if (root.tool != gitops::Tool::Flux || root.content != Content::Files) return;
  InputGroup group;
  const auto refuse = [&](const base::Location& at, std::string_view why, std::string hint) {
    base::Diagnostic found = rules::finding(
        "yaml/root", fmt::format("{}: Flux applies nothing of {}", why, root.folder), std::move(hint), at);
    found.notes.push_back({named(root) + " applies the folder", root.location});
    group.found.add(std::move(found));
  };
  for (const auto& component : read.components) {
    const yaml::Node* kind = component->root()->root->get("kind");
    refuse(yaml::locate(kind ? *kind : *component->root()->root), "a Component can't be a resource",
           "move it out of the folder, and name it under spec.components");
    group.memory.push_back(component);
  }
  for (const Source& source : read.sources) {
    auto refused = gitops::find_refused(source);
    for (const gitops::Refused& one : refused.found)
      refuse(one.at, one.why, "move the file out of the folder, or name it in .sourceignore");
    if (!refused.found.empty()) group.memory.push_back(refused.memory);
  }
  if (group.found.empty()) return;
  group.config = loader_.configurations.of_file(group.found.items().front().location.file->name());
  add(root, std::move(group), result);
}

void GitopsGroups::add_read(const GitopsRoot& root, RootRead read, RootResult& result) const {
  for (kustomize::Built& built : read.built) {
    add(root, group_of(std::move(built), loader_.configurations), result);
  }
  for (helm::Built& built : read.charts) {
    auto undecided = helm::undecided_lines(built.release, *built.chart, root.unknown_values);
    InputGroup group = group_of(std::move(built), loader_.configurations);
    group.undecided = std::move(undecided);
    if (!root.release.inline_values.empty()) note_values(root, group);
    add(root, std::move(group), result);
  }
  if (read.sources.empty()) return;
  for (InputGroup& group : group_by_configuration(std::move(read.sources), loader_.configurations))
    add(root, std::move(group), result);
}

// Notes where values are set that are in no values file.
void GitopsGroups::note_values(const GitopsRoot& root, InputGroup& group) const {
  group.annotate = [inner = std::move(group.annotate), at = root.location,
                    title = root.title](base::Diagnostic& found) {
    const size_t notes = found.notes.size();
    inner(found);
    if (found.notes.size() == notes) found.notes.push_back({"made with the values of " + title, at});
  };
}

// Adds all manifests of the root as one source, as Flux applies them.
void GitopsGroups::add_rendered(const GitopsRoot& root, RootRead read, RootResult& result) const {
  std::vector<Source> sources = std::move(read.sources);
  InputGroup group;
  std::vector<std::function<void(base::Diagnostic&)>> explain;
  for (kustomize::Built& built : read.built) {
    InputGroup own = group_of(std::move(built), loader_.configurations);
    std::ranges::move(own.inputs, std::back_inserter(sources));
    group.found.append(std::move(own.found));
    std::ranges::move(own.memory, std::back_inserter(group.memory));
    group.renamed.merge(own.renamed);
    std::ranges::move(own.parts, std::back_inserter(group.parts));
    explain.push_back(std::move(own.annotate));
  }
  for (const Source& source : sources) {
    if (!source.relocator) group.parts.push_back(source);
  }
  gitops::Rendered rendered = gitops::render(root, sources, kustomize::built_name(root.folder));
  group.config = loader_.configurations.of_file(rendered.source.name);
  group.found.append(std::move(rendered.found));
  group.undecided = std::move(rendered.undecided);
  explain.push_back(std::move(rendered.annotate));
  group.annotate = [explain = std::move(explain)](base::Diagnostic& found) {
    for (const auto& one : explain) one(found);
  };
  group.memory.push_back(std::move(rendered.memory));
  group.is_rendered = root.has_variables();
  group.inputs = std::move(rendered.unread);
  group.inputs.push_back(std::move(rendered.source));
  add(root, std::move(group), result);
}

}  // namespace trainjobc::inputs
