// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "inputs/kustomize/kustomization.h"
#include "inputs/kustomize/patching.h"
#include "yaml/changes.h"

namespace trainjobc::kustomize {

std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/');
  const size_t colon = image.find(':', slash == std::string_view::npos ? 0 : slash);
  return image.substr(0, colon);
}

namespace {

using yaml::Entry;
using yaml::Node;
using yaml::Origin;

// The nodes at one place of an object, one for each layer that has it: the last applied first, the file's own
// last.
using Layers = std::vector<const Node*>;
using Path = FieldPath;

bool is_same_scalar(const Node& a, const Node& b) {
  return a.is_scalar() && b.is_scalar() && a.text() == b.text();
}

// What identifies an item of a list: its name, if it has one.
std::string_view name_of(const Node& item) {
  for (const std::string_view key : {"name", "mountPath", "manager", "key"}) {
    if (const Node* name = item.get(key); name && name->is_string()) return name->text();
  }
  return {};
}

// Looks up items of a list by what identifies them.
class Items {
 public:
  explicit Items(const Node& list) : list_(list) {
    for (const Node* item : list.items()) {
      named_.try_emplace(name_of(*item), item);
      if (item->is_scalar()) scalars_.try_emplace(item->text(), item);
    }
  }

  // The item that is most likely the same as one of another list; nullptr if there is none.
  const Node* same(const Node& item, size_t index) const {
    const std::string_view name = name_of(item);
    const auto& all = name.empty() ? scalars_ : named_;
    const auto found = all.find(name.empty() ? item.text() : name);
    if (found != all.end() && (!name.empty() || item.is_scalar())) return found->second;
    const bool is_unnamed =
        name.empty() && index < list_.items().size() && name_of(*list_.items()[index]).empty();
    return is_unnamed ? list_.items()[index] : nullptr;
  }

