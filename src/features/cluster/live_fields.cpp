// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/live_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"
#include "secret/secret.h"
#include "yaml/changes.h"
#include "yaml/read/reader.h"

namespace trainjobc::cluster {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// Fields that the author may set, but that others change afterwards.
constexpr std::array<std::string_view, 3> kSharedMetadata{"finalizers", "generateName", "ownerReferences"};

bool is_secret(const Node& object) {
  return text_at(object, "kind") == "Secret";
}

const Node* stored_data(const Node* object, const Maker& make) {
  const Node* given = object->get("stringData");
  if (!given || !given->is_map()) return object;
  const Node* data = object->get("data");
  if (data && !data->is_map()) data = nullptr;
  for (const Entry& entry : given->entries()) {
    data = make.with(data, entry.key,
                     make.copied(base::base64_encode(entry.value->text()), entry.value->origin()));
  }
  object = make.with(object, "data", data);
  return make.with(object, "stringData", nullptr);
}

// A Secret without a type is stored as Opaque.
const Node* without_default_type(const Node* secret, const Maker& make) {
  return text_at(*secret, "type") == "Opaque" ? make.with(secret, "type", nullptr) : secret;
}

}  // namespace

const Node* without_server_fields(const Node& object, const Maker& make) {
  const Node* result = make.with(&object, "status", nullptr);
  if (is_secret(object)) result = without_default_type(stored_data(result, make), make);
  const Node* metadata = object.get("metadata");
  if (!metadata || !metadata->is_map()) return result;
  std::vector<Entry> entries(metadata->entries().begin(), metadata->entries().end());
  std::erase_if(entries, [](const Entry& entry) {
    return k8s::is_server_metadata(entry.key) || base::contains(kSharedMetadata, entry.key);
  });
  metadata = make.map(entries, metadata->origin());
  const Node* annotations = metadata->get("annotations");
  if (annotations && annotations->get(secret::kLastApplied)) {
    annotations = make.with(annotations, secret::kLastApplied, nullptr);
    metadata = make.with(metadata, "annotations", annotations->size() > 0 ? annotations : nullptr);
  }
  return make.with(result, "metadata", metadata);
}

Sides mask_secrets(Sides objects, const Maker& make) {
  const auto mark = [&](const Node* node) { return node ? secret::mark_secrets(*node, make) : nullptr; };
  const secret::BeforeAfter shown = secret::masked({mark(objects.live), mark(objects.rendered)}, make);
  return {shown.before, shown.after};
}

