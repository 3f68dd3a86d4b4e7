// SPDX-License-Identifier: Apache-2.0

#include "platform/defaults.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "k8s/pod/pod.h"
#include "policy/runtime_info.h"
#include "yaml/changes.h"

namespace trainjobc::platform {
namespace {

using yaml::Kind;
using yaml::Maker;
using yaml::Node;

struct Default {
  std::string_view owner;   // the key of the map around the parent, or of the list; "" for any
  std::string_view parent;  // the key of the map, or of the list that it is in
  std::string_view key;
  Kind kind = Kind::String;
  std::string_view value = "";
};

constexpr auto kOfJob = std::to_array<Default>({
    {"", "", "parallelism", Kind::Int, "1"},
    {"", "", "backoffLimit", Kind::Int, "6"},
    {"", "", "completionMode", Kind::String, "NonIndexed"},
    {"", "", "suspend", Kind::Bool, "false"},
    {"", "", "podReplacementPolicy", Kind::String, "TerminatingOrFailed"},
    {"", "", "manualSelector", Kind::Bool, "false"},
});
// If backoffLimitPerIndex is given, and if podFailurePolicy is.
constexpr Default kEndlessBackoff{"", "", "backoffLimit", Kind::Int, "2147483647"};
constexpr Default kReplacedIfFailed{"", "", "podReplacementPolicy", Kind::String, "Failed"};
constexpr std::string_view kGracePeriod = "terminationGracePeriodSeconds";
constexpr auto kOfPod = std::to_array<Default>({
    {"", "", "restartPolicy", Kind::String, "Always"},
    {"", "", kGracePeriod, Kind::Int, "30"},
    {"", "", "dnsPolicy", Kind::String, "ClusterFirst"},
    {"", "", "schedulerName", Kind::String, "default-scheduler"},
    {"", "", "securityContext", Kind::Map},
});
// Of what is anywhere in a pod. Init containers are meant with containers, each probe with livenessProbe.
constexpr auto kInPod = std::to_array<Default>({
    {"", "containers", "resources", Kind::Map},
    {"", "containers", "terminationMessagePath", Kind::String, "/dev/termination-log"},
    {"", "containers", "terminationMessagePolicy", Kind::String, "File"},
    {"", "ports", "protocol", Kind::String, "TCP"},
    {"", "fieldRef", "apiVersion", Kind::String, "v1"},
    {"", "fileKeyRef", "optional", Kind::Bool, "false"},
    {"", "livenessProbe", "timeoutSeconds", Kind::Int, "1"},
    {"", "livenessProbe", "periodSeconds", Kind::Int, "10"},
    {"", "livenessProbe", "successThreshold", Kind::Int, "1"},
    {"", "livenessProbe", "failureThreshold", Kind::Int, "3"},
    {"", "httpGet", "path", Kind::String, "/"},
    {"", "httpGet", "scheme", Kind::String, "HTTP"},
    {"", "grpc", "service", Kind::String, ""},
    {"volumes", "secret", "defaultMode", Kind::Int, "420"},
    {"volumes", "configMap", "defaultMode", Kind::Int, "420"},
    {"volumes", "downwardAPI", "defaultMode", Kind::Int, "420"},
    {"volumes", "projected", "defaultMode", Kind::Int, "420"},
    {"volumes", "hostPath", "type", Kind::String, ""},
    {"sources", "serviceAccountToken", "expirationSeconds", Kind::Int, "3600"},
    {"volumeClaimTemplate", "spec", "volumeMode", Kind::String, "Filesystem"},
    {"volumes", "iscsi", "iscsiInterface", Kind::String, "default"},
    {"volumes", "rbd", "pool", Kind::String, "rbd"},
    {"volumes", "rbd", "user", Kind::String, "admin"},
    {"volumes", "rbd", "keyring", Kind::String, "/etc/ceph/keyring"},
    {"volumes", "azureDisk", "cachingMode", Kind::String, "ReadWrite"},
    {"volumes", "azureDisk", "kind", Kind::String, "Shared"},
    {"volumes", "azureDisk", "fsType", Kind::String, "ext4"},
    {"volumes", "azureDisk", "readOnly", Kind::Bool, "false"},
    {"volumes", "scaleIO", "storageMode", Kind::String, "ThinProvisioned"},
    {"volumes", "scaleIO", "fsType", Kind::String, "xfs"},
});

std::string_view meant_by(std::string_view key) {
  if (key == "initContainers") return "containers";
  return key == "readinessProbe" || key == "startupProbe" ? "livenessProbe" : key;
}

const Node* value_of(const Default& one, const Maker& make, yaml::Origin origin) {
  if (one.kind == Kind::Map) return make.map(std::span<const yaml::Entry>(), origin);
  if (one.kind == Kind::Bool) return make.boolean(one.value == "true", origin);
  return one.kind == Kind::String ? make.string(one.value, origin) : make.plain(one.kind, one.value, origin);
}

const Node* with_default(const Node* map, const Default& one, const Maker& make) {
  const yaml::Origin origin = make.made("default", {map});
  return map->get(one.key) ? map : make.with(map, one.key, value_of(one, make, origin));
}

const Node* with_defaults(const Node* map, std::span<const Default> defaults, const Maker& make) {
  for (const Default& one : defaults) map = with_default(map, one, make);
  return map;
}

const Node* with_pull_policy(const Node& owner, std::string_view key, const Node* image, const Maker& make) {
  if (owner.get(key)) return &owner;
  const std::string_view policy = k8s::pod::default_pull_policy(yaml::text_of(image));
  return make.with(&owner, key, make.string(policy, make.made("default", {image})));
}

const Node* with_volume_defaults(const Node& volume, const Maker& make) {
  const Node* image = volume.get("image");
  if (image && image->is_map())
    return make.with(&volume, "image", with_pull_policy(*image, "pullPolicy", image->get("reference"), make));
  const bool has_source =
      std::ranges::any_of(volume.entries(), [](const yaml::Entry& entry) { return entry.key != "name"; });
  return has_source ? &volume : with_default(&volume, {"", "", "emptyDir", Kind::Map}, make);
}

// The node and what is below it with the defaults of kInPod. `parent` is its key, or that of the list that it
// is in, `owner` the key of what is around that.
const Node* with_defaults_below(const Node& node, std::string_view owner, std::string_view parent,
                                const Maker& make) {
  const Node* changed = yaml::with_values(node, make, [&](std::string_view key, const Node& value) {
    return node.is_list() ? with_defaults_below(value, owner, parent, make)
                          : with_defaults_below(value, parent, meant_by(key), make);
  });
  if (!node.is_map()) return changed;
  for (const Default& one : kInPod) {
    if (one.parent == parent && (one.owner.empty() || one.owner == owner))
      changed = with_default(changed, one, make);
  }
  if (parent == "containers") return with_pull_policy(*changed, "imagePullPolicy", node.get("image"), make);
  return parent == "volumes" ? with_volume_defaults(*changed, make) : changed;
}

// `spec` of a pod's template.
const Node* with_template_defaults(const Node& spec, const Maker& make) {
  const Node* changed = with_defaults(with_defaults_below(spec, "template", "", make), kOfPod, make);
  // The new name of the field wins.
  const Node* account = changed->get("serviceAccountName");
  if (!yaml::text_of(account).empty()) return make.with(changed, "serviceAccount", account);
  const Node* old_account = changed->get("serviceAccount");
  return old_account ? make.with(changed, "serviceAccountName", old_account) : changed;
}

// A container of a pod in the host's network.
const Node* with_host_ports(const Node& container, const Maker& make) {
  const Node* ports = container.get("ports");
  if (!ports || !ports->is_list()) return &container;
  const auto of_port = [&](const Node& port) {
    const Node* on_host = port.get("hostPort");
    return on_host && on_host->as_int() != 0 ? &port
                                             : make.with(&port, "hostPort", port.get("containerPort"));
  };
  return make.with(&container, "ports", yaml::with_each(*ports, make, of_port));
}

const Node* with_statuses(const Node& failure_policy, const Maker& make) {
  const auto of_condition = [&](const Node& condition) {
    return yaml::text_at(condition, "status").empty()
               ? make.with(&condition, "status", make.string("True", make.made("default", {&condition})))
               : &condition;
  };
  const auto of_rule = [&](const Node& rule) {
    const Node* conditions = rule.get("onPodConditions");
    return conditions && conditions->is_list()
               ? make.with(&rule, "onPodConditions", yaml::with_each(*conditions, make, of_condition))
               : &rule;
  };
  const Node* rules = failure_policy.get("rules");
  return rules && rules->is_list()
             ? make.with(&failure_policy, "rules", yaml::with_each(*rules, make, of_rule))
             : &failure_policy;
}

}  // namespace

const Node* with_requests(const Node& owner, const Maker& make,
                          const std::function<bool(std::string_view)>& is_left_out) {
  const Node* limits = owner.at({"resources", "limits"});
  if (!limits || !limits->is_map()) return &owner;
  const Node* requests = owner.at({"resources", "requests"});
  std::vector<yaml::Entry> entries;
  if (requests) entries.assign(requests->entries().begin(), requests->entries().end());
  for (const yaml::Entry& limit : limits->entries()) {
    if (requests && requests->get(limit.key)) continue;
    if (!is_left_out || !is_left_out(limit.key)) entries.push_back(limit);
  }
  const yaml::Origin origin = requests ? requests->origin() : limits->origin();
  return make.with_path(&owner, {"resources", "requests"}, make.map(entries, origin));
}

const Node* with_job_defaults(const Node& job, const Maker& make) {
  const Node* spec = job.get("spec");
  const auto has = [&](std::string_view key) { return spec->get(key) != nullptr; };
  if (!has("completions") && !has("parallelism"))
    spec = make.with(spec, "completions", make.integer(1, make.made("default", {spec})));
  if (has("backoffLimitPerIndex")) spec = with_default(spec, kEndlessBackoff, make);
  if (const Node* policy = spec->get("podFailurePolicy")) {
    spec = make.with(spec, "podFailurePolicy", with_statuses(*policy, make));
    spec = with_default(spec, kReplacedIfFailed, make);
  }
  if (const Node* pod = spec->at({"template", "spec"}))
    spec = make.with_path(spec, {"template", "spec"}, with_template_defaults(*pod, make));
  return make.with(&job, "spec", with_defaults(spec, kOfJob, make));
}

const Node* with_pod_defaults(const Node& spec, const Maker& make) {
  const Node* changed = with_template_defaults(spec, make);
  const bool has_host_network = yaml::text_at(spec, "hostNetwork") == "true";
  const Node* grace = changed->get(kGracePeriod);
  if (grace->as_int().value_or(0) < 0)
    changed = make.with(changed, kGracePeriod, make.integer(1, make.made("default", {grace})));
  for (const std::string_view key : {"initContainers", "containers"}) {
    const Node* list = changed->get(key);
    if (!list || !list->is_list()) continue;
    const auto change = [&](const Node& container) {
      return with_requests(has_host_network ? *with_host_ports(container, make) : container, make);
    };
    changed = make.with(changed, key, yaml::with_each(*list, make, change));
  }
  // A limit of the pod as a whole becomes a request where no container has one.
  const policy::Amounts of_containers =
      policy::pod_requests(*make.with(make.with(changed, "resources", nullptr), "overhead", nullptr));
  changed = with_requests(*changed, make, [&](std::string_view resource) {
    return of_containers.contains(std::string(resource));
  });
  return with_default(changed, {"", "", "enableServiceLinks", Kind::Bool, "true"}, make);
}

}  // namespace trainjobc::platform
