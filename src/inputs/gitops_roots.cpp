// SPDX-License-Identifier: Apache-2.0

// The roots that a repository's Flux and Argo CD objects name. A root is read when what applies it has been:
// objects of Flux and Argo CD that a root applies are roots in their turn, as it applies them.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/application_set.h"
#include "inputs/gitops/choices.h"
#include "inputs/gitops/clusters.h"
#include "inputs/gitops/objects.h"
#include "inputs/gitops/own_source.h"
#include "inputs/gitops/roots.h"
#include "inputs/gitops_builds.h"
#include "inputs/gitops_groups.h"
#include "inputs/kustomize/roots.h"
#include "inputs/repository.h"
#include "inputs/roots.h"

namespace trainjobc::inputs {
namespace {

using gitops::Content;
using gitops::Manifest;
using gitops::ObjectName;
using gitops::Objects;
using DeployedRoot = gitops::Root;

// A root, and what became of it.
struct Deployment {
  DeployedRoot root;
  std::string ns;                // of its object
  std::vector<ObjectName> from;  // of its variables
  bool is_read = false;
  bool is_replaced = false;  // it takes the place of what was read of the same object
  bool is_dropped = false;   // that one
  RootResult result;
};

bool is_flux(const Manifest& object) {
  return object.is(gitops::kKustomizationGroup, "Kustomization");
}

bool has_equal_data(const Manifest& one, const Manifest& other) {
  const auto is_equal = [&](std::string_view field) {
    const yaml::Node* a = one.root->get(field);
    const yaml::Node* b = other.root->get(field);
    return a && b ? yaml::equal(*a, *b) : !a && !b;
  };
  return is_equal("data") && is_equal("stringData");
}

// The roots that a file's objects name, as they are written.
struct Candidate {
  const Manifest* object = nullptr;
  std::vector<DeployedRoot> roots;
};

class GitopsRoots {
 public:
  // `choices` are those that the roots are read with.
  GitopsRoots(RootLoader& loader, const std::vector<Source>& sources, gitops::Choices choices)
      : loader_(loader),
        files_(loader.files),
        sources_(sources),
        objects_(std::make_shared<Objects>(sources)),
        folder_(repository_or_working_directory(files_)),
        source_(files_, folder_, *objects_),
        repository_(files_, folder_, *objects_, source_),
        memory_(std::make_shared<std::vector<std::shared_ptr<const void>>>()),
        builds_(loader, repository_, memory_),
        groups_(loader, memory_),
        choices_(std::move(choices)) {
    memory_->push_back(objects_);
  }

  std::vector<InputGroup> load() {
    find_candidates();
    if (candidates_.empty() && !has_releases()) {
      loader_.loaded.fail("--roots: the inputs have no Kustomization, no HelmRelease and no Application");
      return {};
    }
    find_covers();
    add_implied();
    for (const Candidate& candidate : candidates_) {
      if (!is_applied_by_another(candidate)) add_top(candidate);
    }
    if (!read_all()) return {};
    // What applies itself, or could not be read with what applies it.
    for (const Candidate& candidate : candidates_) {
      if (applied_places_.contains(candidate.object->place())) continue;
      add_top(candidate);
      if (!read_all()) return {};
    }
    if (!read_releases()) return {};
    return has_found_choices() ? std::vector<InputGroup>() : finished();
  }

  // Whether everything is to be read again, with the choices that were found.
  bool has_found_choices() const { return choices_.empty() && !found_choices_.empty(); }
  gitops::Choices take_found_choices() { return std::move(found_choices_); }

 private:
  bool has_releases() const {
    return std::ranges::any_of(objects_->all(), [](const Manifest& object) {
      return object.is(gitops::kHelmReleaseGroup, "HelmRelease");
    });
  }

  void find_candidates() {
    for (const Manifest& object : objects_->all()) {
      Candidate candidate{&object, roots_of(object)};
      if (!candidate.roots.empty()) candidates_.push_back(std::move(candidate));
    }
  }

  std::vector<DeployedRoot> roots_of(const Manifest& object) const {
    if (is_flux(object)) return {gitops::read_flux(repository_, object)};
    if (object.is("argoproj.io/", "Application")) return gitops::read_application(repository_, object);
    if (object.is("argoproj.io/", "ApplicationSet")) return roots_of_set(object);
    return {};
  }

