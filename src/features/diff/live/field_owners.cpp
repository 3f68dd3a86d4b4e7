// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/field_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using schema::Step;
using yaml::Entry;
using yaml::Node;

constexpr std::array<std::string_view, 2> kOurs{"trainer", "trainjobc"};
constexpr std::string_view kSelf = ".";

size_t count_leaves(const Node& fields) {
  if (fields.size() == 0) return 1;
  size_t count = 0;
  for (const Entry& entry : fields.entries()) {
    if (entry.key != kSelf) count += count_leaves(*entry.value);
  }
  return count;
}

size_t weigh(const Node& fields) {
  size_t count = 0;
  for (const Entry& entry : fields.entries()) {
    if (entry.key != "f:metadata" && entry.key != "f:status") count += count_leaves(*entry.value);
  }
  return count;
}

std::string as_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// An item's keys as `{"containerPort":80,"protocol":"TCP"}`.
bool names_item(std::string_view keys, const Step& step) {
  const auto json = nlohmann::json::parse(keys, nullptr, false);
  if (!json.is_object() || !step.schema) return false;
  std::string joined;
  for (const std::string_view key : step.schema->list_keys) {
    const auto found = json.find(key);
    if (!joined.empty()) joined += '/';
    if (found != json.end()) joined += as_text(*found);
  }
  return joined == schema::item_keys(*step.item, *step.schema);
}

bool is_value(std::string_view written, const Node& item) {
  const auto json = nlohmann::json::parse(written, nullptr, false);
  return !json.is_discarded() && as_text(json) == item.text();
}

const Node* descend(const Node& fields, const Step& step) {
  if (!step.is_item()) return fields.get(fmt::format("f:{}", step.key));
  for (const Entry& entry : fields.entries()) {
    if (entry.key.starts_with("k:") && names_item(entry.key.substr(2), step)) return entry.value;
    if (entry.key.starts_with("v:") && is_value(entry.key.substr(2), *step.item)) return entry.value;
    if (entry.key == fmt::format("i:{}", step.live_index)) return entry.value;
  }
  return nullptr;
}

// An empty set of fields on the path means that the field is owned as a whole.
bool owns(const Node& fields, const schema::FieldPath& path) {
  const Node* at = &fields;
  for (const Step& step : path) {
    at = descend(*at, step);
    if (!at) return false;
    if (at->size() == 0) return true;
  }
  return true;
}

// Managers of manual changes. kubectl apply uses a different one.
bool is_person(std::string_view manager) {
  static constexpr std::array kPersons =
      std::to_array<std::string_view>({"k9s", "kubectl-annotate", "kubectl-edit", "kubectl-label",
                                       "kubectl-patch", "kubectl-scale", "kubectl-set"});
  return std::ranges::find(kPersons, manager) != kPersons.end();
}

}  // namespace

FieldOwners::FieldOwners(const Node& object) {
  const Node* managed = object.at({"metadata", "managedFields"});
  if (!managed) return;
  size_t heaviest = 0;
  for (const Node* entry : managed->items()) {
    const Node* fields = entry->get("fieldsV1");
    if (!fields || !text_at(*entry, "subresource").empty()) continue;
    managers_.push_back({text_at(*entry, "manager"), fields, weigh(*fields), false});
    heaviest = std::max(heaviest, managers_.back().weight);
  }
  // The manager that wrote most fields is the one that applies the object; others write single fields.
  for (Manager& manager : managers_) {
    const bool has_most = manager.weight > 0 && manager.weight * 2 >= heaviest && !is_person(manager.name);
    manager.is_us = has_most || std::ranges::find(kOurs, manager.name) != kOurs.end();
  }
}

Ownership FieldOwners::of(const schema::FieldPath& path) const {
  Ownership result;
  for (const Manager& manager : managers_) {
    if (!owns(*manager.fields, path)) continue;
    if (manager.is_us) return {Owner::Us, {}};
    const Owner owner = is_person(manager.name) ? Owner::Person : Owner::Other;
    if (result.owner != Owner::Other) result = {owner, manager.name};
  }
  return result;
}

bool FieldOwners::is_of(const schema::FieldPath& path, std::string_view name) const {
  return std::ranges::any_of(
      managers_, [&](const Manager& manager) { return manager.name == name && owns(*manager.fields, path); });
}

std::string_view tool_of_key(std::string_view key) {
  static constexpr std::array kTools = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"kueue.x-k8s.io/", "Kueue"},
      {"argocd.argoproj.io/", "Argo CD"},
      {"kustomize.toolkit.fluxcd.io/", "Flux"},
      {"helm.toolkit.fluxcd.io/", "Flux"},
      {"meta.helm.sh/", "Helm"},
      {"config.kubernetes.io/", "kustomize"},
  });
  const auto found =
      std::ranges::find_if(kTools, [&](const auto& row) { return key.starts_with(row.first); });
  return found != kTools.end() ? found->second : std::string_view();
}

}  // namespace trainjobc::diff
