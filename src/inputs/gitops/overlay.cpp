// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "base/arena.h"
#include "base/files/paths.h"
#include "base/source.h"
#include "base/text/text.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"
#include "yaml/scalar.h"
#include "yaml/write/writer.h"

namespace trainjobc::gitops {
namespace {

using yaml::Node;

// Fields that only kustomize can apply.
constexpr std::array<std::string_view, 5> kBuiltFields{"patches", "patchesStrategicMerge", "patchesJson6902",
                                                       "images", "components"};
// Fields, and those of a kustomization that they override.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOverrides{
    {{"targetNamespace", "namespace"}, {"namePrefix", "namePrefix"}, {"nameSuffix", "nameSuffix"}}};

// Fields of an Application's spec.source.kustomize.
constexpr std::array<std::string_view, 9> kArgoFields{"namespace",  "namePrefix",   "nameSuffix",
                                                      "images",     "replicas",     "patches",
                                                      "components", "commonLabels", "commonAnnotations"};

bool has_field(const Root& root, std::string_view field) {
  const Node* value = root.spec ? root.spec->get(field) : nullptr;
  return value && !value->is_null() && !(value->is_list() && value->size() == 0);
}

// What a replacement is made of.
struct ReplacementMemory {
  std::shared_ptr<const void> objects;
  std::deque<base::SourceFile> files;
  base::Arena arena;
};

// Makes the kustomization that a tool builds.
class Generator {
 public:
  Generator(const base::FileSystem& files, const Root& root, const Node* own, const yaml::Maker& make)
      : files_(files), root_(root), spec_(*root.spec), make_(make), made_(own) {}

  void add_resources(const Manifests& manifests) {
    std::vector<const Node*> resources;
    const std::string folder = base::absolute_path(root_.folder);
    std::vector<std::string> all = manifests.files;
    base::append(all, manifests.kustomizations);
    std::ranges::sort(all);
    for (const std::string& path : all)
      resources.push_back(make_.copied("./" + base::path_below(base::absolute_path(path), folder)));
    set("resources", make_.list(resources));
  }

  const Node* flux() {
    for (const auto& [field, overridden] : kOverrides) {
      if (const Node* value = spec_.get(field)) set(overridden, value);
    }
    append("patches", yaml::items_at(spec_, "patches"));
    add_components(yaml::items_at(spec_, "components"), yaml::is_true_at(spec_, "ignoreMissingComponents"));
    std::vector<const Node*> texts;
    for (const Node* patch : yaml::items_at(spec_, "patchesStrategicMerge")) texts.push_back(as_text(*patch));
    append("patchesStrategicMerge", texts);
    std::vector<const Node*> operations;
    for (const Node* item : yaml::items_at(spec_, "patchesJson6902")) {
      if (const Node* patch = item->get("patch"))
        operations.push_back(make_.with(item, "patch", as_text(*patch)));
    }
    append("patchesJson6902", operations);
    for (const Node* image : yaml::items_at(spec_, "images")) add_image(*image);
    return made_;
  }

  // spec.source.kustomize of an Application.
  const Node* argo() {
    for (const std::string_view field : {"namespace", "namePrefix", "nameSuffix"}) {
      if (!yaml::string_at(spec_, field).empty()) set(field, spec_.get(field));
    }
    for (const Node* image : yaml::items_at(spec_, "images")) add_argo_image(*image);
    for (const Node* replicas : yaml::items_at(spec_, "replicas")) append_one("replicas", *replicas);
    append("patches", yaml::items_at(spec_, "patches"));
    add_components(yaml::items_at(spec_, "components"), yaml::is_true_at(spec_, "ignoreMissingComponents"));
    add_labels();
    add_all("commonAnnotations", spec_.get("commonAnnotations"));
    return made_;
  }

 private:
  void set(std::string_view field, const Node* value) { made_ = make_.with(made_, field, value); }

  void append(std::string_view field, std::span<const Node* const> more) {
    if (more.empty()) return;
    std::vector<const Node*> items = yaml::copied_items(made_ ? made_->get(field) : nullptr);
    items.insert(items.end(), more.begin(), more.end());
    set(field, make_.list(items));
  }
  void append_one(std::string_view field, const Node& item) {
    const std::array<const Node*, 1> one{&item};
    append(field, one);
  }