namespace {

struct Default {
  // A path that begins with JOBSET, JOB or POD, for the path to such a spec. CONTAINERS means containers,
  // initContainers and ephemeralContainers, PROBE the three probes, HOOK the two lifecycle hooks.
  std::string_view field;
  std::string_view value;
};

// Nothing sets defaults in volumeClaimPolicies.templates, so adding one there is a change, which is refused.
constexpr auto kDefaults = std::to_array<Default>({
    {"JOBSET.suspend", "false"},
    {"JOB.completions", "1"},
    {"JOB.manualSelector", "false"},
    {"JOB.parallelism", "1"},
    {"JOB.podFailurePolicy.rules.onPodConditions.status", "True"},
    {"JOB.suspend", "false"},
    {"POD.CONTAINERS.PROBE.failureThreshold", "3"},
    {"POD.CONTAINERS.PROBE.grpc.service", ""},
    {"POD.CONTAINERS.PROBE.httpGet.path", "/"},
    {"POD.CONTAINERS.PROBE.httpGet.scheme", "HTTP"},
    {"POD.CONTAINERS.PROBE.periodSeconds", "10"},
    {"POD.CONTAINERS.PROBE.successThreshold", "1"},
    {"POD.CONTAINERS.PROBE.timeoutSeconds", "1"},
    {"POD.CONTAINERS.env.valueFrom.fieldRef.apiVersion", "v1"},
    {"POD.CONTAINERS.lifecycle.HOOK.httpGet.path", "/"},
    {"POD.CONTAINERS.lifecycle.HOOK.httpGet.scheme", "HTTP"},
    {"POD.CONTAINERS.ports.protocol", "TCP"},
    {"POD.CONTAINERS.securityContext.procMount", "Default"},
    {"POD.CONTAINERS.terminationMessagePath", "/dev/termination-log"},
    {"POD.CONTAINERS.terminationMessagePolicy", "File"},
    {"POD.dnsPolicy", "ClusterFirst"},
    {"POD.enableServiceLinks", "true"},
    {"POD.schedulerName", "default-scheduler"},
    {"POD.securityContext", "{}"},
    {"POD.terminationGracePeriodSeconds", "30"},
    {"POD.volumes.azureDisk.cachingMode", "ReadWrite"},
    {"POD.volumes.azureDisk.fsType", "ext4"},
    {"POD.volumes.azureDisk.kind", "Shared"},
    {"POD.volumes.azureDisk.readOnly", "false"},
    {"POD.volumes.configMap.defaultMode", "420"},
    {"POD.volumes.downwardAPI.defaultMode", "420"},
    {"POD.volumes.downwardAPI.items.fieldRef.apiVersion", "v1"},
    {"POD.volumes.ephemeral.volumeClaimTemplate.spec.volumeMode", "Filesystem"},
    {"POD.volumes.hostPath.type", ""},
    {"POD.volumes.iscsi.iscsiInterface", "default"},
    {"POD.volumes.projected.defaultMode", "420"},
    {"POD.volumes.projected.sources.downwardAPI.items.fieldRef.apiVersion", "v1"},
    {"POD.volumes.projected.sources.serviceAccountToken.expirationSeconds", "3600"},
    {"POD.volumes.rbd.keyring", "/etc/ceph/keyring"},
    {"POD.volumes.rbd.pool", "rbd"},
    {"POD.volumes.rbd.user", "admin"},
    {"POD.volumes.scaleIO.fsType", "xfs"},
    {"POD.volumes.scaleIO.storageMode", "ThinProvisioned"},
    {"POD.volumes.secret.defaultMode", "420"},
});

std::string_view generic(std::string_view key) {
  if (key == "containers" || key == "initContainers" || key == "ephemeralContainers") return "CONTAINERS";
  if (key == "livenessProbe" || key == "readinessProbe" || key == "startupProbe") return "PROBE";
  return key == "postStart" || key == "preStop" ? "HOOK" : key;
}

// Longest first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSpecs{
    {{"spec.replicatedJobs.template.spec.template.spec.", "POD."},
     {"spec.replicatedJobs.template.spec.", "JOB."},
     {"spec.", "JOBSET."}}};

// The path in the form of Default::field.
std::string field_of(const schema::FieldPath& path) {
  std::string field;
  for (const schema::Step& step : path) {
    if (step.is_item()) continue;
    if (!field.empty()) field += '.';
    field += generic(step.key);
  }
  for (const auto& [steps, spec] : kSpecs) {
    if (field.starts_with(steps)) return field.replace(0, steps.size(), spec);
  }
  return field;
}

bool is_text(const Node& value, std::string_view text) {
  if (text == "{}") return value.is_map() && value.size() == 0;
  return value.is_scalar() && value.text() == text;
}

// Whether a request equals its limit: limits without requests become requests.
bool is_limit(const Node& value, std::string_view resource, const Node& resources) {
  const Node* limits = resources.get("limits");
  const Node* limit = limits ? limits->get(resource) : nullptr;
  return limit && limit->text() == value.text();
}

