// SPDX-License-Identifier: Apache-2.0

// The defaults that JobSet's webhook adds to those of the schema.
#include <fmt/format.h>

#include <vector>

#include "k8s/jobset/webhook_rules.h"

namespace trainjobc::k8s::jobset {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::string_view kRule = "jobset/default";

bool is_unset(const Node* value) {
  return !value || value->is_null() || (value->is_string() && value->size() == 0);
}

// `map` with a text at `path`, unless it is set. The types were checked when the inputs were admitted.
const Node* with_text(const Node* map, std::initializer_list<std::string_view> path, std::string_view text,
                      const Maker& make) {
  if (!is_unset(map->at(path))) return map;
  return make.with_path(map, path, make.string(text, make.made(kRule, {map})));
}

const Node* with_true(const Node* map, std::string_view key, const Maker& make) {
  if (!is_unset(map->get(key))) return map;
  return make.with(map, key, make.boolean(true, make.made(kRule, {map})));
}

// `map` with the list at `key` rewritten element by element; elements that are not maps stay.
template <class Rewrite>
const Node* with_each(const Node* map, std::string_view key, const Maker& make, Rewrite rewrite) {
  const Node* list = map->get(key);
  if (!list || !list->is_list()) return map;
  std::vector<const Node*> items;
  items.reserve(list->size());
  bool changed = false;
  for (const Node* item : list->items()) {
    items.push_back(item->is_map() ? rewrite(item, items.size()) : item);
    changed = changed || items.back() != item;
  }
  return changed ? make.with(map, key, make.list(items, list->origin())) : map;
}

const Node* with_job_defaults(const Node* spec, const Maker& make) {
  return with_each(spec, "replicatedJobs", make, [&](const Node* job, size_t) {
    job = with_text(job, {"template", "spec", "completionMode"}, "Indexed", make);
    return with_text(job, {"template", "spec", "template", "spec", "restartPolicy"}, "OnFailure", make);
  });
}

// Pods find each other by name.
const Node* with_network(const Node* spec, const Maker& make) {
  const Node* given = spec->get("network");
  const Node* network = is_unset(given) ? make.map({}, make.made(kRule, {spec})) : given;
  network = with_true(network, "enableDNSHostnames", make);
  network = with_true(network, "publishNotReadyAddresses", make);
  return network == given ? spec : make.with(spec, "network", network);
}

const Node* with_rule_names(const Node* spec, const Maker& make) {
  const Node* policy = spec->get("failurePolicy");
  if (!policy) return spec;
  const Node* named = with_each(policy, "rules", make, [&](const Node* rule, size_t index) {
    if (!is_unset(rule->get("name"))) return rule;
    return make.with(rule, "name",
                     make.copied(fmt::format("failurePolicyRule{}", index), make.made(kRule, {rule})));
  });
  return named == policy ? spec : make.with(spec, "failurePolicy", named);
}

// An existing policy is not changed or completed.
const Node* with_policy(const Node* spec, std::string_view policy, std::string_view key,
                        std::string_view text, const Maker& make) {
  return is_unset(spec->get(policy)) ? with_text(spec, {policy, key}, text, make) : spec;
}

const Node* with_retention(const Node* spec, const Maker& make) {
  return with_each(spec, "volumeClaimPolicies", make, [&](const Node* policy, size_t) {
    return with_policy(policy, "retentionPolicy", "whenDeleted", "Delete", make);
  });
}

}  // namespace

const Node* with_webhook_defaults(const Node* root, const Maker& make) {
  const Node* given = root->get("spec");
  const Node* spec = given ? given : make.map({}, make.made(kRule, {root}));
  spec = with_policy(spec, "successPolicy", "operator", "All", make);
  spec = with_policy(spec, "startupPolicy", "startupPolicyOrder", "AnyOrder", make);
  spec = with_job_defaults(spec, make);
  spec = with_network(spec, make);
  spec = with_rule_names(spec, make);
  spec = with_retention(spec, make);
  return spec == given ? root : make.with(root, "spec", spec);
}

}  // namespace trainjobc::k8s::jobset
