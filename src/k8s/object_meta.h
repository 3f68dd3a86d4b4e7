// SPDX-License-Identifier: Apache-2.0

// Metadata of objects: namespaces, annotations with a meaning, label selectors, and what the API server
// refuses.
// Source of the rules: k8s.io/apimachinery/pkg/api/validation, objectmeta.go.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "k8s/field.h"
#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

inline constexpr std::string_view kDefaultNamespace = "default";

inline std::string_view effective_namespace(std::string_view ns) {
  return ns.empty() ? kDefaultNamespace : ns;
}

// The group of an apiVersion: "jobset.x-k8s.io"; "" for "v1".
inline std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// Fields that only the API server sets.
inline constexpr std::array<std::string_view, 8> kServerMetadata{
    "creationTimestamp", "deletionGracePeriodSeconds",
    "deletionTimestamp", "generation",
    "managedFields",     "resourceVersion",
    "selfLink",          "uid"};

inline bool is_server_metadata(std::string_view key) {
  return base::contains(kServerMetadata, key);
}

// Annotations of a replicatedJob's template: each Job has the nodes of a domain to itself; with the second
// one, the nodes that are labelled with its name.
inline constexpr std::string_view kExclusiveTopology = "alpha.jobset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";

// The limit for all keys and values of an object's annotations together.
inline constexpr size_t kMaxAnnotationBytes = 262144;

// Checks the labels of `metadata`, an object's metadata. Wrong types are left to validate_structure.
Violations validate_labels(const yaml::Node& metadata);

// The syntax of a kind's names. Custom resources have DnsSubdomain.
enum class NameRule { DnsSubdomain, DnsLabel, Dns1035Label };

// Checks name, namespace, labels, annotations, owner references and finalizers of `object` at its creation.
// Fields are those of the API server: metadata.name, metadata.labels. The namespace may be absent; it is
// ignored if the object is not `namespaced`, as the API server drops it. Wrong types are left to
// validate_structure.
Violations validate_object_meta(const yaml::Node& object, NameRule rule, bool namespaced);

// Labels, annotations, and the selectors that match labels.

// Checks keys and values; `what` is "label" or "node label". The path of every violation is the map's own.
void check_labels(const Field& labels, std::string_view what, Report& report);

void check_annotations(const Field& annotations, Report& report);

// Checks a metav1.LabelSelector; an absent one passes.
void check_label_selector(const Field& selector, Report& report);

using LabelSet = std::map<std::string, std::string, std::less<>>;

// Whether a selector that has passed its check selects an object with these labels; an empty one selects
// everything, an absent one nothing.
bool selects(const yaml::Node* selector, const LabelSet& labels);
// `labels`: metadata.labels, or nullptr.
bool selects(const yaml::Node* selector, const yaml::Node* labels);

}  // namespace trainjobc::k8s