// Whether the value is a default that depends on the fields beside it.
bool is_computed_default(std::string_view field, const Node& value, const schema::FieldPath& path,
                         std::span<const Node* const> parents) {
  const Node& map = *parents.back();
  if (field == "JOB.backoffLimit")
    return value.text() == (map.get("backoffLimitPerIndex") ? "2147483647" : "6");
  if (field == "JOB.podReplacementPolicy")
    return value.text() == (map.get("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  if (field == "POD.CONTAINERS.imagePullPolicy")
    return value.text() == k8s::pod::default_pull_policy(text_at(map, "image"));
  if (field.starts_with("POD.CONTAINERS.resources.requests."))
    return is_limit(value, path.back().key, *parents[parents.size() - 2]);
  // A volume without a source is an empty directory.
  return field == "POD.volumes.emptyDir" && is_text(value, "{}") && map.size() == 2;
}

}  // namespace

bool is_api_default(const schema::FieldPath& path, const Node& value, std::span<const Node* const> parents) {
  const std::string field = field_of(path);
  if (const Default* row = base::find(kDefaults, field, &Default::field)) return is_text(value, row->value);
  return parents.size() == path.size() && is_computed_default(field, value, path, parents);
}

namespace {

using schema::Step;

constexpr std::array<std::string_view, 2> kOurs{"trainer", "trainjobc"};
// For a small JobSet that it admits, Kueue writes about as many fields as its creator.
constexpr std::string_view kKueue = "kueue";
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

// Whether the keys, like `{"containerPort":80,"protocol":"TCP"}`, name the item.
bool names_item(std::string_view keys, const Step& step) {
  const yaml::Text json(keys);
  if (!json.root() || !json.root()->is_map() || !step.schema) return false;
  std::string joined;
  for (const std::string_view key : step.schema->list_keys) {
    if (!joined.empty()) joined += '/';
    joined += yaml::text_of(json.root()->get(key));
  }
  return joined == schema::item_keys(*step.item, *step.schema);
}

bool is_value(std::string_view written, const Node& item) {
  const yaml::Text json(written);
  return json.root() && json.root()->text() == item.text();
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

// If the path leads through an empty set of fields, the field is owned as a whole.
bool owns(const Node& fields, const schema::FieldPath& path) {
  const Node* at = &fields;
  for (const Step& step : path) {
    at = descend(*at, step);
    if (!at) return false;
    if (at->size() == 0) return true;
  }
  return true;
}

// Whether the manager is one of manual changes. kubectl apply uses a different one.
bool is_person(std::string_view manager) {
  static constexpr std::array kPersons =
      std::to_array<std::string_view>({"k9s", "kubectl-annotate", "kubectl-edit", "kubectl-label",
                                       "kubectl-patch", "kubectl-scale", "kubectl-set"});
  return base::contains(kPersons, manager);
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
  // The manager that wrote the most fields is the one that applies the object; others write single fields.
  for (Manager& manager : managers_) {
    const bool has_most = manager.weight > 0 && manager.weight * 2 >= heaviest && !is_person(manager.name) &&
                          manager.name != kKueue;
    manager.is_us = has_most || base::contains(kOurs, manager.name);
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

namespace {

// The position of each variable; nullopt if a name occurs twice.
std::optional<std::map<std::string_view, size_t>> places_of(const Node& env) {
  std::map<std::string_view, size_t> places;
  for (const Node* variable : env.items()) {
    if (!places.emplace(text_at(*variable, "name"), places.size()).second) return std::nullopt;
  }
  return places;
}

// Kubernetes replaces $(NAME) only if NAME comes earlier in the list.
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

// `map` with each item of the list at `key` rewritten according to the live item of the same name.
template <class Rewrite>
const Node* with_live_items(const Node* map, const Node* live, std::string_view key, const Maker& make,
                            Rewrite rewrite) {
  const Node* list = map->get(key);
  const Node* live_list = live->get(key);
  if (!list || !live_list) return map;
  const auto change = [&](const Node& item) {
    const Node* same = yaml::find_named(live_list->items(), text_at(item, "name"));
    return same ? rewrite(&item, same) : &item;
  };
  const Node* changed = yaml::with_each(*list, make, change);
  return changed != list ? make.with(map, key, changed) : map;
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
      result = with_live_items(result, live_pod, list, make, of_container);
    return result == pod ? job : make.with_path(job, path, result);
  };
  const Node* spec = rendered.get("spec");
  const Node* live_spec = live.get("spec");
  if (!spec || !live_spec) return &rendered;
  const Node* result = with_live_items(spec, live_spec, "replicatedJobs", make, of_job);
  return result == spec ? &rendered : make.with(&rendered, "spec", result);
}

}  // namespace trainjobc::cluster
