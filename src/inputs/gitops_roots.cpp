// SPDX-License-Identifier: Apache-2.0

// The roots that a repository's Flux and Argo CD objects name.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/roots.h"
#include "inputs/helm/roots.h"
#include "inputs/kustomize/roots.h"
#include "inputs/repository.h"
#include "inputs/roots.h"
#include "rules/rules.h"

namespace trainjobc::inputs {
namespace {

using builder::BuildFailure;
using gitops::Content;
using DeployedRoot = gitops::Root;
using kustomize::Built;

// What a root is read as: the sources, and what was built for it.
struct Read {
  std::vector<Source> sources;
  std::vector<Built> built;
  std::vector<helm::Built> charts;
};

class GitopsRoots {
 public:
  explicit GitopsRoots(RootLoader& loader)
      : loader_(loader), files_(loader.files), configurations_(loader.configurations) {}

  std::vector<InputGroup> load(const std::vector<Source>& sources) {
    // To which paths of the objects are relative.
    const std::string repository = repository_or_working_directory(files_);
    std::vector<DeployedRoot> roots = gitops::find_roots(files_, sources, repository);
    if (roots.empty()) {
      loader_.loaded.fail("--roots: the inputs have no Kustomization, no HelmRelease and no Application");
      return {};
    }
    const auto releases = std::ranges::stable_partition(
        roots, [](const DeployedRoot& root) { return !root.is_helm_release(); });
    std::vector<DeployedRoot> alone(std::make_move_iterator(releases.begin()),
                                    std::make_move_iterator(releases.end()));
    roots.erase(releases.begin(), roots.end());
    if (!add_all(roots)) return {};
    // What a Kustomization applies is read as it applies it.
    std::erase_if(
        alone, [&](const DeployedRoot& root) { return deployed_.contains(base::absolute_path(root.file)); });
    for (const auto& [cluster, applied] : applied_) {
      for (DeployedRoot& root : gitops::find_releases(files_, applied, repository, cluster))
        alone.push_back(std::move(root));
    }
    if (!add_all(alone)) return {};
    return std::move(groups_);
  }

 private:
  // False, after an error, if one can't be read.
  bool add_all(const std::vector<DeployedRoot>& roots) {
    list_folders(roots);
    build(roots);
    bool is_complete = true;
    for (const DeployedRoot& root : roots) is_complete = add(root) && is_complete;
    return is_complete;
  }

  void list_folders(const std::vector<DeployedRoot>& roots) {
    for (const DeployedRoot& root : roots) {
      if (!root.missing.empty()) continue;
      if (root.content == Content::Kustomization) folders_.push_back(root.folder);
      if (root.content != Content::Files) continue;
      const auto& listed = listed_.emplace(&root, gitops::list_manifests(files_, root)).first->second;
      if (const auto* manifests = std::get_if<gitops::Manifests>(&listed))
        std::ranges::copy(manifests->kustomizations, std::back_inserter(folders_));
    }
    std::erase_if(folders_, [&](const std::string& folder) { return built_.contains(folder); });
    std::ranges::sort(folders_);
    const auto repeated = std::ranges::unique(folders_);
    folders_.erase(repeated.begin(), repeated.end());
  }

  // Builds all kustomizations at once, and all charts.
  void build(const std::vector<DeployedRoot>& roots) {
    const std::chrono::seconds timeout = loader_.build_timeout();
    auto results =
        kustomize::build(files_, loader_.programs, folders_, {loader_.request.allow_remote, timeout});
    for (size_t i = 0; i < folders_.size(); ++i) built_.emplace(folders_[i], std::move(results[i]));
    std::vector<const DeployedRoot*> charts;
    std::vector<helm::Release> releases;
    for (const DeployedRoot& root : roots) {
      if (root.content != Content::Chart || !root.missing.empty()) continue;
      charts.push_back(&root);
      releases.push_back(root.release);
    }
    auto rendered = helm::build(files_, loader_.programs, releases, {timeout});
    for (size_t i = 0; i < charts.size(); ++i) charts_.emplace(charts[i], std::move(rendered[i]));
  }

