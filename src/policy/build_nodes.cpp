// SPDX-License-Identifier: Apache-2.0

#include "policy/build_nodes.h"

#include "model/trainer_names.h"

namespace trainjobc::policy {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

const Node* owner_references(const Maker& make, const model::TrainJob& job) {
  if (!job.is_owner) return nullptr;
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
