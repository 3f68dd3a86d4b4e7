// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/api_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

struct Default {
  // Keys from the named spec on. CONTAINERS means containers, initContainers and ephemeralContainers,
  // PROBE for the three probes, HOOK for the two lifecycle hooks.
  std::string_view field;
  std::string_view value;
};

// Nothing sets defaults in volumeClaimPolicies.templates, so writing one there is a change that is refused.
constexpr auto kJobSet = std::to_array<Default>({
    {"suspend", "false"},
});

constexpr auto kJob = std::to_array<Default>({
    {"completions", "1"},
    {"manualSelector", "false"},
    {"parallelism", "1"},
    {"podFailurePolicy.rules.onPodConditions.status", "True"},
    {"suspend", "false"},
});

constexpr auto kPod = std::to_array<Default>({
    {"CONTAINERS.PROBE.failureThreshold", "3"},
    {"CONTAINERS.PROBE.grpc.service", ""},
    {"CONTAINERS.PROBE.httpGet.path", "/"},
    {"CONTAINERS.PROBE.httpGet.scheme", "HTTP"},
    {"CONTAINERS.PROBE.periodSeconds", "10"},
    {"CONTAINERS.PROBE.successThreshold", "1"},
    {"CONTAINERS.PROBE.timeoutSeconds", "1"},
    {"CONTAINERS.env.valueFrom.fieldRef.apiVersion", "v1"},
    {"CONTAINERS.lifecycle.HOOK.httpGet.path", "/"},
    {"CONTAINERS.lifecycle.HOOK.httpGet.scheme", "HTTP"},
    {"CONTAINERS.ports.protocol", "TCP"},
    {"CONTAINERS.securityContext.procMount", "Default"},
    {"CONTAINERS.terminationMessagePath", "/dev/termination-log"},
    {"CONTAINERS.terminationMessagePolicy", "File"},
    {"dnsPolicy", "ClusterFirst"},
    {"enableServiceLinks", "true"},
    {"schedulerName", "default-scheduler"},
    {"securityContext", "{}"},
    {"terminationGracePeriodSeconds", "30"},
    {"volumes.azureDisk.cachingMode", "ReadWrite"},
    {"volumes.azureDisk.fsType", "ext4"},
    {"volumes.azureDisk.kind", "Shared"},
    {"volumes.azureDisk.readOnly", "false"},
    {"volumes.configMap.defaultMode", "420"},
    {"volumes.downwardAPI.defaultMode", "420"},
    {"volumes.downwardAPI.items.fieldRef.apiVersion", "v1"},
    {"volumes.ephemeral.volumeClaimTemplate.spec.volumeMode", "Filesystem"},
    {"volumes.hostPath.type", ""},
    {"volumes.iscsi.iscsiInterface", "default"},
    {"volumes.projected.defaultMode", "420"},
    {"volumes.projected.sources.downwardAPI.items.fieldRef.apiVersion", "v1"},
    {"volumes.projected.sources.serviceAccountToken.expirationSeconds", "3600"},
    {"volumes.rbd.keyring", "/etc/ceph/keyring"},
    {"volumes.rbd.pool", "rbd"},
    {"volumes.rbd.user", "admin"},
    {"volumes.scaleIO.fsType", "xfs"},
    {"volumes.scaleIO.storageMode", "ThinProvisioned"},
    {"volumes.secret.defaultMode", "420"},
});

// The step at which the keys of a JobSet, Job or Pod spec begin.
enum class Level { None, JobSet, Job, Pod };

struct Field {
  Level level = Level::None;
  std::string name;
};

constexpr std::array<std::string_view, 4> kToJob{"spec", "replicatedJobs", "template", "spec"};
constexpr std::array<std::string_view, 6> kToPod{"spec", "replicatedJobs", "template",
                                                 "spec", "template",       "spec"};

std::string_view generic(std::string_view key) {
  if (key == "containers" || key == "initContainers" || key == "ephemeralContainers") return "CONTAINERS";
  if (key == "livenessProbe" || key == "readinessProbe" || key == "startupProbe") return "PROBE";
  return key == "postStart" || key == "preStop" ? "HOOK" : key;
}

Field field_of(const schema::FieldPath& path) {
  std::vector<std::string_view> keys;
  for (const schema::Step& step : path) {
    if (!step.is_item()) keys.push_back(step.key);
  }
  const auto begins_with = [&](auto prefix) {
    return keys.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), keys.begin());
  };
  Field field;
  size_t skip = 0;
  if (begins_with(kToPod)) {
    field.level = Level::Pod;
    skip = kToPod.size();
  } else if (begins_with(kToJob)) {
    field.level = Level::Job;
    skip = kToJob.size();
  } else if (begins_with(std::array<std::string_view, 1>{"spec"})) {
    field.level = Level::JobSet;
    skip = 1;
  }
  for (size_t i = skip; i < keys.size(); ++i) {
    if (!field.name.empty()) field.name += '.';
    field.name += generic(keys[i]);
  }
  return field;
}

std::span<const Default> table(Level level) {
  switch (level) {
    case Level::None: return {};
    case Level::JobSet: return kJobSet;
    case Level::Job: return kJob;
    case Level::Pod: return kPod;
  }
  return {};
}

bool is_text(const Node& value, std::string_view text) {
  if (text == "{}") return value.is_map() && value.size() == 0;
  return value.is_scalar() && value.text() == text;
}

// Kubernetes always pulls if the tag is `latest` or missing.
std::string_view default_pull_policy(const Node& container) {
  const std::string_view path = text_at(container, "image");
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t colon = name.rfind(':');
  const bool is_latest = name.find('@') == std::string_view::npos &&
                         (colon == std::string_view::npos || name.substr(colon + 1) == "latest");
  return is_latest ? "Always" : "IfNotPresent";
}

// Limits without requests are requests.
bool is_limit(const Node& value, std::string_view resource, const Node& resources) {
  const Node* limits = resources.get("limits");
  const Node* limit = limits ? limits->get(resource) : nullptr;
  return limit && limit->text() == value.text();
}

// Defaults that depend on the fields beside them.
bool is_computed_default(const Field& field, const Node& value, const schema::FieldPath& path,
                         std::span<const Node* const> parents) {
  const Node& map = *parents.back();
  if (field.level == Level::Job && field.name == "backoffLimit") {
    return value.text() == (map.get("backoffLimitPerIndex") ? "2147483647" : "6");
  }
  if (field.level == Level::Job && field.name == "podReplacementPolicy") {
    return value.text() == (map.get("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  }
  if (field.level != Level::Pod) return false;
  if (field.name == "CONTAINERS.imagePullPolicy") return value.text() == default_pull_policy(map);
  if (field.name.starts_with("CONTAINERS.resources.requests.")) {
    return is_limit(value, path.back().key, *parents[parents.size() - 2]);
  }
  // A volume without a source is an empty directory.
  return field.name == "volumes.emptyDir" && is_text(value, "{}") && map.size() == 2;
}

}  // namespace

bool is_api_default(const schema::FieldPath& path, const Node& value, std::span<const Node* const> parents) {
  const Field field = field_of(path);
  const auto rows = table(field.level);
  const auto row = std::ranges::find(rows, field.name, &Default::field);
  if (row != rows.end()) return is_text(value, row->value);
  return parents.size() == path.size() && is_computed_default(field, value, path, parents);
}

}  // namespace trainjobc::diff
