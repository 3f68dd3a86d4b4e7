// SPDX-License-Identifier: Apache-2.0

#include "k8s/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text/text.h"
#include "yaml/changes.h"

namespace trainjobc::k8s {
namespace {

using yaml::Node;

// Oldest first. Source: k8s.io/kubernetes at 1.34.4, 1.35.4, 1.36.3, 1.37.2 and 1.38.0-beta.0: pkg/features,
// pkg/api/pod, pkg/apis/core/validation.
constexpr std::array kRows = std::to_array<KubernetesBehaviour>({
    {.version = "1.34"},
    {.version = "1.35"},
    {.version = "1.36", .has_strict_ips = true, .sidecars_have_rules = true},
    {.version = "1.37", .has_strict_ips = true, .sidecars_have_rules = true},
    {.version = "1.38", .has_strict_ips = true, .sidecars_have_rules = true},
});

constexpr std::string_view kDefault = "1.36";

struct NewField {
  std::string_view parent;
  std::string_view field;
  std::string_view since;
};

// Source: the types of k8s.io/api, core/v1 and batch/v1.
constexpr std::array kNewFields = std::to_array<NewField>({
    {"spec", "schedulingGroup", "1.36"},
    {"podCertificate", "userAnnotations", "1.35"},
    {"emptyDir", "mode", "1.37"},
    {"secret", "defaultUser", "1.37"},
    {"configMap", "defaultUser", "1.37"},
    {"projected", "defaultUser", "1.37"},
    {"downwardAPI", "defaultUser", "1.37"},
    {"serviceAccountToken", "user", "1.37"},
    {"clusterTrustBundle", "user", "1.37"},
    {"podCertificate", "user", "1.37"},
    {"items", "user", "1.37"},
    {"volumeMounts", "bindMountOptions", "1.37"},
    {"httpGet", "protocol", "1.37"},
    {"grpc", "mode", "1.37"},
    {"spec", "evictionResponders", "1.37"},
    {"spec", "scheduling", "1.37"},
    {"seccompProfile", "oci", "1.38"},
});

// A word that is a value of one field only.
struct NewValue {
  std::string_view value;
  std::string_view since;
};

constexpr std::array kNewValues = std::to_array<NewValue>({
    {"RestartAllContainers", "1.36"},
    {"MountOption", "1.37"},
    {"MLDSA44", "1.38"},
    {"MLDSA65", "1.38"},
    {"MLDSA87", "1.38"},
});

constexpr std::array kDropped = std::to_array<DroppedField>({
    {"containers", "restartPolicy", "ContainerRestartRules", "1.35"},
    {"containers", "restartPolicyRules", "ContainerRestartRules", "1.35"},
    {"initContainers", "restartPolicyRules", "ContainerRestartRules", "1.35"},
    {.parent = "initContainers",
     .field = "restartPolicy",
     .gate = "ContainerRestartRules",
     .until = "1.35",
     .unless = "Always"},
    {"valueFrom", "fileKeyRef", "EnvFiles", "1.35"},
    {"spec", "hostnameOverride", "HostnameOverride", "1.35"},
    {.parent = "volumes", .field = "image", .gate = "ImageVolume", .until = "1.35", .with_parent = true},
    {"sources", "clusterTrustBundle", "ClusterTrustBundleProjection", "1.37"},
    {"sources", "podCertificate", "PodCertificateRequest", "1.37"},
    {"spec", "schedulingGroup", "GenericWorkload", ""},
    {"lifecycle", "stopSignal", "ContainerStopSignals", "", true},
});

// False if `version` is "".
bool is_before(const KubernetesBehaviour& kubernetes, std::string_view version) {
  const auto place = [](std::string_view name) {
    return std::ranges::find(kRows, name, &KubernetesBehaviour::version);
  };
  return place(kubernetes.version) < place(version);
}

const DroppedField* find_dropped(std::string_view parent, std::string_view field, const Node& value,
                                 const KubernetesBehaviour& kubernetes) {
  for (const DroppedField& one : kDropped) {
    if (one.field != field || one.parent != parent || !is_before(kubernetes, one.until)) continue;
    return one.unless.empty() || yaml::text_of(&value) != one.unless ? &one : nullptr;
  }
  return nullptr;
}

// Adds what is dropped below the node. Paths are written only of what is found, on the way back.
void collect(const Node& node, std::string_view parent, const KubernetesBehaviour& kubernetes,
             std::vector<Dropped>& found) {
  const auto add_step = [&](size_t first, const std::string& step) {
    for (size_t i = first; i < found.size(); ++i) found[i].path.insert(0, step);
  };
  for (size_t i = 0; i < node.items().size(); ++i) {
    const size_t first = found.size();
    collect(*node.items()[i], parent, kubernetes, found);
    if (found.size() > first) add_step(first, fmt::format("[{}]", i));
  }
  for (const yaml::Entry& entry : node.entries()) {
    const size_t first = found.size();
    if (const DroppedField* field = find_dropped(parent, entry.key, *entry.value, kubernetes))
      found.push_back({field, &entry, ""});
    collect(*entry.value, entry.key, kubernetes, found);
    if (found.size() > first) add_step(first, fmt::format(".{}", entry.key));
  }
}

// A pod's spec without what is dropped.
class Dropper {
 public:
  Dropper(const KubernetesBehaviour& kubernetes, const yaml::Maker& make)
      : kubernetes_(kubernetes), make_(make) {}