  const Node* as_text(const Node& node) const {
    if (node.is_string()) return &node;
    std::string text;
    yaml::write_yaml(node, yaml::KeyOrder::AsIs, text);
    return make_.copied(text, make_.made("kustomize/patches", {&node}));
  }

  void add_components(std::span<const Node* const> components, bool skips_missing) {
    std::vector<const Node*> there;
    for (const Node* component : components) {
      const std::string path = base::normal_path(fmt::format("{}/{}", root_.folder, component->text()));
      if (!skips_missing || files_.exists(path)) there.push_back(component);
    }
    append("components", there);
  }

  // Sets the fields of an image of the same name, or adds the image; a tag replaces a digest, and a digest a
  // tag.
  void add_image(const Node& image) {
    std::vector<const Node*> images = yaml::copied_items(made_ ? made_->get("images") : nullptr);
    const std::string_view name = yaml::string_at(image, "name");
    const auto same = std::ranges::find_if(
        images, [&](const Node* other) { return yaml::string_at(*other, "name") == name; });
    if (same == images.end()) return append_one("images", image);
    const Node* merged = *same;
    const auto take = [&](std::string_view field) { merged = make_.with(merged, field, image.get(field)); };
    if (!yaml::text_at(image, "newName").empty()) take("newName");
    if (!yaml::text_at(image, "newTag").empty() || !yaml::text_at(image, "digest").empty()) {
      take("newTag");
      take("digest");
    }
    *same = merged;
    set("images", make_.list(images));
  }

  // Adds an image such as "bert=ghcr.io/acme/bert:2", as `kustomize edit set image` takes it.
  void add_argo_image(const Node& image) {
    const std::string_view text = image.text();
    const size_t equals = text.find('=');
    std::string_view rest = equals == std::string_view::npos ? text : text.substr(equals + 1);
    const std::string_view digest =
        rest.find('@') != std::string_view::npos ? rest.substr(rest.find('@') + 1) : "";
    rest = rest.substr(0, rest.find('@'));
    const std::string_view repository = kustomize::repository_of(rest);
    const std::string_view tag = repository.size() < rest.size() ? rest.substr(repository.size() + 1) : "";
    const std::string_view name = equals == std::string_view::npos ? repository : text.substr(0, equals);
    const yaml::Origin origin = make_.made("kustomize/images", {&image});
    const auto node = [&](std::string_view part) {
      return part.empty() || part == "*" ? nullptr : make_.copied(part, origin);
    };
    const Node* entry = make_.map({{"name", make_.copied(name, origin), origin},
                                   {"newName", repository == name ? nullptr : node(repository), origin},
                                   {"newTag", node(tag), origin},
                                   {"digest", node(digest), origin}});
    add_image(*entry);
  }

  void add_labels() {
    const Node* labels = spec_.get("commonLabels");
    if (!labels || !labels->is_map()) return;
    if (!yaml::is_true_at(spec_, "labelWithoutSelector")) return add_all("commonLabels", labels);
    const Node* pairs = make_.map({{"pairs", labels, labels->origin()}});
    if (yaml::is_true_at(spec_, "labelIncludeTemplates"))
      pairs = make_.with(pairs, "includeTemplates", make_.boolean(true));
    append_one("labels", *pairs);
  }

  void add_all(std::string_view field, const Node* entries) {
    if (!entries || !entries->is_map()) return;
    const Node* all = made_ ? made_->get(field) : nullptr;
    for (const yaml::Entry& entry : entries->entries()) all = make_.with(all, entry.key, entry.value);
    set(field, all);
  }

