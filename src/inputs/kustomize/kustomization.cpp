// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/kustomization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"

namespace trainjobc::kustomize {

using yaml::Node;

namespace {

// The fields of folders, which may be repositories.
constexpr std::array<std::string_view, 6> kFolders{"resources",  "bases",        "components",
                                                   "generators", "transformers", "validators"};
// A repository has dozens; more is a mistake or an attack.
constexpr size_t kMostKustomizations = 2000;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) {
    return text.size() >= prefix.size() && base::lower_case(text.substr(0, prefix.size())) == prefix;
  });
}

// The field of folders that kustomize takes the key for: it ignores case, as Go does when it reads JSON. ""
// if there is none, or the key is spelled like the field.
std::string_view taken_for(std::string_view key) {
  std::string folded = base::lower_case(key);
  for (const auto& [letter, plain] : {std::pair{"\u017f", "s"}, std::pair{"\u212a", "k"}}) {
    for (size_t at = folded.find(letter); at != std::string::npos; at = folded.find(letter))
      folded.replace(at, std::string_view(letter).size(), plain);
  }
  for (const std::string_view field : kFolders) {
    if (folded == field && key != field) return field;
  }
  return "";
}

// Whether kustomize would load the text over HTTP in a field that names a file.
bool is_fetched(std::string_view text) {
  return starts_with_any(text, {"http://", "https://"});
}

}  // namespace

// Covers at least all that NewRepoSpecFromURL in sigs.k8s.io/kustomize/api/internal/git takes for a
// repository.
bool is_remote(std::string_view path) {
  const size_t at = path.find('@');
  const bool has_user = at != std::string_view::npos && at > 0 && path.find('/') > at;
  return has_user || path.find("://") != std::string_view::npos ||
         starts_with_any(path,
                         {"git::", "gh:", "github.com/", "github.com:"});  // gh: works until kustomize 4
}

bool is_kustomization(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return base::contains(kKustomizationFiles, name);
}

std::string find_kustomization(const base::FileSystem& files, const std::string& folder) {
  for (const std::string_view name : kKustomizationFiles) {
    const std::string path = base::normal_path(fmt::format("{}/{}", folder, name));
    if (files.kind(path) == base::FileKind::File) return path;
  }
  return "";
}

// Reads what a root needs, each file and kustomization once.
class TreeReader {
 public:
  explicit TreeReader(const base::FileSystem& files) : files_(files), tree_(std::make_shared<Tree>()) {}

  std::shared_ptr<const Tree> read(const std::string& folder,
                                   std::shared_ptr<const Replacement> replacement) {
    tree_->replacement_ = std::move(replacement);
    root_folder_ = base::absolute_path(folder);
    tree_->root_ = kustomization(base::normal_path(folder));
    if (tree_->root_) tree_->resources_ = resources_of(*tree_->root_);
    return std::move(tree_);
  }

 private:
  using Documents = std::vector<const Node*>;

  // Sets `problem` if some of the text can't be read.
  Documents documents_of(const base::SourceFile& source, std::optional<Obstacle>& problem) {
    Documents roots;
    base::Diagnostics problems;
    for (const yaml::Document& document : yaml::read(source, tree_->arena_, problems))
      roots.push_back(document.root);
    const auto error =
        std::ranges::find(problems.items(), base::Severity::Error, &base::Diagnostic::severity);
    if (error != problems.items().end()) problem = Obstacle{error->location, error->message};
    return roots;
  }

  const Documents& file(const std::string& path) {
    const std::string place = base::absolute_path(path);
    const auto [at, is_new] = tree_->documents_.try_emplace(place);
    if (!is_new) return at->second;
    auto text = files_.read(path);
    std::optional<Obstacle> problem;
    if (auto* read = std::get_if<std::string>(&text)) {
      tree_->files_.insert(place);
      at->second = documents_of(tree_->sources_.emplace_back(path, std::move(*read)), problem);
    } else {
      problem = Obstacle{{&tree_->inline_.emplace_back(path, "")}, std::get<base::IoError>(text).message};
    }
    if (problem) unreadable_.emplace(place, std::move(*problem));
    return at->second;
  }

  // Adds an obstacle for a file that can't be read here: kustomize may read it in another way, and then fetch
  // something.
  void check_readable(const std::string& path) {
    const auto found = unreadable_.find(base::absolute_path(path));
    if (found != unreadable_.end()) tree_->obstacles_.push_back(found->second);
  }

