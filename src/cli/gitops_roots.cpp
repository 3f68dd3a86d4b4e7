// SPDX-License-Identifier: Apache-2.0

// lint --roots: the roots that a repository's Flux and Argo CD objects name.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/files/paths.h"
#include "cli/roots.h"
#include "features/gitops/render.h"
#include "features/gitops/roots.h"
#include "features/helm/build.h"
#include "features/kustomize/build.h"
#include "lint/report/document.h"

namespace trainjobc::cli {
namespace {

using builder::BuildFailure;
using gitops::Content;
using gitops::Root;
using kustomize::Built;

// The folder that the paths of the objects are relative to.
std::string repository_root(Console& console) {
  const std::string here = base::working_directory();
  for (std::string folder = here; !folder.empty(); folder = base::parent_of(folder)) {
    if (console.files().exists(folder + "/.git")) return folder;
  }
  return here;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

// What a root is read as: the sources, and what was built for it.
struct Read {
  std::vector<Source> sources;
  std::vector<Built> built;
  std::vector<helm::Built> charts;
};

class GitopsRoots {
 public:
  GitopsRoots(Console& console, const RootFlags& flags, lint::Configurations& configurations, bool is_quiet)
      : console_(console), flags_(flags), configurations_(configurations), is_quiet_(is_quiet) {}

  std::optional<std::vector<lint::InputGroup>> take(Loaded& loaded) {
    const std::vector<Root> roots =
        gitops::find_roots(console_.files(), loaded.sources, repository_root(console_));
    if (roots.empty()) {
      fail(console_, "--roots: the inputs have no Kustomization of Flux and no Application of Argo CD");
      return std::nullopt;
    }
    list_folders(roots);
    build(roots);
    bool is_complete = true;
    for (const Root& root : roots) is_complete = add(root) && is_complete;
    if (!is_complete) return std::nullopt;
    return std::move(groups_);
  }

 private:
  void list_folders(const std::vector<Root>& roots) {
    for (const Root& root : roots) {
      if (!root.missing.empty()) continue;
      if (root.content == Content::Kustomization) folders_.push_back(root.folder);
      if (root.content != Content::Files) continue;
      auto listed = gitops::list_manifests(console_.files(), root);
      if (auto* manifests = std::get_if<gitops::Manifests>(&listed))
        std::ranges::copy(manifests->kustomizations, std::back_inserter(folders_));
    }
    std::ranges::sort(folders_);
    const auto repeated = std::ranges::unique(folders_);
    folders_.erase(repeated.begin(), repeated.end());
  }

  // Builds all kustomizations at once, and all charts.
  void build(const std::vector<Root>& roots) {
    auto results = kustomize::build(console_.files(), console_.processes(), folders_, {flags_.allow_remote});
    for (size_t i = 0; i < folders_.size(); ++i) built_.emplace(folders_[i], std::move(results[i]));
    std::vector<const Root*> charts;
    std::vector<helm::Release> releases;
    for (const Root& root : roots) {
      if (root.content != Content::Chart || !root.missing.empty()) continue;
      charts.push_back(&root);
      releases.push_back(root.release);
    }
    auto rendered = helm::build(console_.files(), console_.processes(), releases, is_inside, {});
    for (size_t i = 0; i < charts.size(); ++i) charts_.emplace(charts[i], std::move(rendered[i]));
  }

  // False, after an error, if the root can't be read.
  bool add(const Root& root) {
    const std::string title = fmt::format("{} ({})", root.title, root.place);
    if (!root.missing.empty()) {
      say(fmt::format("{}: {} is not checked: {}", title, root.folder, root.missing));
      return true;
    }
    auto read = read_root(root);
    if (!read) return false;
    const std::string what = root.content == Content::Kustomization ? "a kustomization"
                             : root.content == Content::Chart       ? "a chart"
                                                              : report::counted(read->sources.size(), "file");
    say(fmt::format("{}: {}, {}", title, root.folder, what));
    explain(root, title);
    add_groups(root, std::move(*read));
    return true;
  }

  void explain(const Root& root, const std::string& title) {
    if (!root.ignored.empty())
      say(fmt::format("{}: {} {} not applied", title, list_of(root.ignored),
                      root.ignored.size() == 1 ? "is" : "are"));
    if (!root.not_here.empty())
      say(fmt::format("{}: no file has {}: what may be set there is not checked", title,
                      list_of(root.not_here)));
    if (!root.bad_variables.empty())
      say(fmt::format("{}: Flux refuses the names of variables {}", title, list_of(root.bad_variables)));
  }

  void say(const std::string& text) {
    if (!is_quiet_) note(console_, text);
  }

  std::optional<Read> read_root(const Root& root) {
    Read read;
    if (root.content != Content::Files) {
      const bool is_built =
          root.content == Content::Chart ? take_chart(root, read) : take_built(root.folder, read);
      return is_built ? std::optional(std::move(read)) : std::nullopt;
    }
    auto listed = gitops::list_manifests(console_.files(), root);
    if (const auto* error = std::get_if<base::IoError>(&listed)) {
      fail(console_, error->message);
      return std::nullopt;
    }
    const auto& manifests = std::get<gitops::Manifests>(listed);
    for (const std::string& folder : manifests.kustomizations) {
      if (!take_built(folder, read)) return std::nullopt;
    }
    for (const std::string& file : manifests.files) {
      auto text = console_.files().read(file);
      if (const auto* error = std::get_if<base::IoError>(&text)) {
        fail(console_, error->message);
        return std::nullopt;
      }
      read.sources.push_back({file, std::move(std::get<std::string>(text)), false});
    }
    return read;
  }

  bool take_built(const std::string& folder, Read& read) {
    const kustomize::BuildResult& result = built_.at(folder);
    if (const auto* failure = std::get_if<BuildFailure>(&result)) {
      if (failed_.insert(folder).second) fail(console_, failure->message);
      return false;
    }
    read.built.push_back(std::get<Built>(result));
    return true;
  }

  bool take_chart(const Root& root, Read& read) {
    helm::BuildResult& result = charts_.at(&root);
    if (const auto* failure = std::get_if<BuildFailure>(&result)) {
      fail(console_, fmt::format("{} ({}): {}", root.title, root.place, failure->message));
      return false;
    }
    read.charts.push_back(std::move(std::get<helm::Built>(result)));
    return true;
  }

  void add_groups(const Root& root, Read read) {
    if (root.has_variables()) {
      add_rendered(root, std::move(read));
      return;
    }
    for (Built& built : read.built) add_group(root, group_of(std::move(built), configurations_));
    for (helm::Built& built : read.charts) add_group(root, group_of(std::move(built), configurations_));
    if (read.sources.empty()) return;
    for (lint::InputGroup& group : lint::group_by_configuration(std::move(read.sources), configurations_))
      add_group(root, std::move(group));
  }

  void add_group(const Root& root, lint::InputGroup group) {
    group.scope = root.cluster;
    group.ns = root.ns;
    groups_.push_back(std::move(group));
  }

  // All manifests of the root, with its variables, as one source.
  void add_rendered(const Root& root, Read read) {
    std::vector<Source> sources = std::move(read.sources);
    lint::InputGroup group;
    for (Built& built : read.built) {
      lint::InputGroup own = group_of(std::move(built), configurations_);
      std::ranges::move(own.inputs, std::back_inserter(sources));
      group.found.append(std::move(own.found));
      std::ranges::move(own.memory, std::back_inserter(group.memory));
      group.renamed.merge(own.renamed);
      std::ranges::move(own.parts, std::back_inserter(group.parts));
    }
    for (const Source& source : sources) {
      if (!source.relocator) group.parts.push_back(source);
    }
    gitops::Rendered rendered = gitops::render(root, sources, kustomize::built_name(root.folder));
    group.config = configurations_.of_file(rendered.source.name);
    group.found.append(std::move(rendered.found));
    group.undecided = std::move(rendered.undecided);
    group.memory.push_back(std::move(rendered.memory));
    group.is_rendered = true;
    group.inputs = std::move(rendered.unread);
    group.inputs.push_back(std::move(rendered.source));
    add_group(root, std::move(group));
  }

  Console& console_;
  const RootFlags& flags_;
  lint::Configurations& configurations_;
  bool is_quiet_;
  std::vector<std::string> folders_;  // of kustomizations
  std::map<std::string, kustomize::BuildResult> built_;
  std::map<const Root*, helm::BuildResult> charts_;
  std::set<std::string> failed_;
  std::vector<lint::InputGroup> groups_;
};

}  // namespace

std::optional<std::vector<lint::InputGroup>> take_gitops_roots(Console& console, Loaded& loaded,
                                                               const RootFlags& flags,
                                                               lint::Configurations& configurations) {
  auto groups = GitopsRoots(console, flags, configurations, flags.is_quiet).take(loaded);
  loaded.sources.clear();
  return groups;
}

}  // namespace trainjobc::cli
