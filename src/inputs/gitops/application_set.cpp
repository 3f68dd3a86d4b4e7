// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/application_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/arena.h"
#include "base/files/paths.h"
#include "base/source.h"
#include "base/text/glob.h"
#include "base/text/text.h"
#include "inputs/gitops/own_source.h"
#include "inputs/gitops/templates.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// More is a mistake or an attack.
constexpr size_t kMostApplications = 5000;

struct SetMemory {
  std::deque<base::SourceFile> files;
  base::Arena arena;
};

class SetExpander {
 public:
  SetExpander(const Repository& repository, const Manifest& object)
      : repository_(repository),
        object_(object),
        spec_(*object.root->get("spec")),
        memory_(std::make_shared<SetMemory>()),
        make_(memory_->arena),
        is_go_(yaml::is_true_at(spec_, "goTemplate")) {}

  ExpandedSet expand() {
    for (const Node* generator : yaml::items_at(spec_, "generators")) {
      const Node* own = generator->get("template");
      for (const Parameters& parameters : made_by(*generator)) add(parameters, own);
    }
    result_.memory = memory_;
    return std::move(result_);
  }

 private:
  using All = std::vector<Parameters>;

  void miss(std::string why) {
    if (!base::contains(result_.missing, why)) result_.missing.push_back(std::move(why));
  }

  All made_by(const Node& generator) {
    All all;
    if (const Node* list = generator.get("list"))
      all = from_list(*list);
    else if (const Node* git = generator.get("git"))
      all = from_git(*git);
    else if (const Node* matrix = generator.get("matrix"))
      all = from_matrix(*matrix);
    else if (const Node* merge = generator.get("merge"))
      all = from_merge(*merge);
    else if (generator.size() > 0)
      miss(fmt::format("its generator {} asks a cluster or a service", generator.entries().front().key));
    select(generator, all);
    if (all.size() > kMostApplications) {
      miss(fmt::format("it makes more than {} Applications", kMostApplications));
      all.resize(kMostApplications);
    }
    return all;
  }

  static void flatten(const Node& node, const std::string& path, std::map<std::string, std::string>& flat) {
    if (node.is_scalar()) flat[path] = node.is_null() ? "" : std::string(node.text());
    for (const yaml::Entry& entry : node.entries())
      flatten(*entry.value, path.empty() ? std::string(entry.key) : fmt::format("{}.{}", path, entry.key),
              flat);
    for (size_t i = 0; i < node.items().size(); ++i)
      flatten(*node.items()[i], fmt::format("{}.{}", path, i), flat);
  }

  Parameters of(const Node* tree) const {
    Parameters parameters{.tree = tree};
    if (!is_go_) flatten(*tree, "", parameters.flat);
    return parameters;
  }

  All from_list(const Node& list) {
    All all;
    for (const Node* element : yaml::items_at(list, "elements")) {
      if (element->is_map()) all.push_back(of(element));
    }
    if (const Node* text = list.get("elementsYaml")) {
      for (const Node* element : documents_of("", std::string(expanded(text->text(), {}).value_or("")))) {
        for (const Node* item : element->items()) {
          if (item->is_map()) all.push_back(of(item));
        }
      }
    }
    return all;
  }

  std::vector<const Node*> documents_of(const std::string& path, std::string text) {
    std::vector<const Node*> roots;
    base::Diagnostics ignored;
    for (const yaml::Document& document :
         yaml::read(memory_->files.emplace_back(path, std::move(text)), memory_->arena, ignored))
      roots.push_back(document.root);
    return roots;
  }

  All from_git(const Node& git) {
    const std::string why = repository_.source.why_other_url(yaml::string_at(git, "repoURL"));
    if (!why.empty()) {
      miss("of its git generator, " + why);
      return {};
    }
    All all = git.get("files") ? from_files(git) : from_directories(git);
    const Node* values = git.get("values");
    for (Parameters& parameters : all) add_values(values, parameters);
    return all;
  }

  void add_values(const Node* values, Parameters& parameters) {
    if (!values || !values->is_map()) return;
    const Node* own = nullptr;
    for (const yaml::Entry& entry : values->entries()) {
      const std::string text = expanded(entry.value->text(), parameters).value_or("");
      parameters.flat[fmt::format("values.{}", entry.key)] = text;
      own = make_.with(own, entry.key, make_.copied(text, entry.value->origin()));
    }
    parameters.tree = make_.with(parameters.tree, "values", own);
  }

  struct FoundPath {
    std::string path;  // in the repository
    bool is_folder = false;
  };