  // nullptr if the folder has no kustomization, or it includes itself.
  const Kustomization* kustomization(const std::string& folder) {
    const std::string place = base::absolute_path(folder);
    if (const auto known = kustomizations_.find(place); known != kustomizations_.end()) return known->second;
    kustomizations_[place] = nullptr;
    const bool is_replaced = tree_->replacement_ && place == root_folder_;
    std::string path = find_kustomization(files_, folder);
    if (path.empty() && is_replaced) path = base::normal_path(folder + "/kustomization.yaml");
    if (path.empty()) return nullptr;
    if (is_replaced && files_.exists(path)) file(path);
    const Documents replaced = is_replaced ? Documents{tree_->replacement_->root} : Documents();
    const Documents& documents = is_replaced ? replaced : file(path);
    check_readable(path);
    if (documents.empty() || !documents.front()->is_map()) return nullptr;
    if (documents.size() > 1)
      add_obstacle(*documents[1], "kustomize reads only the first document of a kustomization");
    if (tree_->kustomizations_.size() == kMostKustomizations) {
      add_obstacle(*documents.front(),
                   fmt::format("the root has more than {} kustomizations", kMostKustomizations));
      return nullptr;
    }
    tree_->folders_.insert(place);
    Kustomization& own = tree_->kustomizations_.emplace_back();
    own.folder = folder;
    own.path = path;
    own.root = documents.front();
    own.is_component = yaml::string_at(*own.root, "kind") == "Component";
    read_resources(own);
    read_patches(own);
    check_others(own);
    kustomizations_[place] = &own;
    return &own;
  }

  void read_resources(Kustomization& own) {
    for (const std::string_view key : {"resources", "bases"}) {
      for (const Node* item : yaml::items_at(*own.root, key)) {
        const std::string path = local_path(own, *item);
        if (path.empty()) continue;
        if (files_.is_directory(path)) {
          if (const Kustomization* base = kustomization(path)) own.bases.push_back(base);
        } else {
          for (const Node* document : file(path)) add_resource(own, *document);
        }
      }
    }
    for (const Node* item : yaml::items_at(*own.root, "components")) {
      const std::string path = local_path(own, *item);
      const Kustomization* component = path.empty() ? nullptr : kustomization(path);
      if (component) own.components.push_back(component);
    }
  }

  // Adds a resource; for a List, its items.
  static void add_resource(Kustomization& own, const Node& document) {
    const Node* items = document.get("items");
    if (!items || !items->is_list() || !yaml::string_at(document, "kind").ends_with("List")) {
      own.resources.push_back(&document);
      return;
    }
    for (const Node* item : items->items()) own.resources.push_back(item);
  }

  void add_obstacle(const Node& node, std::string message) {
    tree_->obstacles_.push_back({yaml::locate(node), std::move(message)});
  }

  void add_remote(std::string_view path, const Node& node) {
    const bool is_fetched = is_remote(path);
    tree_->obstacles_.push_back({yaml::locate(node),
                                 is_fetched ? fmt::format("{} is not here: kustomize would fetch it", path)
                                            : fmt::format("there is no file or folder {}", path),
                                 is_fetched});
  }

  // The path of the item; "" after adding an obstacle if it is not on this machine.
  std::string local_path(const Kustomization& own, const Node& item) {
    if (!item.is_string()) return "";
    std::string path = base::normal_path(fmt::format("{}/{}", own.folder, item.text()));
    if (!is_remote(item.text()) && files_.exists(path)) return path;
    add_remote(item.text(), item);
    return "";
  }

  void read_patches(Kustomization& own) {
    for (const Node* item : yaml::items_at(*own.root, "patchesStrategicMerge")) add_patch(own, item, nullptr);
    for (const std::string_view key : {"patches", "patchesJson6902"}) {
      for (const Node* item : yaml::items_at(*own.root, key)) {
        const Node* body = item->get("path") ? item->get("path") : item->get("patch");
        add_patch(own, body, item->get("target"), yaml::is_true_at(*item, {"options", "allowNameChange"}));
      }
    }
  }

  // `body` is a path, or the patch itself as a string.
  void add_patch(Kustomization& own, const Node* body, const Node* target, bool may_rename = false) {
    if (!body || !body->is_string()) return;
    const std::string path = base::normal_path(fmt::format("{}/{}", own.folder, body->text()));
    const bool is_path = body->text().find('\n') == std::string_view::npos && files_.exists(path);
    if (is_path) tree_->patch_files_.insert(base::absolute_path(path));
    if (is_path) {
      for (const Node* document : file(path)) own.patches.push_back({document, target, may_rename});
      return;
    }
    // The patch's values are located at the string that contains it.
    const yaml::Maker make(tree_->arena_);
    const yaml::Origin origin = make.made("kustomize/patches", {body});
    const auto at = [&](const yaml::Origin&) { return origin; };
    std::optional<Obstacle> ignored;
    for (const Node* document :
         documents_of(tree_->inline_.emplace_back(own.path, std::string(body->text())), ignored))
      own.patches.push_back({yaml::with_origins(*document, make, at), target, may_rename});
  }

