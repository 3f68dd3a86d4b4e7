// SPDX-License-Identifier: Apache-2.0

#include "policy/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <unordered_map>

#include "base/text/text.h"
#include "model/trainer_names.h"

namespace trainjobc::policy {
namespace {

using yaml::Maker;
using yaml::Node;

bool equal_or_both_absent(const Node* a, const Node* b) {
  return a && b ? equal(*a, *b) : a == b;
}

// The fields that identify an element: one that is equal in both, or absent from both, is enough.
using Keys = std::span<const std::string_view>;

constexpr std::string_view kByName[] = {"name"};
constexpr std::string_view kByMountPath[] = {"mountPath"};
constexpr std::string_view kByPort[] = {"containerPort", "name"};

void upsert(NodeList& list, const Node* item, Keys keys) {
  const auto is_same = [&](const Node* old) {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return equal_or_both_absent(old->get(key), item->get(key)); });
  };
  const auto at = std::ranges::find_if(list, is_same);
  if (at == list.end()) {
    list.push_back(item);
  } else {
    *at = item;
  }
}

// A text that is the same for equal nodes; different nodes may share it.
std::string bucket_of(const Node* node) {
  if (!node) return "";
  if (node->is_string()) return std::string("\"").append(node->text());
  if (!node->is_number()) return std::string(yaml::to_string(node->kind()));
  double value = 0;  // so that 1 and 1.0 are equal
  base::read_double(node->text(), value);
  return fmt::format("{}", value);
}

// Upserts many elements into a list.
class Upserts {
 public:
  Upserts(NodeList& list, Keys keys) : list_(list), keys_(keys) {}

  void add(const Node* item) {
    if (list_.size() <= kShort) return upsert(list_, item, keys_);
    if (places_.empty()) enter_all();
    const size_t at = find(*item);
    if (at == list_.size()) {
      list_.push_back(item);
    } else {
      leave(at);
      list_[at] = item;
    }
    enter(at);
  }

 private:
  using Places = std::unordered_map<std::string, std::set<size_t>>;

  // With at most this many elements, comparing with each one is faster.
  static constexpr size_t kShort = 16;

  void enter_all() {
    places_.resize(keys_.size());
    for (size_t i = 0; i < list_.size(); ++i) enter(i);
  }

  size_t find(const Node& item) const {
    size_t first = list_.size();
    for (size_t k = 0; k < keys_.size(); ++k) {
      const Node* value = item.get(keys_[k]);
      const auto places = places_[k].find(bucket_of(value));
      if (places == places_[k].end()) continue;
      const auto same = std::ranges::find_if(
          places->second, [&](size_t at) { return equal_or_both_absent(list_[at]->get(keys_[k]), value); });
      if (same != places->second.end()) first = std::min(first, *same);
    }
    return first;
  }

  void enter(size_t at) {
    for (size_t k = 0; k < keys_.size(); ++k) places_[k][bucket_of(list_[at]->get(keys_[k]))].insert(at);
  }

  void leave(size_t at) {
    for (size_t k = 0; k < keys_.size(); ++k) places_[k][bucket_of(list_[at]->get(keys_[k]))].erase(at);
  }

  NodeList& list_;
  Keys keys_;
  std::vector<Places> places_;  // for each key: positions by its value; empty while the list is short
};

const Node* text_or_empty(const Maker& make, const Node& map, std::string_view key) {
  const Node* value = map.get(key);
  return value ? value : make.string("", map.origin());
}

const Node* rewritten_source(const Maker& make, const Node& from) {
  const Node* field = from.get("fieldRef");
  const Node* resource = from.get("resourceFieldRef");
  const auto key_ref = [&](const Node* ref) -> const Node* {
    if (!ref) return nullptr;
    return make.map({{"name", text_or_empty(make, *ref, "name")},
                     {"key", text_or_empty(make, *ref, "key")},
                     {"optional", ref->get("optional")}},
                    ref->origin());
  };
  const Node* field_ref = nullptr;
  if (field) field_ref = make.map({{"fieldPath", text_or_empty(make, *field, "fieldPath")}}, field->origin());
  const Node* resource_ref = nullptr;
  if (resource) {
    const Node* divisor = resource->get("divisor");
    resource_ref = make.map({{"containerName", text_or_empty(make, *resource, "containerName")},
                             {"resource", text_or_empty(make, *resource, "resource")},
                             {"divisor", divisor ? divisor : make.string("0", resource->origin())}},
                            resource->origin());
  }
  const Node* kept = make.map({{"fieldRef", field_ref},
                               {"resourceFieldRef", resource_ref},
                               {"configMapKeyRef", key_ref(from.get("configMapKeyRef"))},
                               {"secretKeyRef", key_ref(from.get("secretKeyRef"))}},
                              from.origin());
  if (kept->size() > 0 || from.size() == 0) return kept;
  const Node* const inputs[] = {&from};
  return make.with_origin(*kept, make.made("env/source", inputs, from.entries().front().key));
}

const Node* rewritten_env(const Maker& make, const Node& env) {
  const Node* name = text_or_empty(make, env, "name");
  if (const Node* from = env.get("valueFrom")) {
    return make.map({{"name", name}, {"valueFrom", rewritten_source(make, *from)}}, env.origin());
  }
  return make.map({{"name", name}, {"value", text_or_empty(make, env, "value")}}, env.origin());
}

Container read_container(const Node& node) {
  Container container;
  container.node = &node;
  container.name = text_at(node, "name");
  container.image = node.get("image");
  container.command = node.get("command");
  container.env = copied_items(node.get("env"));
  container.ports = copied_items(node.get("ports"));
  container.volume_mounts = copied_items(node.get("volumeMounts"));
  return container;
}