  // False, after an error, if the root can't be read.
  bool add(const DeployedRoot& root) {
    const bool is_of_one = applied_.size() < 2 || !root.is_helm_release();
    const std::string title =
        fmt::format("{} ({}){}", root.title, root.place, is_of_one ? "" : " of " + root.cluster);
    if (!root.missing.empty()) {
      say(fmt::format("{}: {} is not checked: {}", title, root.folder, root.missing));
      return true;
    }
    if (const auto failure = failure_of(root)) {
      if (!failure->why.has_no_program) {
        add_failure(root, title, *failure);
        return true;
      }
      if (failed_.insert(failure->why.message).second) loader_.loaded.fail(failure->why.message);
      return false;
    }
    auto read = read_root(root);
    if (!read) return false;
    const std::string what = root.content == Content::Kustomization ? "a kustomization"
                             : root.content == Content::Chart       ? "a chart"
                                                              : base::counted(read->sources.size(), "file");
    say(fmt::format("{}: {}, {}", title, root.folder, what));
    explain(root, title);
    add_groups(root, std::move(*read));
    return true;
  }

  void explain(const DeployedRoot& root, const std::string& title) {
    if (!root.without.empty())
      say(fmt::format("{}: the values of {} are not known: it is checked without them", title,
                      base::word_list(root.without)));
    if (!root.ignored.empty())
      say(fmt::format("{}: {} {} not applied", title, base::word_list(root.ignored),
                      root.ignored.size() == 1 ? "is" : "are"));
    if (!root.not_here.empty())
      say(fmt::format("{}: no file has {}: what may be set there is not checked", title,
                      base::word_list(root.not_here)));
    if (!root.bad_variables.empty())
      say(fmt::format("{}: Flux refuses the names of variables {}", title,
                      base::word_list(root.bad_variables)));
  }

  void say(std::string text) {
    if (loader_.request.lists_deployed) loader_.loaded.note(std::move(text));
  }

  std::optional<Read> read_root(const DeployedRoot& root) {
    Read read;
    if (root.content == Content::Chart) {
      read.charts.push_back(std::move(std::get<helm::Built>(charts_.at(&root))));
      return read;
    }
    if (root.content == Content::Kustomization) {
      take_built(root.folder, read);
      return read;
    }
    const auto& listed = listed_.at(&root);
    const auto* manifests = std::get_if<gitops::Manifests>(&listed);
    if (!manifests) {
      loader_.loaded.fail(std::get<base::IoError>(listed).message);
      return std::nullopt;
    }
    for (const std::string& folder : manifests->kustomizations) take_built(folder, read);
    for (const std::string& file : manifests->files) {
      deployed_.insert(base::absolute_path(file));
      std::string text;
      if (const auto error = base::take(files_.read(file), text)) {
        loader_.loaded.fail(error->message);
        return std::nullopt;
      }
      read.sources.push_back({file, std::move(text), false});
    }
    return read;
  }

  void take_built(const std::string& folder, Read& read) {
    const Built& built = std::get<Built>(built_.at(folder));
    deployed_.insert(built.tree->files().begin(), built.tree->files().end());
    read.built.push_back(built);
  }

  // What kept a root from being built, and the folder that it is about.
  struct Failure {
    const BuildFailure& why;
    std::string folder;
  };

  // nullopt if everything of the root was built.
  std::optional<Failure> failure_of(const DeployedRoot& root) const {
    if (root.content == Content::Chart) {
      const auto* why = std::get_if<BuildFailure>(&charts_.at(&root));
      return why ? std::optional(Failure{*why, root.folder}) : std::nullopt;
    }
    std::vector<std::string> folders{root.folder};
    if (root.content == Content::Files) {
      const auto* manifests = std::get_if<gitops::Manifests>(&listed_.at(&root));
      folders = manifests ? manifests->kustomizations : std::vector<std::string>();
    }
    for (std::string& folder : folders) {
      if (const auto* why = std::get_if<BuildFailure>(&built_.at(folder)))
        return Failure{*why, std::move(folder)};
    }
    return std::nullopt;
  }

