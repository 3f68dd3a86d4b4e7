// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/dependencies.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"

namespace trainjobc::kustomize {
namespace {

using yaml::Node;

// How a field of a kustomization names files.
enum class FilesOf {
  None,
  Folders,     // or files: the tree has the folders
  List,        // paths
  Patches,     // paths, or patches as texts
  PatchPaths,  // path: of the items
  Path,        // path: of the map
  Generators,  // files: and envs: of the items
};

struct Field {
  std::string_view name;
  FilesOf files = FilesOf::None;
};

// Source: sigs.k8s.io/kustomize/api, types.Kustomization. Those that run or fetch something are left out.
constexpr std::array<Field, 27> kFields{{{"apiVersion"},
                                         {"kind"},
                                         {"metadata"},
                                         {"namePrefix"},
                                         {"nameSuffix"},
                                         {"namespace"},
                                         {"commonLabels"},
                                         {"commonAnnotations"},
                                         {"labels"},
                                         {"images"},
                                         {"replicas"},
                                         {"vars"},
                                         {"generatorOptions"},
                                         {"buildMetadata"},
                                         {"sortOptions"},
                                         {"resources", FilesOf::Folders},
                                         {"bases", FilesOf::Folders},
                                         {"components", FilesOf::Folders},
                                         {"crds", FilesOf::List},
                                         {"configurations", FilesOf::List},
                                         {"patchesStrategicMerge", FilesOf::Patches},
                                         {"patches", FilesOf::PatchPaths},
                                         {"patchesJson6902", FilesOf::PatchPaths},
                                         {"replacements", FilesOf::PatchPaths},
                                         {"openapi", FilesOf::Path},
                                         {"configMapGenerator", FilesOf::Generators},
                                         {"secretGenerator", FilesOf::Generators}}};

constexpr std::array<std::string_view, 9> kGeneratorFields{
    "name", "namespace", "behavior", "type", "files", "literals", "envs", "env", "options"};

// Whether a line of variables has no value: kustomize then takes the value from the environment.
bool takes_environment(std::string_view variables) {
  constexpr std::string_view kSpaces = " \t\r\v\f";
  for (const std::string_view line : base::Lines(variables)) {
    const std::string_view own = base::trimmed(line, kSpaces);
    if (!own.empty() && !own.starts_with('#') && own.find('=') == std::string_view::npos) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const base::FileSystem& files, const Tree& tree) : files_(files), tree_(tree) {}

  std::shared_ptr<const base::Dependencies> find() {
    if (!tree_.root() || !tree_.obstacles().empty() || !add(*tree_.root()) || has_links()) return nullptr;
    const std::string folder = base::absolute_path(tree_.root()->folder);
    auto found = std::make_shared<base::Dependencies>();
    found->call = "kustomize build";
    found->files = &files_;
    for (const auto& [place, path] : paths_) found->read.emplace_back(base::path_from(place, folder), path);
    return found;
  }

 private:
  bool add(const Kustomization& own) {
    if (!seen_.insert(&own).second) return true;
    // Of two, kustomize takes none.
    for (const std::string_view name : kKustomizationFiles) add_path(own, name);
    for (const yaml::Entry& entry : own.root->entries()) {
      const auto field = std::ranges::find(kFields, entry.key, &Field::name);
      if (field == kFields.end() || !add_field(own, field->files, *entry.value)) return false;
    }
    const auto add_all = [&](const std::vector<const Kustomization*>& others) {
      return std::ranges::all_of(others, [&](const Kustomization* other) { return add(*other); });
    };
    return add_all(own.bases) && add_all(own.components);
  }

  bool add_field(const Kustomization& own, FilesOf files, const Node& value) {
    if (files == FilesOf::None || value.is_null()) return true;
    if (files == FilesOf::Path) return value.is_map() && add_file_at(own, value, "path");
    if (!value.is_list()) return false;
    return std::ranges::all_of(value.items(), [&](const Node* item) { return add_item(own, files, *item); });
  }

  bool add_item(const Kustomization& own, FilesOf files, const Node& item) {
    switch (files) {
      case FilesOf::Folders:
        return item.is_string() && !is_remote(item.text()) &&
               (files_.is_directory(path_in(own, item.text())) || add_file(own, item.text()));
      case FilesOf::List: return item.is_string() && add_file(own, item.text());
      case FilesOf::Patches:
        if (item.is_string()) add_path(own, item.text());
        return item.is_string();
      case FilesOf::PatchPaths: return item.is_map() && add_file_at(own, item, "path");
      default: return item.is_map() && add_generator(own, item);
    }
  }

  bool add_generator(const Kustomization& own, const Node& generator) {
    const auto is_known = [](const yaml::Entry& entry) {
      return base::contains(kGeneratorFields, entry.key);
    };
    if (!std::ranges::all_of(generator.entries(), is_known)) return false;
    for (const Node* item : yaml::items_at(generator, "files")) {
      // "key=path"
      if (!item->is_string() || !add_file(own, item->text().substr(item->text().find('=') + 1))) return false;
    }
    const auto add_variables = [&](const Node& file) {
      return file.is_string() && add_file(own, file.text()) &&
             !takes_environment(files_.text_of(path_in(own, file.text())));
    };
    const Node* env = generator.get("env");
    if (env && !env->is_null() && !add_variables(*env)) return false;
    return std::ranges::all_of(yaml::items_at(generator, "envs"),
                               [&](const Node* item) { return add_variables(*item); });
  }

  // Adds the file that the map names, if any.
  bool add_file_at(const Kustomization& own, const Node& map, std::string_view key) {
    const Node* path = map.get(key);
    return !path || path->is_null() || (path->is_string() && add_file(own, path->text()));
  }

  bool add_file(const Kustomization& own, std::string_view name) {
    return !name.empty() && files_.kind(path_in(own, name)) == base::FileKind::File && add_path(own, name);
  }

  // Adds a file, or a text that would name a file if one of that name existed.
  bool add_path(const Kustomization& own, std::string_view name) {
    if (name.find('\n') != std::string_view::npos) return true;
    std::string path = path_in(own, name);
    std::string place = base::absolute_path(path);
    paths_.emplace(std::move(place), std::move(path));
    return true;
  }

  static std::string path_in(const Kustomization& own, std::string_view name) {
    if (name.starts_with('/')) return base::normal_path(name);
    return base::normal_path(own.folder + "/" + std::string(name));
  }

  // kustomize follows a link, and resolves the paths in a linked file from there.
  bool has_links() const {
    std::string folder = base::absolute_path(tree_.root()->folder);
    for (const auto& [place, path] : paths_) {
      while (!folder.empty() && base::path_below(place, folder).empty()) folder = base::parent_of(folder);
    }
    return std::ranges::any_of(paths_, [&](const auto& path) {
      return folder.empty() || !files_.stays_inside(folder, base::path_below(path.first, folder));
    });
  }

  const base::FileSystem& files_;
  const Tree& tree_;
  std::set<const Kustomization*> seen_;
  std::map<std::string, std::string> paths_;  // by absolute path
};

}  // namespace

std::shared_ptr<const base::Dependencies> dependencies_of(const base::FileSystem& files, const Tree& tree) {
  return Finder(files, tree).find();
}

}  // namespace trainjobc::kustomize