  // Those of the repository's paths that one glob of the list names, and none with `exclude` does.
  template <class Matches>
  std::vector<std::string> named_paths(const Node& git, std::string_view list, Matches matches) {
    if (!paths_) walk("", paths_.emplace());
    std::vector<std::string> named;
    for (const FoundPath& found : *paths_) {
      if (found.is_folder != (list == "directories")) continue;
      bool is_named = false;
      bool is_excluded = false;
      for (const Node* one : yaml::items_at(git, list)) {
        if (!matches(yaml::string_at(*one, "path"), found.path)) continue;
        (yaml::is_true_at(*one, "exclude") ? is_excluded : is_named) = true;
      }
      if (is_named && !is_excluded) named.push_back(found.path);
    }
    return named;
  }

  // A * of their globs does not match a slash.
  All from_directories(const Node& git) {
    const auto matches = [](std::string_view glob, const std::string& folder) {
      return base::matches_glob(base::normal_path(glob), folder, base::Stars::Git);
    };
    All all;
    for (const std::string& folder : named_paths(git, "directories", matches))
      all.push_back(with_path(nullptr, folder, "", git));
    return all;
  }

  All from_files(const Node& git) {
    All all;
    for (const std::string& path : named_paths(git, "files", matches_argo_glob)) add_file(path, git, all);
    return all;
  }

  // Adds the parameters of the file's map, or of each map in its list.
  void add_file(const std::string& path, const Node& git, All& all) {
    const std::string place = path_in(repository_.folder, path);
    const auto documents = documents_of(place, repository_.files.text_of(place));
    if (documents.empty()) return;
    std::vector<const Node*> maps = yaml::copied_items(documents.front());
    if (documents.front()->is_map()) maps = {documents.front()};
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    for (const Node* map : maps) {
      if (map->is_map()) all.push_back(with_path(map, folder, path.substr(slash + 1), git));
    }
  }

  // Adds the parameters of a folder, or of a file in it.
  Parameters with_path(const Node* tree, const std::string& folder, const std::string& file,
                       const Node& git) {
    const std::string base_name = folder.substr(folder.rfind('/') + 1);
    const std::string prefix(yaml::string_at(git, "pathParamPrefix"));
    Parameters parameters;
    if (tree && !is_go_) flatten(*tree, "", parameters.flat);
    const std::string key = prefix.empty() ? "path" : prefix + ".path";
    const Node* path = nullptr;
    const auto add = [&](std::string_view name, const std::string& value) {
      parameters.flat[name == "path" ? key : fmt::format("{}.{}", key, name)] = value;
      path = make_.with(path, make_.copied(name)->text(), make_.copied(value));
    };
    add("path", folder);
    add("basename", base_name);
    add("basenameNormalized", normalized_name(base_name));
    if (!file.empty()) {
      add("filename", file);
      add("filenameNormalized", normalized_name(file));
    }
    std::vector<const Node*> segments;
    for (const std::string_view segment : base::split(folder, "/")) {
      parameters.flat[fmt::format("{}[{}]", key, segments.size())] = segment;
      segments.push_back(make_.copied(segment));
    }
    path = make_.with(path, "segments", make_.list(segments));
    parameters.tree = make_.with(tree, "path", path);
    if (!prefix.empty())
      parameters.tree = make_.with(tree, make_.copied(prefix)->text(), make_.with(nullptr, "path", path));
    return parameters;
  }

  void walk(const std::string& below, std::vector<FoundPath>& paths) const {
    const std::string folder = path_in(repository_.folder, below);
    auto listed = repository_.files.list(folder);
    const auto* entries = std::get_if<std::vector<base::DirectoryEntry>>(&listed);
    if (!entries) return;
    for (const base::DirectoryEntry& entry : *entries) {
      const std::string path = below.empty() ? entry.name : fmt::format("{}/{}", below, entry.name);
      const bool is_folder = entry.kind == base::FileKind::Directory;
      if (is_folder && (entry.is_link || entry.name.starts_with('.'))) continue;
      if (is_folder || entry.kind == base::FileKind::File) paths.push_back({path, is_folder});
      if (is_folder) walk(path, paths);
    }
  }

  static Parameters merged_parameters(Parameters base, const Parameters& over, const yaml::Maker& make) {
    for (const yaml::Entry& entry : over.tree->entries())
      base.tree = make.with(base.tree, entry.key, entry.value);
    for (const auto& [key, value] : over.flat) base.flat[key] = value;
    return base;
  }

  All from_matrix(const Node& matrix) {
    const auto generators = yaml::items_at(matrix, "generators");
    if (generators.size() != 2) return {};
    All all;
    for (const Parameters& first : made_by(*generators[0])) {
      const Node* second = expanded_node(*generators[1], first);
      if (!second) continue;
      for (const Parameters& other : made_by(*second)) all.push_back(merged_parameters(first, other, make_));
      if (all.size() > kMostApplications) break;
    }
    return all;
  }