  std::vector<DeployedRoot> roots_of_set(const Manifest& object) const {
    const gitops::ExpandedSet expanded = gitops::expand_application_set(repository_, object);
    std::vector<DeployedRoot> roots;
    for (const Manifest& application : expanded.applications) {
      if (!application.is("argoproj.io/", "Application")) continue;  // without a spec
      for (DeployedRoot& root : gitops::read_application(repository_, application)) {
        root.cluster = other_cluster(application);
        roots.push_back(std::move(root));
      }
    }
    memory_->push_back(expanded.memory);
    if (expanded.missing.empty()) return roots;
    DeployedRoot rest = gitops::root_of(object);
    rest.tool = gitops::Tool::ArgoCd;
    rest.folder = "what it makes";
    rest.missing = base::word_list(expanded.missing);
    roots.push_back(std::move(rest));
    return roots;
  }

  // Finds out which candidates apply the files of others, and the clusters.
  void find_covers() {
    std::set<std::string> files;
    for (const Manifest& object : objects_->all()) files.insert(base::absolute_path(object.file));
    for (size_t i = 0; i < candidates_.size(); ++i) {
      for (const DeployedRoot& root : candidates_[i].roots) {
        if (!root.missing.empty()) continue;
        clusters_.add(candidates_[i].object->file, root);
        for (const std::string& file : files_of(root)) {
          if (files.contains(file)) covers_[file].insert(i);
        }
      }
    }
  }

  // The files that the root applies, as absolute paths.
  std::set<std::string> files_of(const DeployedRoot& root) const {
    const base::FileSystem& files = root.files ? *root.files : files_;
    std::set<std::string> all;
    if (root.content == Content::Chart) return all;
    if (root.content == Content::Kustomization) return kustomize::read_tree(files, root.folder)->files();
    auto listed = gitops::list_manifests(files, root);
    const auto* manifests = std::get_if<gitops::Manifests>(&listed);
    if (!manifests) return all;
    for (const std::string& file : manifests->files) all.insert(base::absolute_path(file));
    for (const std::string& folder : manifests->kustomizations) {
      const auto tree = kustomize::read_tree(files, folder);
      all.insert(tree->files().begin(), tree->files().end());
    }
    return all;
  }

  bool is_applied_by_another(const Candidate& candidate) const {
    const std::string file = base::absolute_path(candidate.object->file);
    if (implied_files_.contains(file)) return true;
    const auto covers = covers_.find(file);
    if (covers == covers_.end()) return false;
    return std::ranges::any_of(covers->second,
                               [&](size_t i) { return candidates_[i].object != candidate.object; });
  }

  void add_top(const Candidate& candidate) {
    for (DeployedRoot root : candidate.roots) {
      // The roots of an ApplicationSet have the suffix of their cluster already.
      const std::string suffix = root.cluster + other_cluster(*candidate.object);
      for (const std::string& variant : choices_.variants_of(clusters_.of(candidate.object->file))) {
        root.cluster = variant + suffix;
        enqueue(root, candidate.object->ns());
      }
    }
  }

  // Adds kustomizations that nothing in the repository applies, but that contain objects which name roots:
  // somebody applies each of them to a cluster.
  void add_implied() {
    std::set<std::string> wanted;  // files
    for (const Manifest& object : objects_->all()) {
      const bool names_root = is_flux(object) || object.is("argoproj.io/", "Application") ||
                              object.is("argoproj.io/", "ApplicationSet") ||
                              object.is(gitops::kHelmReleaseGroup, "HelmRelease");
      std::string file = base::absolute_path(object.file);
      if (names_root && !covers_.contains(file)) wanted.insert(std::move(file));
    }
    if (wanted.empty()) return;
    struct Found {
      std::string folder;
      std::shared_ptr<const kustomize::Tree> tree;
    };
    std::vector<Found> found;
    std::set<std::string> inner;
    for (const Source& source : sources_) {
      if (!kustomize::is_kustomization(source.name)) continue;
      const std::string place = base::parent_of(base::absolute_path(source.name));
      auto tree = kustomize::read_tree(files_, base::shortest_path(place));
      if (!tree->root() || tree->root()->is_component) continue;
      for (const std::string& folder : tree->folders()) {
        if (folder != place) inner.insert(folder);
      }
      found.push_back({place, std::move(tree)});
    }
    for (const Found& one : found) {
      const auto is_wanted = [&](const std::string& file) { return wanted.contains(file); };
      if (inner.contains(one.folder) || std::ranges::none_of(one.tree->files(), is_wanted)) continue;
      DeployedRoot root;
      root.title = "kustomization " + base::shortest_path(one.folder);
      root.file = one.tree->root()->path;
      root.place = root.file + ":1";
      root.folder = base::shortest_path(one.folder);
      root.content = Content::Kustomization;
      root.is_implied = true;
      implied_files_.insert(one.tree->files().begin(), one.tree->files().end());
      for (const std::string& variant : choices_.variants_of(root.folder)) {
        root.cluster = variant;
        enqueue(root, "");
      }
    }
  }

