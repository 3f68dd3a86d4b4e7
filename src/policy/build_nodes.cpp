// SPDX-License-Identifier: Apache-2.0

#include "policy/build_nodes.h"

#include <algorithm>

#include "model/trainer_names.h"

namespace trainjobc::policy {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

bool equal_or_both_absent(const Node* a, const Node* b) {
  return a && b ? equal(*a, *b) : a == b;
}

template <class Matches>
void upsert(NodeList& list, const Node* item, Matches matches) {
  const auto at = std::ranges::find_if(list, [&](const Node* old) { return matches(*old, *item); });
  if (at == list.end()) {
    list.push_back(item);
  } else {
    *at = item;
  }
}

auto by_key(std::string_view key) {
  return [key](const Node& a, const Node& b) { return equal_or_both_absent(a.get(key), b.get(key)); };
}

const Node* text_or_empty(const Maker& make, const Node& map, std::string_view key) {
  const Node* value = map.get(key);
  return value ? value : make.string("", map.origin());
}

const Node* rewritten_source(const Maker& make, const Node& from) {
  const Node* field = from.get("fieldRef");
  const Node* resource = from.get("resourceFieldRef");
  const auto key_ref = [&](const Node* ref) -> const Node* {
    if (!ref) return nullptr;
    return map_of(make,
                  {{"name", text_or_empty(make, *ref, "name")},
                   {"key", text_or_empty(make, *ref, "key")},
                   {"optional", ref->get("optional")}},
                  ref->origin());
  };
  const Node* field_ref = nullptr;
  if (field)
    field_ref = map_of(make, {{"fieldPath", text_or_empty(make, *field, "fieldPath")}}, field->origin());
  const Node* resource_ref = nullptr;
  if (resource) {
    const Node* divisor = resource->get("divisor");
    resource_ref = map_of(make,
                          {{"containerName", text_or_empty(make, *resource, "containerName")},
                           {"resource", text_or_empty(make, *resource, "resource")},
                           {"divisor", divisor ? divisor : make.string("0", resource->origin())}},
                          resource->origin());
  }
  return map_of(make,
                {{"fieldRef", field_ref},
                 {"resourceFieldRef", resource_ref},
                 {"configMapKeyRef", key_ref(from.get("configMapKeyRef"))},
                 {"secretKeyRef", key_ref(from.get("secretKeyRef"))}},
                from.origin());
}

const Node* owner_references(const Maker& make, const model::TrainJob& job) {
  if (job.uid.empty()) return nullptr;
  const yaml::Origin origin = make.made("owner-reference", {job.root});
  const Node* reference = map_of(make,
                                 {{"apiVersion", make.string(model::kTrainerApiVersion, origin)},
                                  {"kind", make.string(model::kTrainJob, origin)},
                                  {"name", make.string(job.id.name, origin)},
                                  {"uid", make.string(job.uid, origin)},
                                  {"controller", make.boolean(true, origin)},
                                  {"blockOwnerDeletion", make.boolean(true, origin)}},
                                 origin);
  return make.list(std::vector{reference}, origin);
}

}  // namespace

const Node* map_of(const Maker& make, std::initializer_list<Pair> pairs, yaml::Origin origin) {
  std::vector<Entry> entries;
  entries.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    if (pair.value) entries.push_back({pair.key, pair.value, {}});
  }
  return make.map(entries, origin);
}

std::string_view keep(const Maker& make, const std::string& text) {
  return make.arena().copy(std::string_view(text));
}

const Node* env_value(const Maker& make, std::string_view name, std::string_view value, yaml::Origin origin) {
  return map_of(make, {{"name", make.string(name, origin)}, {"value", make.copied(value, origin)}}, origin);
}

const Node* env_completion_index(const Maker& make, std::string_view name, yaml::Origin origin) {
  const Node* path = make.string(model::kCompletionIndexField, origin);
  const Node* field = map_of(make, {{"fieldPath", path}}, origin);
  return map_of(
      make, {{"name", make.string(name, origin)}, {"valueFrom", map_of(make, {{"fieldRef", field}}, origin)}},
      origin);
}

const Node* rewritten_env(const Maker& make, const Node& env) {
  const Node* name = text_or_empty(make, env, "name");
  if (const Node* from = env.get("valueFrom")) {
    return map_of(make, {{"name", name}, {"valueFrom", rewritten_source(make, *from)}}, env.origin());
  }
  return map_of(make, {{"name", name}, {"value", text_or_empty(make, env, "value")}}, env.origin());
}

void upsert_env(NodeList& list, const Node* env) {
  upsert(list, env, by_key("name"));
}

void upsert_port(NodeList& list, const Node* port) {
  upsert(list, port, [](const Node& a, const Node& b) {
    return equal_or_both_absent(a.get("containerPort"), b.get("containerPort")) ||
           equal_or_both_absent(a.get("name"), b.get("name"));
  });
}

void upsert_volume(NodeList& list, const Node* volume) {
  upsert(list, volume, by_key("name"));
}

void upsert_volume_mount(NodeList& list, const Node* mount) {
  upsert(list, mount, by_key("mountPath"));
}

void upsert_job_env(const Maker& make, NodeList& list, const Node* env) {
  if (!env) return;
  for (const Node* item : env->items()) upsert_env(list, rewritten_env(make, *item));
}

void expose_trainer_port(const Maker& make, Container& container, std::string_view rule) {
  const yaml::Origin origin = make.made(rule, {container.node});
  upsert_port(container.ports,
              map_of(make, {{"containerPort", make.integer(model::kTrainerPort, origin)}}, origin));
}

const Node* owned_metadata(const Maker& make, const model::TrainJob& job, std::string_view name,
                           const Node* labels, const Node* annotations) {
  const Node* origin_name = job.root->at({"metadata", "name"});
  const yaml::Origin origin = make.made("trainjob/name", {origin_name});
  const Node* ns = job.id.ns.empty() ? nullptr : job.root->at({"metadata", "namespace"});
  return map_of(make,
                {{"name", make.copied(name, origin)},
                 {"namespace", ns},
                 {"labels", labels && labels->size() > 0 ? labels : nullptr},
                 {"annotations", annotations && annotations->size() > 0 ? annotations : nullptr},
                 {"ownerReferences", owner_references(make, job)}},
                origin);
}

}  // namespace trainjobc::policy