 private:
  const Node& list_;
  std::map<std::string_view, const Node*> named_;
  std::map<std::string_view, const Node*> scalars_;
};

std::string joined(const Path& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

// The fields of a kustomization that set values, by what they set. If several set the same, the first one
// counts.
struct Transformers {
  const Node* root = nullptr;
  std::map<std::string_view, const Node*> images;  // by repository
  std::map<std::string_view, const Node*> common;  // labels and annotations, by key
  std::map<std::string_view, const Node*>
      replacements;  // by path, for values that are in the kustomization itself
  std::map<std::string_view, std::vector<const Node*>> counts;  // fields `count` of replicas, by name

  explicit Transformers(const Node& kustomization) : root(&kustomization) {
    for (const Node* entry : yaml::items_at(*root, "images")) add_image(*entry);
    for (const std::string_view field : {"commonLabels", "commonAnnotations"}) add_common(root->get(field));
    for (const Node* entry : yaml::items_at(*root, "labels")) add_common(entry->get("pairs"));
    for (const Node* entry : yaml::items_at(*root, "replicas")) {
      if (const Node* count = entry->get("count")) counts[yaml::string_at(*entry, "name")].push_back(count);
    }
    for (const Node* entry : yaml::items_at(*root, "replacements")) {
      for (const Node* target : yaml::items_at(*entry, "targets")) {
        for (const Node* field : yaml::items_at(*target, "fieldPaths"))
          replacements.try_emplace(field->text(), field);
      }
    }
  }

  // The count for an object with one of these names, if it is the value; else nullptr.
  const Node* count(const std::vector<std::string>& names, const Node& value) const {
    for (const std::string& name : names) {
      const auto found = counts.find(name);
      if (found == counts.end()) continue;
      for (const Node* one : found->second) {
        if (is_same_scalar(*one, value)) return one;
      }
    }
    return nullptr;
  }

 private:
  void add_image(const Node& entry) {
    for (const std::string_view key : {"newTag", "digest", "newName"}) {
      if (const Node* field = entry.get(key)) {
        images.try_emplace(yaml::string_at(entry, "name"), field);
        return;
      }
    }
  }

  void add_common(const Node* map) {
    if (!map || !map->is_map()) return;
    for (const yaml::Entry& entry : map->entries()) common.try_emplace(entry.key, entry.value);
  }
};
using TransformersByRoot = std::map<const Node*, Transformers>;

// Finds the origins of one object.
class ObjectOrigins {
 public:
  ObjectOrigins(const Resource& resource, const TransformersByRoot& transformers, const yaml::Maker& make)
      : resource_(resource), transformers_(transformers), make_(make) {
    for (const Patch& patch : resource.patches) {
      if (patch.is_operations()) add_operations(*patch.body);
    }
  }

  const Node* of(const Node& root) {
    Layers layers;
    for (auto patch = resource_.patches.rbegin(); patch != resource_.patches.rend(); ++patch) {
      if (!patch->is_operations()) layers.push_back(patch->body);
    }
    layers.push_back(resource_.root);
    return node(root, layers, *resource_.root);
  }

 private:
  void add_operations(const Node& operations) {
    for (const Node* operation : operations.items()) {
      const Node* value = operation->get("value");
      const std::string_view pointer = yaml::string_at(*operation, "path");
      if (!value || !pointer.starts_with('/')) continue;
      Path path = parse_pointer(pointer);
      if (path.back() == "-") path.back() = "*";
      added_.insert_or_assign(joined(path), operation->get("path"));
      operations_[joined(path)].push_back(value);
    }
  }

  // Adds the values that JSON patch operations put at this place, the last applied first.
  void add_operated(Layers& layers) const {
    if (operations_.empty()) return;
    Layers own;
    const auto take = [&](const Path& path) {
      if (const auto found = operations_.find(joined(path)); found != operations_.end())
        own.insert(own.end(), found->second.rbegin(), found->second.rend());
    };
    take(path_);
    if (!path_.empty()) {
      Path appended = path_;
      appended.back() = "*";
      take(appended);
    }
    layers.insert(layers.begin(), own.begin(), own.end());
  }

  // `outer` is the nearest node above that is in a file.
  const Node* node(const Node& built, Layers layers, const Node& outer) {
    add_operated(layers);
    if (built.is_map()) return map(built, layers, outer);
    if (built.is_list()) return list(built, layers, outer);
    return make_.with_origin(built, scalar_origin(built, layers, outer));
  }

  // A missing field is reported where the object is written, not where a patch mentions it.
  static const Node* same_collection(const Node& built, const Layers& layers) {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if ((*layer)->kind() == built.kind()) return *layer;
    }
    return nullptr;
  }

  // The origin of a value that is in no file: it has the place of `from`, but another text.
  Origin derived(std::string_view rule, const Node& from) const { return make_.made(rule, {&from}); }

  const Node* map(const Node& built, const Layers& layers, const Node& outer) {
    const Node* own_map = same_collection(built, layers);
    const Node& near = own_map ? *own_map : outer;
    const Origin origin = own_map ? own_map->origin() : derived("kustomize", outer);
    std::vector<Entry> entries;
    for (const Entry& entry : built.entries()) {
      Layers below;
      Origin key_origin = origin;
      bool is_first = true;
      for (const Node* layer : layers) {
        const Entry* own = layer->find(entry.key);
        if (!own) continue;
        below.push_back(own->value);
        const bool has_value = entry.value->is_scalar() ? is_same_scalar(*own->value, *entry.value)
                                                        : own->value->kind() == entry.value->kind();
        if (is_first && has_value) {
          key_origin = own->key_origin;
          is_first = false;
        }
      }
      if (is_first && !below.empty()) key_origin = key_of(layers, entry.key);
      path_.emplace_back(entry.key);
      if (below.empty()) {
        // A patch's operation has added the field.
        if (const Node* added = base::value_or(added_, joined(path_))) key_origin = added->origin();
      }
      entries.push_back({entry.key, node(*entry.value, std::move(below), near), key_origin});
      path_.pop_back();
    }
    return make_.map(entries, origin);
  }

  static Origin key_of(const Layers& layers, std::string_view key) {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
      if (const Entry* own = (*layer)->find(key)) return own->key_origin;
    }
    return {};
  }

  const Node* list(const Node& built, const Layers& layers, const Node& outer) {
    const Node* own_list = same_collection(built, layers);
    const Node& near = own_list ? *own_list : outer;
    const Origin origin = own_list ? own_list->origin() : derived("kustomize", outer);
    std::vector<Items> known;
    for (const Node* layer : layers) known.emplace_back(*layer);
    std::vector<const Node*> items;
    for (size_t i = 0; i < built.items().size(); ++i) {
      const Node& item = *built.items()[i];
      Layers below;
      for (const Items& layer : known) {
        if (const Node* same = layer.same(item, i)) below.push_back(same);
      }
      path_.push_back(std::to_string(i));
      items.push_back(node(item, std::move(below), near));
      path_.pop_back();
    }
    return make_.list(items, origin);
  }

  Origin scalar_origin(const Node& built, const Layers& layers, const Node& outer) const {
    for (const Node* layer : layers) {
      if (is_same_scalar(*layer, built)) return layer->origin();
    }
    for (auto layer = resource_.layers.rbegin(); layer != resource_.layers.rend(); ++layer) {
      const Transformed by = transformer_of(built, layers, transformers_.at((*layer)->root));
      if (by.field) return derived(by.rule, *by.field);
    }
    for (auto layer = resource_.layers.rbegin(); layer != resource_.layers.rend(); ++layer) {
      for (const Node* transformer : (*layer)->transformers) {
        if (const Node* same = find_same(*transformer, built))
          return derived("kustomize/transformers", *same);
      }
    }
    return derived("kustomize", layers.empty() ? outer : *layers.back());
  }