  void enqueue(DeployedRoot root, const std::string& ns) {
    auto& own = seen_[{root.cluster, root.title, root.folder}];
    if (own) {
      // A root may apply its own object in another form: then that form is read, and replaces the one read
      // before.
      const bool is_same = !root.spec || !own->root.spec || yaml::equal(*root.spec, *own->root.spec);
      if (is_same || own->is_replaced || root.tool != gitops::Tool::Flux) return;
      own->is_dropped = true;
    }
    const bool is_replaced = own != nullptr;
    Deployment& added = deployments_.emplace_back();
    added.is_replaced = is_replaced;
    added.from = gitops::substitute_sources(root, ns);
    added.ns = ns;
    added.root = std::move(root);
    own = &added;
  }

  // False, after an error, if one can't be read.
  bool read_all() {
    for (std::vector<Deployment*> next = ready(); !next.empty(); next = ready()) {
      std::vector<const DeployedRoot*> roots;
      for (Deployment* one : next) {
        set_variables(*one);
        roots.push_back(&one->root);
      }
      builds_.build(roots);
      for (Deployment* one : next) {
        one->is_read = true;
        if (!read(*one)) return false;
      }
    }
    return true;
  }

  // The deployments whose variables are known; if there are none, all that were not read: nothing will set
  // their variables.
  std::vector<Deployment*> ready() {
    std::vector<Deployment*> all;
    std::vector<Deployment*> known;
    for (Deployment& one : deployments_) {
      if (one.is_read) continue;
      all.push_back(&one);
      const auto is_there = [&](const ObjectName& name) {
        return deployed(one.root.cluster, name) != nullptr;
      };
      if (std::ranges::all_of(one.from, is_there)) known.push_back(&one);
    }
    return known.empty() ? all : known;
  }

  const Manifest* deployed(const std::string& cluster, const ObjectName& name) const {
    const auto found = registry_.find({cluster, name});
    return found != registry_.end() ? &found->second : nullptr;
  }

  void set_variables(Deployment& one) {
    DeployedRoot& root = one.root;
    root.strictness = is_strict(root.cluster) ? gitops::Strictness::Strict : gitops::Strictness::Lax;
    gitops::add_variables(root, one.from, [&](const ObjectName& name) -> const yaml::Node* {
      if (const Manifest* found = deployed(root.cluster, name)) return found->root;
      const Manifest* found = undeployed(root, name);
      return found ? found->root : nullptr;
    });
  }

  // The object with that name in a file that no cluster applies: one in this cluster's folder, or the one
  // that this variant of the cluster has.
  const Manifest* undeployed(DeployedRoot& root, const ObjectName& name) {
    std::vector<const Manifest*> found;
    for (const Manifest* object : objects_->find_all(name.kind, name.ns, name.name)) {
      if (!applied_places_.contains(object->place())) found.push_back(object);
    }
    const std::string cluster = base::absolute_path(choices_.own_name_of(root.cluster));
    const auto is_below = [&](const Manifest* object) {
      return !base::path_below(base::absolute_path(object->file), cluster).empty();
    };
    if (std::ranges::any_of(found, is_below))
      std::erase_if(found, [&](const Manifest* object) { return !is_below(object); });
    if (found.empty()) return nullptr;
    const Manifest* nearest = objects_->find(name.kind, name.ns, name.name, root.file);
    const Manifest* chosen = base::contains(found, nearest) ? nearest : found.front();
    const auto is_equal = [&](const Manifest* object) { return has_equal_data(*object, *chosen); };
    if (std::ranges::all_of(found, is_equal)) return chosen;
    if (const Manifest* own = choices_.chosen(root.cluster, name, found)) {
      if (choices_.is_first_variant(root.cluster)) root.remarks.push_back(remark_on_choice(name, found));
      return own;
    }
    found_choices_.add(root.cluster, name, found);
    root.remarks.push_back(
        fmt::format("{} is taken from {}: {} has one, too, and the repository does not say which one the "
                    "cluster has",
                    name.title(), chosen->place(), found[found.front() == chosen ? 1 : 0]->place()));
    return chosen;
  }