  // Other fields that name files: an URL in one of them is fetched, too. So it is in the files of generators
  // and transformers, whose fields are not known here: no value of theirs may be one.
  void check_others(Kustomization& own) {
    static constexpr std::array<std::string_view, 6> kNotFiles{
        "labels", "commonLabels", "commonAnnotations", "metadata", "resources", "bases"};
    for (const yaml::Entry& entry : own.root->entries()) {
      if (!base::contains(kNotFiles, entry.key)) check_values(*entry.value);
      if (const std::string_view field = taken_for(entry.key); !field.empty())
        tree_->obstacles_.push_back(
            {yaml::locate_key(entry),
             fmt::format("unknown field \"{}\": kustomize takes it for {}", entry.key, field)});
    }
    for (const std::string_view key : {"generators", "transformers", "validators"}) {
      for (const Node* item : yaml::items_at(*own.root, key))
        check_plugins(own, *item, key == "transformers");
    }
    for (const Node* chart : yaml::items_at(*own.root, "helmCharts")) check_chart(own, *chart);
  }

  // A chart that is not below chartHome is fetched from its repository.
  void check_chart(const Kustomization& own, const Node& chart) {
    const Node* repository = chart.get("repo");
    if (!repository || repository->text().empty() || is_fetched(repository->text())) return;
    std::string_view home = yaml::string_at(*own.root, {"helmGlobals", "chartHome"});
    if (home.empty()) home = "charts";
    const std::string path =
        base::normal_path(fmt::format("{}/{}/{}", own.folder, home, yaml::string_at(chart, "name")));
    if (!files_.exists(path)) add_remote(repository->text(), *repository);
  }

  // The patches of kustomize's own transformers are patches like others.
  void take_transformer(Kustomization& own, const Node& document) {
    own.transformers.push_back(&document);
    const Node* target = document.get("target");
    for (const std::string_view field : {"patch", "path", "jsonOp"}) {
      if (const Node* body = document.get(field)) add_patch(own, body, target);
    }
    if (const Node* patches = document.get("patches")) add_patch(own, patches, target);
    for (const Node* path : yaml::items_at(document, "paths")) add_patch(own, path, target);
  }

  void check_values(const Node& node) {
    static constexpr std::array<std::string_view, 4> kNotFiles{"literals", "annotations", "labels", "patch"};
    for (const yaml::Entry& entry : node.entries()) {
      if (!base::contains(kNotFiles, entry.key)) check_values(*entry.value);
    }
    for (const Node* item : node.items()) check_values(*item);
    if (!node.is_string()) return;
    const std::string_view text = node.text();
    const size_t file = text.find('=') + 1;  // for key=file
    if (is_fetched(text) || is_fetched(text.substr(file))) add_remote(text, node);
  }

  // Of a file, a folder or a text in the kustomization.
  void check_plugins(Kustomization& own, const Node& item, bool transforms) {
    if (item.text().find('\n') != std::string_view::npos) {
      const base::SourceFile& text = tree_->inline_.emplace_back(own.path, std::string(item.text()));
      const size_t before = tree_->obstacles_.size();
      std::optional<Obstacle> problem;
      // The values of the patch are located where its text is.
      const yaml::Maker make(tree_->arena_);
      const yaml::Origin origin = make.made("kustomize/transformers", {&item});
      for (const Node* document : documents_of(text, problem)) {
        check_values(*document);
        const auto at = [&](const yaml::Origin&) { return origin; };
        if (transforms) take_transformer(own, *yaml::with_origins(*document, make, at));
      }
      if (problem) tree_->obstacles_.push_back(std::move(*problem));
      for (size_t i = before; i < tree_->obstacles_.size(); ++i)
        tree_->obstacles_[i].location = yaml::locate(item);
      return;
    }
    const std::string path = local_path(own, item);
    if (path.empty()) return;
    if (files_.is_directory(path)) {
      kustomization(path);
    } else {
      for (const Node* document : file(path)) {
        check_values(*document);
        if (transforms) take_transformer(own, *document);
      }
      check_readable(path);
    }
  }

  // Returns the resources in kustomize's order: bases and own resources, components, patches, names.
  std::vector<Resource> resources_of(const Kustomization& own) {
    std::vector<Resource> all;
    const auto add = [&](std::vector<Resource> more) { std::ranges::move(more, std::back_inserter(all)); };
    for (const Kustomization* base : own.bases) add(resources_of(*base));
    for (const Node* document : own.resources) {
      Resource resource{.root = document, .kind = std::string(yaml::string_at(*document, "kind"))};
      resource.names.emplace_back(yaml::string_at(*document, {"metadata", "name"}));
      all.push_back(std::move(resource));
    }
    for (const Kustomization* component : own.components) {
      add(resources_of(*component));
      apply(*component, all);
    }
    if (!own.is_component) apply(own, all);
    return all;
  }