NodeList write_back(const Node* of_template, const NodeList& changed, Keys keys) {
  const size_t shared = std::min(changed.size(), of_template ? of_template->size() : 0);
  NodeList list(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(shared));
  Upserts upserts(list, keys);
  for (const Node* item : changed) upserts.add(item);
  return list;
}

}  // namespace

std::vector<Container> read_containers(const Node& pod_spec, std::string_view key) {
  std::vector<Container> containers;
  for (const Node* item : items_at(pod_spec, key)) containers.push_back(read_container(*item));
  return containers;
}

void upsert_env(NodeList& list, const Node* env) {
  upsert(list, env, kByName);
}

void upsert_port(NodeList& list, const Node* port) {
  upsert(list, port, kByPort);
}

void upsert_volume(NodeList& list, const Node* volume) {
  upsert(list, volume, kByName);
}

void upsert_volume_mount(NodeList& list, const Node* mount) {
  upsert(list, mount, kByMountPath);
}

void upsert_job_env(const Maker& make, NodeList& list, const Node* env) {
  if (!env) return;
  Upserts upserts(list, kByName);
  for (const Node* item : env->items()) upserts.add(rewritten_env(make, *item));
}

void expose_trainer_port(const Maker& make, Container& container, std::string_view rule) {
  const yaml::Origin origin = make.made(rule, {container.node});
  upsert_port(container.ports,
              make.map({{"containerPort", make.integer(model::kTrainerPort, origin)}}, origin));
}

Container written_back(const Container& container) {
  Container written = container;
  const auto of_template = [&](std::string_view key) {
    return container.node ? container.node->get(key) : nullptr;
  };
  written.env = write_back(of_template("env"), container.env, kByName);
  written.ports = write_back(of_template("ports"), container.ports, kByPort);
  written.volume_mounts = write_back(of_template("volumeMounts"), container.volume_mounts, kByMountPath);
  return written;
}

NodeList written_back(const Node* volumes_of_template, const NodeList& volumes) {
  return write_back(volumes_of_template, volumes, kByName);
}

const Node* with_list(const Maker& make, const Node* map, std::string_view key, const NodeList& list) {
  const Node* old = map->get(key);
  if (old && std::ranges::equal(old->items(), list)) return map;
  if (list.empty()) return old ? make.with(map, key, nullptr) : map;
  return make.with(map, key, make.list(list, old ? old->origin() : map->origin()));
}

const Node* to_node(const Maker& make, const Container& container) {
  const Node* node = container.node;
  if (!node) {
    const yaml::Origin origin = make.made("policy/container");
    node = make.map({{"name", make.copied(container.name, origin)}}, origin);
  }
  if (container.command && container.command->size() > 0 && node->get("command") != container.command)
    node = make.with(node, "command", container.command);
  if (container.image && !container.image->text().empty() && node->get("image") != container.image)
    node = make.with(node, "image", container.image);
  node = with_list(make, node, "env", container.env);
  node = with_list(make, node, "ports", container.ports);
  return with_list(make, node, "volumeMounts", container.volume_mounts);
}

namespace {

const Node* owner_references(const Maker& make, const model::TrainJob& job) {
  if (!job.is_owner) return nullptr;
  const yaml::Origin origin = make.made("owner-reference", {job.root});
  const Node* reference = make.map({{"apiVersion", make.string(model::kTrainerApiVersion, origin)},
                                    {"kind", make.string(model::kTrainJob, origin)},
                                    {"name", make.string(job.id.name, origin)},
                                    {"uid", make.string(job.uid, origin)},
                                    {"controller", make.boolean(true, origin)},
                                    {"blockOwnerDeletion", make.boolean(true, origin)}},
                                   origin);
  return make.list(std::vector{reference}, origin);
}

}  // namespace

const Node* env_value(const Maker& make, std::string_view name, std::string_view value, yaml::Origin origin) {
  return make.map({{"name", make.string(name, origin)}, {"value", make.copied(value, origin)}}, origin);
}

const Node* env_completion_index(const Maker& make, std::string_view name, yaml::Origin origin) {
  const Node* path = make.string(model::kCompletionIndexField, origin);
  const Node* field = make.map({{"fieldPath", path}}, origin);
  return make.map(
      {{"name", make.string(name, origin)}, {"valueFrom", make.map({{"fieldRef", field}}, origin)}}, origin);
}

const Node* owned_metadata(const Maker& make, const model::TrainJob& job, std::string_view name,
                           const Node* labels, const Node* annotations) {
  const Node* origin_name = job.root->at({"metadata", "name"});
  const yaml::Origin origin = make.made("trainjob/name", {origin_name});
  const Node* ns = job.id.ns.empty() ? nullptr : job.root->at({"metadata", "namespace"});
  return make.map({{"name", make.copied(name, origin)},
                   {"namespace", ns},
                   {"labels", labels && labels->size() > 0 ? labels : nullptr},
                   {"annotations", annotations && annotations->size() > 0 ? annotations : nullptr},
                   {"ownerReferences", owner_references(make, job)}},
                  origin);
}

const Node* owned_object(const Maker& make, const model::TrainJob& job, std::string_view api_version,
                         std::string_view kind, std::string_view name,
                         std::initializer_list<yaml::Entry> fields, yaml::Origin origin) {
  std::vector<yaml::Entry> entries{{"apiVersion", make.string(api_version, origin), {}},
                                   {"kind", make.string(kind, origin), {}},
                                   {"metadata", owned_metadata(make, job, name), {}}};
  entries.insert(entries.end(), fields);
  return make.map(entries, origin);
}

}  // namespace trainjobc::policy