  static std::string remark_on_choice(const ObjectName& name, const std::vector<const Manifest*>& found) {
    std::vector<std::string> places;
    for (const Manifest* object : found) places.push_back(object->place());
    return fmt::format(
        "{} may be any of {}, and the repository does not say which one the cluster has: each "
        "is checked",
        name.title(), base::word_list(places));
  }

  // Whether the cluster's controller fails if nothing sets a variable.
  bool is_strict(const std::string& cluster) {
    if (!strict_files_) {
      strict_files_.emplace();
      for (const Source& source : sources_) {
        if (source.text.find("StrictPostBuildSubstitutions=true") != std::string::npos)
          strict_files_->push_back(base::absolute_path(source.name));
      }
    }
    if (strict_files_->empty()) return false;
    const std::string folder = base::absolute_path(choices_.own_name_of(cluster));
    return std::ranges::any_of(
        *strict_files_, [&](const std::string& file) { return !base::path_below(file, folder).empty(); });
  }

  // False, after an error, if it can't be read.
  bool read(Deployment& one) {
    const DeployedRoot& root = one.root;
    if (!root.missing.empty()) {
      one.result.notes = {fmt::format("{} is not checked: {}", root.folder, root.missing)};
      return true;
    }
    if (const auto failure = builds_.failure_of(root)) {
      if (!failure->why.has_no_program) {
        if (!root.is_implied) one.result = groups_.of(root, *failure);
        note_files(one.result);
        return true;
      }
      if (root.is_implied) return true;
      if (failed_.insert(failure->why.message).second) loader_.loaded.fail(failure->why.message);
      return false;
    }
    auto read = builds_.read(root);
    if (const auto* error = std::get_if<base::IoError>(&read)) {
      loader_.loaded.fail(error->message);
      return false;
    }
    one.result = groups_.of(root, std::get<RootRead>(std::move(read)));
    note_files(one.result);
    note_applied(root, one.result.groups);
    if (root.is_implied) one.result = {};
    return true;
  }

  void note_files(const RootResult& result) {
    deployed_files_.insert(result.files.begin(), result.files.end());
  }

  // Records what the root applies: other roots, objects with variables, and HelmReleases with their values.
  void note_applied(const DeployedRoot& root, const std::vector<InputGroup>& groups) {
    std::vector<Source> sources;
    for (const InputGroup& group : groups)
      std::ranges::copy_if(group.inputs, std::back_inserter(sources), gitops::may_have_objects,
                           &Source::text);
    if (sources.empty()) return;
    auto& applied = applied_[root.cluster];
    if (!root.is_helm_release()) applied.insert(applied.end(), sources.begin(), sources.end());
    const auto objects = std::make_shared<Objects>(sources);
    memory_->push_back(objects);
    for (const Manifest& object : objects->all()) {
      applied_places_.insert(object.place());
      if (object.kind() == "ConfigMap" || object.kind() == "Secret")
        registry_.insert_or_assign({root.cluster, {std::string(object.kind()), object.ns(), object.name()}},
                                   object);
      for (DeployedRoot& child : roots_of(object)) {
        const std::string suffix = child.cluster + other_cluster(object);
        child.cluster = root.cluster;
        if (!root.cluster.ends_with(suffix)) child.cluster += suffix;
        enqueue(std::move(child), object.ns());
      }
    }
  }

  // Reads the HelmReleases that roots apply, in the form in which they apply them, and those that nothing
  // applies.
  bool read_releases() {
    std::vector<DeployedRoot> releases;
    for (const Manifest& object : objects_->all()) {
      if (!object.is(gitops::kHelmReleaseGroup, "HelmRelease")) continue;
      if (applied_places_.contains(object.place()) ||
          deployed_files_.contains(base::absolute_path(object.file)))
        continue;
      const DeployedRoot release = gitops::read_release(repository_, *objects_, object);
      for (const std::string& variant : choices_.variants_of(clusters_.of(object.file))) {
        releases.push_back(release);
        releases.back().cluster = variant + other_cluster(object);
      }
    }
    for (const auto& [cluster, sources] : applied_) {
      const auto objects = std::make_shared<Objects>(sources);
      memory_->push_back(objects);
      for (DeployedRoot& root : gitops::find_releases(repository_, *objects, cluster))
        releases.push_back(std::move(root));
    }
    for (DeployedRoot& root : releases) deployments_.emplace_back().root = std::move(root);
    return read_all();
  }

