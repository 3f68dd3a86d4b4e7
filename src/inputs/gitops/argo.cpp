// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/arena.h"
#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/gitops/objects.h"
#include "inputs/gitops/own_source.h"
#include "inputs/gitops/roots.h"
#include "inputs/kustomize/kustomization.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// The files that change a source, which its root refers to.
struct SourceMemory {
  std::deque<base::SourceFile> files;
  base::Arena arena;
};

// Go ignores the case of keys where it reads such a file.
const Node* value_of_any_case(const Node& map, std::string_view lower) {
  for (const yaml::Entry& entry : map.entries()) {
    if (base::lower_case(entry.key) == lower) return entry.value;
  }
  return nullptr;
}

// The sources of an Application that are folders.
class ArgoReader {
 public:
  explicit ArgoReader(const Repository& repository) : repository_(repository), files_(repository.files) {}

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
      root.folder = path_in(repository_.folder, path->text());
      root.missing = repository_.source.why_other_url(yaml::string_at(source, "repoURL"));
      if (root.missing.empty()) read_folder(object, source, root);
    }
    roots.push_back(std::move(root));
  }

  void read_folder(const Manifest& object, const Node& written, Root& root) const {
    find_content(files_, root);
    const auto memory = std::make_shared<SourceMemory>();
    const Node* source = &written;
    for (const std::string& name :
         {std::string(".argocd-source.yaml"), fmt::format(".argocd-source-{}.yaml", object.name())}) {
      const std::string path = base::joined_path(root.folder, name);
      if (files_.kind(path) != base::FileKind::File) continue;
      const base::SourceFile& file = memory->files.emplace_back(path, files_.text_of(path));
      base::Diagnostics ignored;
      const auto documents = yaml::read(file, memory->arena, ignored);
      if (!documents.empty()) source = patched(source, documents.front().root, yaml::Maker(memory->arena));
    }
    root.memory = memory;
    set_type(*source, root);
    if (root.content == Content::Chart) set_release(object, source->get("helm"), root);
  }

  // A JSON merge patch.
  static const Node* patched(const Node* base, const Node* patch, const yaml::Maker& make) {
    if (!patch->is_map()) return patch;
    const Node* all = base && base->is_map() ? base : nullptr;
    for (const yaml::Entry& entry : patch->entries()) {
      const Node* before = all ? all->get(entry.key) : nullptr;
      all = make.with(all, entry.key, entry.value->is_null() ? nullptr : patched(before, entry.value, make));
    }
    return all ? all : patch;
  }

  void set_type(const Node& source, Root& root) const {
    const Node* directory = source.get("directory");
    const Node* helm = source.get("helm");
    const Node* kustomize = source.get("kustomize");
    const bool is_kustomization = root.content == Content::Kustomization;
    if (source.get("plugin")) {
      root.missing = "a plugin makes its manifests";
    } else if (helm || (!is_kustomization && !kustomize && !directory &&
                        files_.exists(root.folder + "/Chart.yaml"))) {
      root.content = Content::Chart;
    } else if (directory && !kustomize) {
      root.content = Content::Files;
    }
    if (root.content == Content::Chart && root.missing.empty() && !helm::is_chart(files_, root.folder))
      root.missing = "it is not a chart";
    if (root.content == Content::Kustomization)
      root.spec = kustomize && kustomize->is_map() ? kustomize : nullptr;
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
      const Node* forced = value_of_any_case(*parameter, "forcestring");
      const Node* value = parameter->get("value");
      release.parameters.push_back({std::string(yaml::string_at(*parameter, "name")),
                                    std::string(value ? value->text() : ""),
                                    forced && forced->text() == "true"});
    }
    root.ignored = present(helm, "helm", {"fileParameters", "apiVersions"});
  }

  // Resolves a values file: "$values/envs/prod.yaml" is in the repository of the source with the ref
  // "values", which may be this one.
  std::string values_file(const std::string& chart, std::string_view path) const {
    if (path.starts_with('$')) {
      const size_t slash = std::min(path.find('/'), path.size());
      if (names_.contains(std::string(path.substr(1, slash - 1))))
        return path_in(repository_.folder, path.substr(slash));
    }
    if (path.find("://") != std::string_view::npos) return "";
    if (path.starts_with('/')) return path_in(repository_.folder, path);
    return base::shortest_path(base::absolute_path(base::normal_path(fmt::format("{}/{}", chart, path))));
  }

  const Repository& repository_;
  const base::FileSystem& files_;
  std::set<std::string> names_;  // the refs of the Application's sources
};

}  // namespace

std::vector<Root> read_application(const Repository& repository, const Manifest& object) {
  return ArgoReader(repository).read(object);
}

}  // namespace trainjobc::gitops
