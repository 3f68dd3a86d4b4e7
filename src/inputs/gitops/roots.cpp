// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/objects.h"
#include "inputs/kustomize/kustomization.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {

Root root_of(const Manifest& object) {
  Root root;
  root.title = object.title();
  root.place = object.place();
  root.file = object.file;
  root.line = object.line;
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

namespace {

using yaml::Node;

void find_content(const base::FileSystem& files, Root& root) {
  if (!files.is_directory(root.folder)) {
    root.missing = "the repository has no such folder";
  } else if (!kustomize::find_kustomization(files, root.folder).empty()) {
    root.content = Content::Kustomization;
  }
}

std::string without_breaks(std::string_view text) {
  std::string line(text);
  std::erase(line, '\n');
  return line;
}

void add_variable(const yaml::Entry& entry, Root& root) {
  const std::string name(entry.key);
  if (!is_variable_name(name)) root.bad_variables.push_back(name);
  root.variables[name] = without_breaks(entry.value->is_scalar() ? entry.value->text() : "");
  root.unknown.erase(name);
}

void add_variables_from(const Node& source, const Objects& objects, const Manifest& object, Root& root) {
  const std::string kind(yaml::string_at(source, "kind"));
  const std::string name(yaml::string_at(source, "name"));
  const Manifest* from = objects.find(kind, object.ns(), name, object.file);
  if (!from) {
    root.not_here.push_back(fmt::format("{} {}/{}", kind, object.ns(), name));
    return;
  }
  for (const std::string_view field : {"data", "stringData"}) {
    const Node* data = from->root->get(field);
    if (!data) continue;
    for (const yaml::Entry& entry : data->entries()) {
      if (kind == "ConfigMap") {
        add_variable(entry, root);
      } else {
        root.unknown.insert(std::string(entry.key));
        root.variables.erase(std::string(entry.key));
      }
    }
  }
}

// A Kustomization of Flux.
Root read_flux(const base::FileSystem& files, const Objects& objects, const std::string& repository,
               const Manifest& object) {
  const Node& spec = *object.root->get("spec");
  Root root = root_of(object);
  root.folder = path_in(repository, yaml::string_at(spec, "path"));
  root.ns = yaml::string_at(spec, "targetNamespace");
  root.ignored = present(&spec, "spec",
                         {"patches", "patchesStrategicMerge", "patchesJson6902", "images", "components",
                          "namePrefix", "nameSuffix", "commonMetadata"});
  find_content(files, root);
  for (const Node* from : yaml::items_at(spec, {"postBuild", "substituteFrom"}))
    add_variables_from(*from, objects, object, root);
  if (const Node* own = spec.at({"postBuild", "substitute"})) {
    for (const yaml::Entry& entry : own->entries()) add_variable(entry, root);
  }
  return root;
}

// The sources of an Application that are folders.
class ArgoReader {
 public:
  ArgoReader(const base::FileSystem& files, const std::string& repository)
      : files_(files), repository_(repository) {}

  std::vector<Root> read(const Manifest& object) {
    const Node& spec = *object.root->get("spec");
    std::vector<Root> roots;
    const auto several = yaml::items_at(spec, "sources");
    names_.clear();
    for (const Node* source : several) names_.insert(std::string(yaml::string_at(*source, "ref")));
    for (const Node* source : several) add(object, spec, *source, roots);
    const Node* one = spec.get("source");
    if (several.empty() && one) add(object, spec, *one, roots);
    return roots;
  }

 private:
  void add(const Manifest& object, const Node& spec, const Node& source, std::vector<Root>& roots) const {
    const Node* path = source.get("path");
    const bool is_chart = source.get("chart") != nullptr;
    if (!path && !is_chart) return;  // a source that others refer to
    Root root = root_of(object);
    root.tool = Tool::ArgoCd;
    root.ns = yaml::string_at(spec, {"destination", "namespace"});
    if (is_chart) {
      root.folder = yaml::string_at(source, "chart");
      root.missing = "a chart of a Helm repository is not read";
    } else {
      root.folder = path_in(repository_, path->text());
      find_content(files_, root);
      set_type(source, root);
      if (root.content == Content::Chart) set_release(object, source.get("helm"), root);
    }
    roots.push_back(std::move(root));
  }

  void set_type(const Node& source, Root& root) const {
    const Node* directory = source.get("directory");
    const Node* helm = source.get("helm");
    const Node* kustomize = source.get("kustomize");
    if (source.get("plugin")) {
      root.missing = "a plugin makes its manifests";
    } else if (helm || (!kustomize && !directory && files_.exists(root.folder + "/Chart.yaml"))) {
      root.content = Content::Chart;
    } else if (directory && !kustomize) {
      root.content = Content::Files;
    }
    if (root.content == Content::Chart && root.missing.empty() && !helm::is_chart(files_, root.folder))
      root.missing = "it is not a chart";
    if (root.content == Content::Kustomization && kustomize) {
      root.ignored = present(kustomize, "kustomize",
                             {"images", "replicas", "patches", "components", "namePrefix", "nameSuffix",
                              "commonLabels", "commonAnnotations"});
      if (const std::string_view ns = yaml::string_at(*kustomize, "namespace"); !ns.empty()) root.ns = ns;
    }
    const Node* recurse = directory ? directory->get("recurse") : nullptr;
    root.recurses = recurse && recurse->text() == "true";
    if (!directory) return;
    root.include = yaml::string_at(*directory, "include");
    root.exclude = yaml::string_at(*directory, "exclude");
  }

  void set_release(const Manifest& object, const Node* helm, Root& root) const {
    helm::Release& release = root.release;
    release.chart = root.folder;
    release.name = object.name();
    release.ns = root.ns;
    if (!helm || !helm->is_map()) return;
    if (const std::string_view name = yaml::string_at(*helm, "releaseName"); !name.empty())
      release.name = name;
    if (const std::string_view ns = yaml::string_at(*helm, "namespace"); !ns.empty()) release.ns = ns;
    const bool skips = yaml::text_at(*helm, "ignoreMissingValueFiles") == "true";
    for (const Node* file : yaml::items_at(*helm, "valueFiles"))
      add_values_file(files_, file->text(), values_file(root.folder, file->text()), skips, root);
    release.kube_version = yaml::text_at(*helm, "kubeVersion");
    release.inline_values = yaml::string_at(*helm, "values");
    if (const Node* values = helm->get("valuesObject"); values && values->is_map()) {
      release.inline_values.clear();
      yaml::write_yaml(*values, yaml::KeyOrder::AsIs, release.inline_values);
    }
    for (const Node* parameter : yaml::items_at(*helm, "parameters")) {
      const Node* forced = parameter->get("forceString");
      const Node* value = parameter->get("value");
      release.parameters.push_back({std::string(yaml::string_at(*parameter, "name")),
                                    std::string(value ? value->text() : ""),
                                    forced && forced->text() == "true"});
    }
    root.ignored = present(helm, "helm", {"fileParameters", "apiVersions"});
  }

  // "$values/envs/prod.yaml" is in the repository that another source calls "values"; it may be this one.
  std::string values_file(const std::string& chart, std::string_view path) const {
    if (path.starts_with('$')) {
      const size_t slash = std::min(path.find('/'), path.size());
      if (names_.contains(std::string(path.substr(1, slash - 1))))
        return path_in(repository_, path.substr(slash));
    }
    if (path.find("://") != std::string_view::npos) return "";
    if (path.starts_with('/')) return path_in(repository_, path);
    return base::shortest_path(base::absolute_path(base::normal_path(fmt::format("{}/{}", chart, path))));
  }

  const base::FileSystem& files_;
  const std::string& repository_;
  std::set<std::string> names_;  // of the Application's sources
};

// The cluster that an object without more information is applied to: that of the root in whose folder its
// file is; otherwise that of its folder.
class Clusters {
 public:
  // Of several roots of a folder, the first one counts.
  void add(const std::string& file, const Root& root) {
    std::string folder = base::absolute_path(root.folder);
    definitions_.try_emplace(folder, Definition{base::absolute_path(file), folder});
  }

  std::string of(const std::string& file) {
    const std::string at = base::absolute_path(file);
    Definition* outer = around(at);
    return base::shortest_path(outer ? cluster_of(*outer) : base::parent_of(at));
  }

 private:
  struct Definition {
    std::string file;
    std::string folder;
    std::string cluster = "";  // "": not known yet
    size_t place = 0;          // on the way to it, from 1
  };

  // The folder of the last of the roots that are around each other. Of roots that are around themselves, the
  // last one before the first is met again.
  const std::string& cluster_of(Definition& first) {
    std::vector<Definition*> way;
    Definition* at = &first;
    while (at && at->cluster.empty() && at->place == 0) {
      way.push_back(at);
      at->place = way.size();
      at = around(at->file);
    }
    if (!at) {
      for (Definition* one : way) one->cluster = way.back()->folder;
    } else if (!at->cluster.empty()) {
      for (Definition* one : way) one->cluster = at->cluster;
    } else {
      const size_t begin = at->place - 1;
      for (size_t i = begin; i < way.size(); ++i)
        way[i]->cluster = way[i == begin ? way.size() - 1 : i - 1]->folder;
      for (size_t i = 0; i < begin; ++i) way[i]->cluster = way[begin]->cluster;
    }
    for (Definition* one : way) one->place = 0;
    return first.cluster;
  }

  // The root whose folder has the file, of several the one with the longest path.
  Definition* around(const std::string& file) {
    for (std::string folder = base::parent_of(file); !folder.empty(); folder = base::parent_of(folder)) {
      const auto found = definitions_.find(folder);
      if (found != definitions_.end()) return &found->second;
    }
    return nullptr;
  }

  std::map<std::string, Definition> definitions_;  // by folder
};

}  // namespace

std::vector<Root> find_roots(const base::FileSystem& files, const std::vector<Source>& sources,
                             const std::string& repository) {
  const Objects objects(sources);
  std::deque<std::pair<const Manifest*, Root>> found;
  for (const Manifest& object : objects.all()) {
    if (object.is("kustomize.toolkit.fluxcd.io/", "Kustomization"))
      found.emplace_back(&object, read_flux(files, objects, repository, object));
    if (object.is("argoproj.io/", "Application")) {
      for (Root& root : ArgoReader(files, repository).read(object))
        found.emplace_back(&object, std::move(root));
    }
    if (object.is(kHelmReleaseGroup, "HelmRelease"))
      found.emplace_back(&object, read_release(files, objects, repository, object));
  }
  Clusters clusters;
  for (const auto& [object, root] : found) {
    if (root.missing.empty() && !root.is_helm_release()) clusters.add(object->file, root);
  }
  for (auto& [object, root] : found) root.cluster = clusters.of(object->file) + other_cluster(*object);
  std::vector<Root> roots;
  for (auto& [object, root] : found) roots.push_back(std::move(root));
  return roots;
}

namespace {

bool is_yaml(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

class Lister {
 public:
  Lister(const base::FileSystem& files, const Root& root) : files_(files), root_(root) {}

  Manifests found;

  std::optional<base::IoError> enter(const std::string& folder, const std::string& below) {
    std::vector<base::DirectoryEntry> listed;
    if (auto error = base::take(files_.list(folder), listed)) return error;
    for (const base::DirectoryEntry& entry : listed) {
      if (entry.name.starts_with(".git")) continue;
      const std::string path = base::joined_path(folder, entry.name);
      const std::string inside = below + entry.name;
      if (entry.kind == base::FileKind::File && is_wanted(entry.name, inside)) found.files.push_back(path);
      if (entry.kind != base::FileKind::Directory || entry.is_link || !root_.recurses) continue;
      if (root_.tool == Tool::Flux && !kustomize::find_kustomization(files_, path).empty()) {
        found.kustomizations.push_back(path);
      } else if (auto error = enter(path, inside + "/")) {
        return error;
      }
    }
    return std::nullopt;
  }

 private:
  bool is_wanted(const std::string& name, const std::string& inside) const {
    if (root_.tool == Tool::Flux) return is_yaml(name);
    if (!is_yaml(name) && !name.ends_with(".json")) return false;
    if (!root_.exclude.empty() && matches_argo_glob(root_.exclude, inside)) return false;
    return root_.include.empty() || matches_argo_glob(root_.include, inside);
  }

  const base::FileSystem& files_;
  const Root& root_;
};

// The alternatives of the first braces, each with what surrounds them; the pattern itself if there are none.
std::vector<std::string> alternatives_of(std::string_view pattern) {
  const size_t open = pattern.find('{');
  const size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
  if (close == std::string_view::npos) return {std::string(pattern)};
  std::vector<std::string> all;
  for (const std::string_view one : base::split(pattern.substr(open + 1, close - open - 1), ","))
    all.push_back(fmt::format("{}{}{}", pattern.substr(0, open), one, pattern.substr(close + 1)));
  return all;
}

bool matches_stars(std::string_view pattern, std::string_view path) {
  size_t at = 0;
  size_t in = 0;
  size_t star = std::string_view::npos;
  size_t from = 0;
  while (in < path.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      from = in;
    } else if (at < pattern.size() && (pattern[at] == path[in] || pattern[at] == '?')) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star;
      in = ++from;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace

base::IoResult<Manifests> list_manifests(const base::FileSystem& files, const Root& root) {
  Lister lister(files, root);
  if (auto error = lister.enter(root.folder, "")) return *error;
  return std::move(lister.found);
}

bool matches_argo_glob(std::string_view pattern, std::string_view path) {
  const std::vector<std::string> alternatives = alternatives_of(pattern);
  if (alternatives.size() == 1 && alternatives.front() == pattern) return matches_stars(pattern, path);
  return std::ranges::any_of(alternatives,
                             [&](const std::string& one) { return matches_argo_glob(one, path); });
}

}  // namespace trainjobc::gitops