  const Node* pod_spec(const Node& spec) {
    for (const Node* volume : yaml::items_at(spec, "volumes")) {
      if (goes_whole(*volume, "volumes")) gone_volumes_.insert(yaml::text_at(*volume, "name"));
    }
    return without(spec, "spec");
  }

 private:
  bool goes_whole(const Node& item, std::string_view parent) const {
    return std::ranges::any_of(item.entries(), [&](const yaml::Entry& entry) {
      const DroppedField* field = find_dropped(parent, entry.key, *entry.value, kubernetes_);
      return field && field->with_parent;
    });
  }

  const Node* without(const Node& node, std::string_view parent) const {
    if (node.is_list()) return list(node, parent);
    return yaml::with_values(node, make_, [&](std::string_view key, const Node& value) -> const Node* {
      const DroppedField* field = find_dropped(parent, key, value, kubernetes_);
      return field && !field->stays ? nullptr : without(value, key);
    });
  }

  const Node* list(const Node& all, std::string_view parent) const {
    std::vector<const Node*> kept;
    for (const Node* item : all.items()) {
      const bool is_of_gone =
          parent == "volumeMounts" && gone_volumes_.contains(yaml::text_at(*item, "name"));
      if (!is_of_gone && !goes_whole(*item, parent)) kept.push_back(without(*item, parent));
    }
    return std::ranges::equal(kept, all.items()) ? &all : make_.list(kept, all.origin());
  }

  const KubernetesBehaviour& kubernetes_;
  const yaml::Maker& make_;
  std::set<std::string_view> gone_volumes_;
};

}  // namespace

const KubernetesBehaviour& default_kubernetes() {
  return *base::find(kRows, kDefault, &KubernetesBehaviour::version);
}

std::vector<std::string> kubernetes_versions() {
  std::vector<std::string> versions;
  for (const KubernetesBehaviour& row : kRows) versions.emplace_back(row.version);
  return versions;
}

const KubernetesBehaviour* find_kubernetes(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  const size_t dot = version.find('.');
  const size_t patch = dot == std::string_view::npos ? dot : version.find('.', dot + 1);
  return base::find(kRows, version.substr(0, patch), &KubernetesBehaviour::version);
}

std::string_view kubernetes_with_field(std::string_view parent, std::string_view field) {
  const auto found = std::ranges::find_if(
      kNewFields, [&](const NewField& one) { return one.parent == parent && one.field == field; });
  return found != kNewFields.end() ? found->since : std::string_view();
}

std::string_view kubernetes_with_value(std::string_view value, const KubernetesBehaviour& kubernetes) {
  const auto found = std::ranges::find(kNewValues, value, &NewValue::value);
  return found != kNewValues.end() && is_before(kubernetes, found->since) ? found->since : std::string_view();
}

std::vector<Dropped> dropped_fields(const Node& pod_spec, const std::string& path,
                                    const KubernetesBehaviour& kubernetes) {
  std::vector<Dropped> found;
  collect(pod_spec, "spec", kubernetes, found);
  for (Dropped& one : found) one.path.insert(0, path);
  return found;
}

const Node* without_dropped(const Node& job, const KubernetesBehaviour& kubernetes, const yaml::Maker& make) {
  const Node* pod_spec = job.at({"spec", "template", "spec"});
  const Node* kept = pod_spec ? Dropper(kubernetes, make).pod_spec(*pod_spec) : nullptr;
  return kept == pod_spec ? &job : make.with_path(&job, {"spec", "template", "spec"}, kept);
}

}  // namespace trainjobc::k8s