  // The scalar below the node that is the value.
  static const Node* find_same(const Node& node, const Node& value) {
    if (node.is_scalar()) return is_same_scalar(node, value) && !node.text().empty() ? &node : nullptr;
    for (const Entry& entry : node.entries()) {
      if (const Node* same = find_same(*entry.value, value)) return same;
    }
    for (const Node* item : node.items()) {
      if (const Node* same = find_same(*item, value)) return same;
    }
    return nullptr;
  }

  struct Transformed {
    std::string_view rule;
    const Node* field = nullptr;  // nullptr if no field is known to have set the value
  };

  // Finds the field of a kustomization that set the value.
  Transformed transformer_of(const Node& built, const Layers& layers, const Transformers& from) const {
    const std::string path = joined(path_);
    if (const Node* field = base::value_or(from.replacements, path)) return {"kustomize/replacements", field};
    if (path == "metadata.namespace") return {"kustomize/namespace", from.root->get("namespace")};
    if (path == "metadata.name") {
      const Node* prefix = from.root->get("namePrefix");
      return {"kustomize/name", prefix ? prefix : from.root->get("nameSuffix")};
    }
    if (path.ends_with("image") && !layers.empty())
      return {"kustomize/images", base::value_or(from.images, repository_of(layers.back()->text()))};
    if (path.ends_with("replicas") || path.ends_with("numNodes"))
      return {"kustomize/replicas", from.count(resource_.names, built)};
    return {"kustomize/labels", base::value_or(from.common, path_.back())};
  }

  const Resource& resource_;
  const TransformersByRoot& transformers_;
  const yaml::Maker& make_;
  std::map<std::string, const Node*> added_;  // the paths of operations, by place
  std::map<std::string, Layers> operations_;  // values, by place; "*" as the last step: appended to the list
  Path path_;
};

class KustomizeRelocator final : public yaml::Relocator {
 public:
  explicit KustomizeRelocator(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {
    for (const Resource& resource : tree_->resources()) {
      resources_.emplace(std::pair(resource.kind, resource.names.back()), &resource);
      for (const Kustomization* layer : resource.layers) transformers_.try_emplace(layer->root, *layer->root);
    }
    // If a patch may have renamed several objects, it is unknown which one.
    std::map<std::pair<std::string, std::string>, const Resource*> renamed;
    for (const Resource& resource : tree_->resources()) {
      for (const std::string& alias : resource.aliases) {
        const auto [found, is_new] = renamed.emplace(std::pair(resource.kind, alias), &resource);
        if (!is_new && found->second != &resource) found->second = nullptr;
      }
    }
    for (const auto& [name, resource] : renamed) {
      if (resource) resources_.emplace(name, resource);
    }
  }

  const Node* relocate(const Node& root, const yaml::Maker& make) const override {
    const auto found = resources_.find({std::string(yaml::string_at(root, "kind")),
                                        std::string(yaml::string_at(root, {"metadata", "name"}))});
    if (found == resources_.end()) return of_chart(root, make);
    return ObjectOrigins(*found->second, transformers_, make).of(root);
  }

 private:
  // An object that is in no file comes from helmCharts; from several, the chart whose release it is named
  // after.
  const Node* of_chart(const Node& root, const yaml::Maker& make) const {
    const std::string_view name = yaml::string_at(root, {"metadata", "name"});
    const Node* chart = nullptr;
    for (const Node* one : tree_->helm_charts()) {
      const std::string_view release = yaml::string_at(*one, "releaseName");
      if (!chart || (!release.empty() && name.starts_with(release))) chart = one;
    }
    if (!chart) return &root;
    const Origin origin = make.made("kustomize/helmCharts", {chart});
    return yaml::with_origins(root, make, [&](const Origin&) { return origin; });
  }

  std::shared_ptr<const Tree> tree_;
  std::map<std::pair<std::string, std::string>, const Resource*> resources_;  // by kind and built name
  TransformersByRoot transformers_;
};

}  // namespace

const yaml::Node* with_origins_of(const yaml::Node& built, const yaml::Node& written,
                                  const yaml::Maker& make) {
  Resource resource;
  resource.root = &written;
  static const TransformersByRoot kNone;
  return ObjectOrigins(resource, kNone, make).of(built);
}

std::shared_ptr<const yaml::Relocator> make_relocator(std::shared_ptr<const Tree> tree) {
  return std::make_shared<KustomizeRelocator>(std::move(tree));
}

}  // namespace trainjobc::kustomize