  std::vector<std::string> keys_at(const Node& merge, const Parameters& parameters) const {
    std::vector<std::string> values;
    for (const Node* key : yaml::items_at(merge, "mergeKeys")) {
      const Node* node = parameters.tree;
      for (const std::string_view step : base::non_empty_parts(key->text(), "."))
        node = node ? node->get(step) : nullptr;
      values.emplace_back(yaml::text_of(node));
    }
    return values;
  }

  // Merges the first generator's parameters with those of the others that have the same keys.
  All from_merge(const Node& merge) {
    const auto generators = yaml::items_at(merge, "generators");
    All all = generators.empty() ? All() : made_by(*generators[0]);
    for (size_t i = 1; i < generators.size(); ++i) {
      for (const Parameters& other : made_by(*generators[i])) {
        for (Parameters& own : all) {
          if (keys_at(merge, own) == keys_at(merge, other))
            own = merged_parameters(std::move(own), other, make_);
        }
      }
    }
    return all;
  }

  void select(const Node& generator, All& all) {
    const Node* selector = generator.get("selector");
    if (!selector) return;
    if (!yaml::items_at(*selector, "matchExpressions").empty()) miss("its selector has matchExpressions");
    const Node* labels = selector->get("matchLabels");
    if (!labels || !labels->is_map()) return;
    std::erase_if(all, [&](const Parameters& parameters) {
      std::map<std::string, std::string> flat;
      flatten(*parameters.tree, "", flat);
      return std::ranges::any_of(labels->entries(), [&](const yaml::Entry& entry) {
        return base::value_or(flat, std::string(entry.key)) != entry.value->text();
      });
    });
  }

  std::optional<std::string> expanded(std::string_view text, const Parameters& parameters) {
    if (text.find("{{") == std::string_view::npos) return std::string(text);
    if (!is_go_) return expand_fast(text, parameters.flat);
    std::string unknown;
    auto result = expand_go(text, parameters.tree, unknown);
    if (!result) miss(fmt::format("its template has {{{{{}}}}}", unknown));
    return result;
  }

  // Returns nullptr if a template can't be expanded.
  const Node* expanded_node(const Node& node, const Parameters& parameters) {
    if (node.is_string()) {
      const auto text = expanded(node.text(), parameters);
      if (!text) return nullptr;
      return *text == node.text() ? &node : make_.copied(*text, node.origin());
    }
    bool is_whole = true;
    const auto change = [&](std::string_view, const Node& value) {
      const Node* made = expanded_node(value, parameters);
      is_whole = is_whole && made;
      return made ? made : &value;
    };
    const Node* made = yaml::with_values(node, make_, change);
    return is_whole ? made : nullptr;
  }

  static const Node* merged_template(const Node* base, const Node* over, const yaml::Maker& make) {
    if (!base || !over || !base->is_map() || !over->is_map()) return over ? over : base;
    const Node* all = base;
    for (const yaml::Entry& entry : over->entries())
      all = make.with(all, entry.key, merged_template(base->get(entry.key), entry.value, make));
    return all;
  }

  void add(const Parameters& parameters, const Node* own_template) {
    const Node* written = merged_template(spec_.get("template"), own_template, make_);
    if (!written || !written->is_map()) return;
    const Node* made = expanded_node(*written, parameters);
    if (!made) return;
    if (const Node* patch = spec_.get("templatePatch")) {
      const auto text = expanded(patch->text(), parameters);
      if (!text) return;
      for (const Node* document : documents_of(object_.file, *text))
        made = merged_template(made, document, make_);
    }
    const yaml::Origin origin = object_.root->origin();
    std::vector<yaml::Entry> entries{{"apiVersion", make_.string("argoproj.io/v1alpha1", origin), origin},
                                     {"kind", make_.string("Application", origin), origin}};
    for (const yaml::Entry& entry : made->entries()) entries.push_back(entry);
    const Node* root = make_.map(entries, origin);
    if (const Node* ns = object_.root->at({"metadata", "namespace"}))
      root = make_.with_path(root, {"metadata", "namespace"}, ns);
    result_.applications.push_back({root, object_.file, object_.line});
  }

  const Repository& repository_;
  const Manifest& object_;
  const Node& spec_;
  std::shared_ptr<SetMemory> memory_;
  yaml::Maker make_;
  const bool is_go_;
  std::optional<std::vector<FoundPath>> paths_;  // once a generator asks for them
  ExpandedSet result_;
};

}  // namespace

ExpandedSet expand_application_set(const Repository& repository, const Manifest& object) {
  return SetExpander(repository, object).expand();
}

}  // namespace trainjobc::gitops