  // A finding at the place that mends it.
  void add_failure(const DeployedRoot& root, const std::string& title, const Failure& failure) {
    if (!root.without.empty()) {
      say(fmt::format("{}: {} is not checked without the values of {}, which are not known: {}", title,
                      root.folder, base::word_list(root.without), failure.why.message));
      return;
    }
    const auto object = std::make_shared<base::SourceFile>(root.file, files_.text_of(root.file));
    InputGroup group;
    group.memory.push_back(object);
    const base::Location named{object.get(), root.line, 1, root.line, 1};
    base::Diagnostic found = rules::finding("yaml/root", in_one_line(failure.why.message), "", named);
    if (root.content != Content::Chart) {
      const auto tree = kustomize::read_tree(files_, failure.folder);
      deployed_.insert(tree->files().begin(), tree->files().end());
      group.memory.push_back(tree);
      kustomize::point_into(*tree, loader_.request.allow_remote, found);
      if (found.location.file != object.get()) found.notes.push_back({root.title + " applies it", named});
    }
    group.config = configurations_.of_file(found.location.file->name());
    group.found.add(std::move(found));
    add_group(root, std::move(group));
  }

  void add_groups(const DeployedRoot& root, Read read) {
    if (root.has_variables()) {
      add_rendered(root, std::move(read));
      return;
    }
    for (Built& built : read.built) add_group(root, group_of(std::move(built), configurations_));
    for (helm::Built& built : read.charts) {
      auto undecided = helm::undecided_lines(built.release, *built.chart, root.unknown_values);
      InputGroup group = group_of(std::move(built), configurations_);
      group.undecided = std::move(undecided);
      if (!root.release.inline_values.empty()) note_values(root, group);
      add_group(root, std::move(group));
    }
    if (read.sources.empty()) return;
    for (InputGroup& group : group_by_configuration(std::move(read.sources), configurations_))
      add_group(root, std::move(group));
  }

  void add_group(const DeployedRoot& root, InputGroup group) {
    if (root.tool == gitops::Tool::Flux && !root.is_helm_release()) note_applied(root, group);
    group.scope = root.cluster;
    group.ns = root.ns;
    groups_.push_back(std::move(group));
  }

  // Where values are set that no values file has.
  void note_values(const DeployedRoot& root, InputGroup& group) {
    const auto object = std::make_shared<base::SourceFile>(root.file, files_.text_of(root.file));
    group.memory.push_back(object);
    group.annotate = [inner = std::move(group.annotate), object, line = root.line,
                      title = root.title](base::Diagnostic& found) {
      const size_t notes = found.notes.size();
      inner(found);
      if (found.notes.size() == notes)
        found.notes.push_back({"made with the values of " + title, {object.get(), line, 1, line, 1}});
    };
  }

  // What HelmReleases are made of.
  void note_applied(const DeployedRoot& root, const InputGroup& group) {
    for (const Source& source : group.inputs) {
      if (source.text.find(gitops::kHelmReleaseGroup) != std::string::npos ||
          source.text.find("kind: ConfigMap") != std::string::npos)
        applied_[root.cluster].push_back(source);
    }
  }

  // All manifests of the root, with its variables, as one source.
  void add_rendered(const DeployedRoot& root, Read read) {
    std::vector<Source> sources = std::move(read.sources);
    InputGroup group;
    for (Built& built : read.built) {
      InputGroup own = group_of(std::move(built), configurations_);
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

  RootLoader& loader_;
  base::FileSystem& files_;
  Configurations& configurations_;
  std::vector<std::string> folders_;  // of kustomizations
  std::map<std::string, kustomize::BuildResult> built_;
  std::map<const DeployedRoot*, base::IoResult<gitops::Manifests>> listed_;
  std::map<const DeployedRoot*, helm::BuildResult> charts_;
  std::set<std::string> failed_;                        // messages
  std::set<std::string> deployed_;                      // files that Kustomizations of Flux apply, absolute
  std::map<std::string, std::vector<Source>> applied_;  // what Flux applies, by cluster
  std::vector<InputGroup> groups_;
};

}  // namespace

std::vector<InputGroup> load_deployed(RootLoader& loader, const std::vector<Source>& sources) {
  return GitopsRoots(loader).load(sources);
}

}  // namespace trainjobc::inputs
