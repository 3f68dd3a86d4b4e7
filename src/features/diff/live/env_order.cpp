// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/env_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Maker;
using yaml::Node;

// The place of each variable; nullopt if a name occurs twice.
std::optional<std::map<std::string_view, size_t>> places_of(const Node& env) {
  std::map<std::string_view, size_t> places;
  for (const Node* variable : env.items()) {
    if (!places.emplace(text_at(*variable, "name"), places.size()).second) return std::nullopt;
  }
  return places;
}

// $(NAME) is replaced only if NAME comes earlier.
bool refers_to(const Node& variable, std::string_view name) {
  return text_at(variable, "value").find(fmt::format("$({})", name)) != std::string_view::npos;
}

const Node* ordered(const Node& env, const Node& live, const Maker& make) {
  const auto ours = places_of(env);
  const auto theirs = places_of(live);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!ours || !theirs || *ours == *theirs || !std::ranges::equal(*ours, *theirs, same_name)) return &env;
  for (const Node* variable : env.items()) {
    for (const auto& [name, place] : *ours) {
      const std::string_view own = text_at(*variable, "name");
      const bool was_before = place < ours->at(own);
      const bool is_before = theirs->at(name) < theirs->at(own);
      if (was_before != is_before && refers_to(*variable, name)) return &env;
    }
  }
  std::vector<const Node*> items(env.items().begin(), env.items().end());
  std::ranges::sort(items, {}, [&](const Node* variable) { return theirs->at(text_at(*variable, "name")); });
  return make.list(items, env.origin());
}

// `map` with each item of the list at `key` rewritten by the live item of the same name.
template <class Rewrite>
const Node* with_each(const Node* map, const Node* live, std::string_view key, const Maker& make,
                      Rewrite rewrite) {
  const Node* list = map->get(key);
  const Node* live_list = live->get(key);
  if (!list || !live_list) return map;
  std::vector<const Node*> items;
  bool changed = false;
  for (const Node* item : list->items()) {
    const auto is_it = [&](const Node* other) { return text_at(*other, "name") == text_at(*item, "name"); };
    const auto found = std::ranges::find_if(live_list->items(), is_it);
    items.push_back(found != live_list->items().end() ? rewrite(item, *found) : item);
    changed = changed || items.back() != item;
  }
  return changed ? make.with(map, key, make.list(items, list->origin())) : map;
}

}  // namespace

const Node* with_live_env_order(const Node& rendered, const Node& live, const Maker& make) {
  const auto of_container = [&](const Node* container, const Node* live_container) {
    const Node* env = container->get("env");
    const Node* live_env = live_container->get("env");
    if (!env || !live_env) return container;
    const Node* result = ordered(*env, *live_env, make);
    return result == env ? container : make.with(container, "env", result);
  };
  const auto of_job = [&](const Node* job, const Node* live_job) {
    const std::initializer_list<std::string_view> path{"template", "spec", "template", "spec"};
    const Node* pod = job->at(path);
    const Node* live_pod = live_job->at(path);
    if (!pod || !live_pod) return job;
    const Node* result = pod;
    for (const std::string_view list : {"initContainers", "containers"})
      result = with_each(result, live_pod, list, make, of_container);
    return result == pod ? job : make.with_path(job, path, result);
  };
  const Node* spec = rendered.get("spec");
  const Node* live_spec = live.get("spec");
  if (!spec || !live_spec) return &rendered;
  const Node* result = with_each(spec, live_spec, "replicatedJobs", make, of_job);
  return result == spec ? &rendered : make.with(&rendered, "spec", result);
}

}  // namespace trainjobc::diff