  const base::FileSystem& files_;
  const Root& root_;
  const Node& spec_;
  const yaml::Maker& make_;
  const Node* made_;
};

// The text of a plain scalar in its file; "" if the node is in no file, or is quoted.
std::string_view plain_text(const Node& node) {
  const base::SourceFile* file = node.origin().file();
  if (!file) return "";
  const std::string_view rest = file->text().substr(node.origin().offset());
  return rest.substr(0, std::min(rest.size(), rest.find_first_of(" \t\r\n,]}:")));
}

// A date, such as 2026-01-02, as Go writes it: as a time stamp.
std::string as_time_stamp(std::string_view date) {
  const auto parts = base::split(date, "-");
  const auto padded = [](std::string_view part) {
    return part.size() < 2 ? "0" + std::string(part) : std::string(part);
  };
  return fmt::format("{}-{}-{}T00:00:00Z", parts[0], padded(parts[1]), padded(parts[2]));
}

constexpr std::array<std::string_view, 22> kClusterKinds{"APIService",
                                                         "CertificateSigningRequest",
                                                         "ClusterRole",
                                                         "ClusterRoleBinding",
                                                         "CSIDriver",
                                                         "CSINode",
                                                         "CustomResourceDefinition",
                                                         "FlowSchema",
                                                         "IngressClass",
                                                         "MutatingWebhookConfiguration",
                                                         "Namespace",
                                                         "Node",
                                                         "PersistentVolume",
                                                         "PriorityClass",
                                                         "PriorityLevelConfiguration",
                                                         "RuntimeClass",
                                                         "StorageClass",
                                                         "ValidatingAdmissionPolicy",
                                                         "ValidatingAdmissionPolicyBinding",
                                                         "ValidatingWebhookConfiguration",
                                                         "VolumeAttachment",
                                                         "DeviceClass"};
constexpr std::array<std::string_view, 3> kUnnamedKinds{"APIService", "CustomResourceDefinition",
                                                        "Namespace"};

bool has_word(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords{"y", "yes", "on", "n", "no", "off"};
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && base::is_alnum(text[end])) ++end;
    if (end > at && end - at <= 3 && base::contains(kWords, base::lower_case(text.substr(at, end - at))))
      return true;
    at = end + 1;
  }
  return false;
}

bool has_date(std::string_view text) {
  for (size_t at = text.find('-'); at != std::string_view::npos; at = text.find('-', at + 1)) {
    if (at >= 4 && at + 1 < text.size() && base::is_digit(text[at - 1]) && base::is_digit(text[at - 4]) &&
        base::is_digit(text[at + 1]))
      return true;
  }
  return false;
}

}  // namespace

bool needs_kustomize(const Root& root) {
  if (!root.spec) return false;
  const auto is_there = [&](std::string_view field) { return has_field(root, field); };
  if (root.tool == Tool::ArgoCd)
    return root.content == Content::Kustomization && std::ranges::any_of(kArgoFields, is_there);
  if (std::ranges::any_of(kBuiltFields, is_there)) return true;
  return root.content == Content::Kustomization &&
         std::ranges::any_of(kOverrides, [&](const auto& pair) { return is_there(pair.first); });
}

std::shared_ptr<const kustomize::Replacement> replacement_of(const base::FileSystem& files, const Root& root,
                                                             const Manifests& manifests,
                                                             std::shared_ptr<const void> memory) {
  const auto own = std::make_shared<ReplacementMemory>();
  own->objects = std::move(memory);
  const yaml::Maker make(own->arena);
  const Node* written = nullptr;
  const std::string path = kustomize::find_kustomization(files, root.folder);
  if (!path.empty()) {
    base::Diagnostics ignored;
    const auto documents =
        yaml::read(own->files.emplace_back(path, files.text_of(path)), own->arena, ignored);
    if (!documents.empty() && documents.front().root->is_map()) written = documents.front().root;
  }
  Generator generator(files, root, written, make);
  if (path.empty()) generator.add_resources(manifests);
  const auto replacement = std::make_shared<kustomize::Replacement>();
  replacement->root = root.tool == Tool::Flux ? generator.flux() : generator.argo();
  if (!replacement->root) replacement->root = make.map(std::initializer_list<yaml::Entry>{});
  replacement->memory = own;
  return replacement;
}

std::vector<const Node*> objects_of(const Node& root) {
  const Node* items = root.get("items");
  if (!yaml::string_at(root, "kind").ends_with("List") || !items || !items->is_list()) return {&root};
  std::vector<const Node*> objects;
  for (const Node* item : items->items()) {
    if (item->is_map()) objects.push_back(item);
  }
  return objects;
}

bool is_local_config(const Node& object) {
  const Node* annotations = object.at({"metadata", "annotations"});
  const Node* local = annotations ? annotations->get("config.kubernetes.io/local-config") : nullptr;
  return local && local->text() != "false";
}