  // The groups in the order of the roots' objects, with charts of Flux last.
  std::vector<InputGroup> finished() {
    std::map<std::string, std::set<std::string>> clusters;  // by the place of the object
    std::vector<Deployment*> all;
    for (Deployment& one : deployments_) {
      if (one.is_dropped || one.root.is_implied) continue;
      clusters[one.root.place].insert(one.root.cluster);
      all.push_back(&one);
    }
    std::ranges::stable_sort(all, {}, [](const Deployment* one) {
      const DeployedRoot& root = one->root;
      return std::tuple(root.is_helm_release(), base::normal_path(root.file), root.line,
                        std::string_view(root.cluster));
    });
    const auto cluster_of = [](const Deployment* one) -> const std::string& { return one->root.cluster; };
    const bool has_several_clusters = std::ranges::any_of(
        all, [&](const Deployment* one) { return cluster_of(one) != cluster_of(all.front()); });
    std::vector<InputGroup> groups;
    for (Deployment* one : all) {
      const DeployedRoot& root = one->root;
      if (has_several_clusters) {
        for (InputGroup& group : one->result.groups) name_root(root, group);
      }
      const bool is_of_one = clusters[root.place].size() < 2;
      for (const std::string& rest : one->result.notes) {
        if (loader_.request.lists_deployed)
          loader_.loaded.note(fmt::format("{} ({}){}: {}", root.title, root.place,
                                          is_of_one ? "" : " of " + root.cluster, rest));
      }
      std::ranges::move(one->result.groups, std::back_inserter(groups));
    }
    return groups;
  }

  // Lets findings on the group name the root and its cluster.
  static void name_root(const DeployedRoot& root, InputGroup& group) {
    group.deployed_by = fmt::format("{} of {}", root.title, root.cluster);
    group.annotate = [inner = std::move(group.annotate), name = group.deployed_by,
                      at = root.location](base::Diagnostic& found) {
      if (inner) inner(found);
      const auto names_it = [&](const base::Note& note) { return note.message.starts_with(name); };
      if (std::ranges::none_of(found.notes, names_it) && found.message.find(name) == std::string::npos)
        found.notes.push_back({name + " applies it", at});
    };
  }

  RootLoader& loader_;
  base::FileSystem& files_;
  const std::vector<Source>& sources_;
  std::shared_ptr<const Objects> objects_;
  std::string folder_;
  gitops::OwnSource source_;
  gitops::Repository repository_;
  std::shared_ptr<std::vector<std::shared_ptr<const void>>> memory_;
  GitopsBuilds builds_;
  GitopsGroups groups_;
  gitops::Choices choices_;
  gitops::Choices found_choices_;  // those that have to be made
  gitops::Clusters clusters_;
  std::vector<Candidate> candidates_;
  std::map<std::string, std::set<size_t>> covers_;  // the candidates that apply a file, by its absolute path
  std::set<std::string> implied_files_;  // absolute paths of files in kustomizations that no object names
  std::deque<Deployment> deployments_;
  std::map<std::tuple<std::string, std::string, std::string>, Deployment*> seen_;  // cluster, title, folder
  std::map<std::pair<std::string, ObjectName>, Manifest> registry_;                // by cluster
  // Absolute paths of the files that turn strict mode on; unset until a root is read.
  std::optional<std::vector<std::string>> strict_files_;
  std::set<std::string> applied_places_;                // of objects
  std::set<std::string> deployed_files_;                // absolute
  std::map<std::string, std::vector<Source>> applied_;  // by cluster
  std::set<std::string> failed_;                        // messages
};

}  // namespace

std::vector<InputGroup> load_deployed(RootLoader& loader, const std::vector<Source>& sources) {
  GitopsRoots roots(loader, sources, {});
  std::vector<InputGroup> groups = roots.load();
  if (!roots.has_found_choices() || loader.loaded.failed()) return groups;
  return GitopsRoots(loader, sources, roots.take_found_choices()).load();
}

}  // namespace trainjobc::inputs