  static void apply(const Kustomization& own, std::vector<Resource>& all) {
    const std::string_view prefix = yaml::string_at(*own.root, "namePrefix");
    const std::string_view suffix = yaml::string_at(*own.root, "nameSuffix");
    const PatchIndex patches(own.patches);
    for (Resource& resource : all) {
      resource.layers.push_back(&own);
      for (const size_t i : patches.candidates(resource)) {
        const Patch& patch = own.patches[i];
        if (!is_for(patch, resource)) continue;
        resource.patches.push_back(patch);
        const std::string_view name = patch.may_rename ? new_name(patch) : "";
        if (!name.empty()) resource.aliases.emplace_back(name);
      }
      if (prefix.empty() && suffix.empty()) continue;
      const auto renamed = [&](const std::string& name) {
        return fmt::format("{}{}{}", prefix, name, suffix);
      };
      resource.names.push_back(renamed(resource.names.back()));
      for (std::string& alias : resource.aliases) alias = renamed(alias);
    }
  }

  // The name that the patch sets; "" if it leaves the name as it is.
  static std::string_view new_name(const Patch& patch) {
    if (!patch.is_operations()) return yaml::string_at(*patch.body, {"metadata", "name"});
    std::string_view name;
    for (const Node* operation : patch.body->items()) {
      if (yaml::string_at(*operation, "path") == "/metadata/name")
        name = yaml::string_at(*operation, "value");
    }
    return name;
  }

  static std::string_view target_name(const Patch& patch) {
    return patch.target ? yaml::string_at(*patch.target, "name")
                        : yaml::string_at(*patch.body, {"metadata", "name"});
  }

  // Names of targets are regular expressions; only plain ones are compared.
  static bool is_plain(std::string_view name) {
    return name.find_first_of("*.+?|([{^$\\") == std::string_view::npos;
  }

  // Looks up patches by the name of their target.
  class PatchIndex {
   public:
    explicit PatchIndex(const std::vector<Patch>& patches) {
      for (size_t i = 0; i < patches.size(); ++i) {
        const std::string_view name = target_name(patches[i]);
        auto& list = name.empty() || !is_plain(name) ? of_any_ : named_[name];
        list.push_back(i);
      }
    }

    // The numbers of the patches that may be for the resource, in order.
    std::set<size_t> candidates(const Resource& resource) const {
      std::set<size_t> numbers(of_any_.begin(), of_any_.end());
      for (const std::string& name : resource.names) {
        const auto found = named_.find(name);
        if (found != named_.end()) numbers.insert(found->second.begin(), found->second.end());
      }
      return numbers;
    }

   private:
    std::map<std::string_view, std::vector<size_t>> named_;
    std::vector<size_t> of_any_;
  };

  // Whether one of those candidates may be for the resource.
  static bool is_for(const Patch& patch, const Resource& resource) {
    const std::string_view kind = yaml::string_at(patch.target ? *patch.target : *patch.body, "kind");
    if (!kind.empty() && is_plain(kind) && kind != resource.kind) return false;
    return patch.target || !target_name(patch).empty();
  }

  const base::FileSystem& files_;
  std::shared_ptr<Tree> tree_;
  std::string root_folder_;                                     // the absolute path
  std::map<std::string, const Kustomization*> kustomizations_;  // by absolute folder
  std::map<std::string, Obstacle> unreadable_;                  // by absolute path
};

std::vector<const base::SourceFile*> Tree::sources() const {
  std::vector<const base::SourceFile*> all;
  for (const base::SourceFile& source : sources_) all.push_back(&source);
  return all;
}

std::vector<const Node*> Tree::helm_charts() const {
  std::vector<const Node*> all;
  for (const Kustomization& own : kustomizations_) base::append(all, yaml::items_at(*own.root, "helmCharts"));
  return all;
}

std::span<const Node* const> Tree::documents(const std::string& file) const {
  const auto found = documents_.find(file);
  if (found == documents_.end()) return {};
  return found->second;
}

secret::SecretTexts Tree::secrets() const {
  secret::SecretTexts secrets;
  for (const auto& [path, documents] : documents_) {
    for (const Node* document : documents) secrets.collect_unmarked(*document);
  }
  for (const Kustomization& own : kustomizations_) {
    for (const Patch& patch : own.patches) secrets.collect_unmarked(*patch.body);
  }
  return secrets;
}

std::shared_ptr<const Tree> read_tree(const base::FileSystem& files, const std::string& folder,
                                      std::shared_ptr<const Replacement> replacement) {
  return TreeReader(files).read(folder, std::move(replacement));
}

}  // namespace trainjobc::kustomize