const Node* as_kustomize_reads(const Node& node, const yaml::Maker& make) {
  if (node.is_bool()) {
    const std::string_view word = plain_text(node);
    const bool is_old = !word.empty() && word.size() <= 3 && std::ranges::all_of(word, base::is_letter);
    return is_old ? make.string(word, node.origin()) : &node;
  }
  if (node.is_string() && yaml::is_timestamp(node.text()) && plain_text(node) == node.text() &&
      std::ranges::count(node.text(), '-') == 2)
    return make.copied(as_time_stamp(node.text()), node.origin());
  if (node.is_scalar()) return &node;
  return yaml::with_values(
      node, make, [&](std::string_view, const Node& value) { return as_kustomize_reads(value, make); });
}

const Node* with_overlay(const Root& root, const Node& object, const yaml::Maker& make) {
  if (root.tool != Tool::Flux || root.content != Content::Files || !root.spec || needs_kustomize(root))
    return &object;
  const Node* made = &object;
  const std::string_view kind = yaml::string_at(object, "kind");
  const Node* name = object.at({"metadata", "name"});
  const Node* prefix = root.spec->get("namePrefix");
  const Node* suffix = root.spec->get("nameSuffix");
  if (name && (prefix || suffix) && !base::contains(kUnnamedKinds, kind)) {
    const std::string renamed =
        fmt::format("{}{}{}", yaml::string_of(prefix), name->text(), yaml::string_of(suffix));
    made =
        make.with_path(made, {"metadata", "name"}, make.copied(renamed, make.made("kustomize/name", {name})));
  }
  const Node* ns = root.spec->get("targetNamespace");
  if (!ns || yaml::string_of(ns).empty()) return made;
  if (kind == "Namespace") return make.with_path(made, {"metadata", "name"}, ns);
  if (base::contains(kClusterKinds, kind)) return made;
  return make.with_path(made, {"metadata", "namespace"}, ns);
}

const Node* with_common_metadata(const Root& root, const Node& object, const yaml::Maker& make) {
  const Node* common = root.tool == Tool::Flux && root.spec ? root.spec->get("commonMetadata") : nullptr;
  const Node* made = &object;
  if (!common) return made;
  for (const std::string_view field : {"labels", "annotations"}) {
    const Node* more = common->get(field);
    if (!more || !more->is_map()) continue;
    for (const yaml::Entry& entry : more->entries())
      made = make.with_path(made, {"metadata", field, entry.key}, entry.value);
  }
  return made;
}

bool is_changed(const Root& root) {
  if (root.tool != Tool::Flux || root.content == Content::Chart || !root.spec) return false;
  if (root.has_variables() || has_field(root, "commonMetadata")) return true;
  return root.content == Content::Files && !needs_kustomize(root) &&
         std::ranges::any_of(kOverrides, [&](const auto& pair) { return has_field(root, pair.first); });
}

bool is_read_differently(const Source& source) {
  const bool is_suspect = has_word(source.text) || has_date(source.text) ||
                          source.text.find("config.kubernetes.io/local-config") != std::string::npos;
  if (!is_suspect) return false;
  const base::SourceFile file(source.name, source.text);
  base::Arena arena;
  base::Diagnostics problems;
  const auto documents = yaml::read(file, arena, problems);
  if (problems.has_errors()) return false;
  const yaml::Maker make(arena);
  return std::ranges::any_of(documents, [&](const yaml::Document& document) {
    return as_kustomize_reads(*document.root, make) != document.root || is_local_config(*document.root);
  });
}

RefusedDocuments find_refused(const Source& source) {
  RefusedDocuments refused;
  const auto memory = std::make_shared<ReplacementMemory>();
  const base::SourceFile& file = memory->files.emplace_back(source.name, source.text);
  base::Diagnostics ignored;
  for (const yaml::Document& document : yaml::read(file, memory->arena, ignored)) {
    if (document.root->is_null()) continue;
    const std::string_view kind = yaml::string_at(*document.root, "kind");
    const bool has_name =
        kind.ends_with("List") || !yaml::string_at(*document.root, {"metadata", "name"}).empty();
    if (kind.empty())
      refused.found.push_back({yaml::locate(*document.root), "this is not an object, it has no kind"});
    else if (!has_name)
      refused.found.push_back({yaml::locate(*document.root), "this object has no metadata.name"});
  }
  if (!refused.found.empty()) refused.memory = memory;
  return refused;
}

}  // namespace trainjobc::gitops
