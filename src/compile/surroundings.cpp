// SPDX-License-Identifier: Apache-2.0

#include "compile/surroundings.h"

#include <array>

#include "base/text/text.h"
#include "k8s/object_meta.h"

namespace trainjobc::compile {
namespace {

using yaml::Node;

bool is_core(const Node& object, std::string_view kind) {
  return string_at(object, "apiVersion") == "v1" && string_at(object, "kind") == kind;
}

bool is_claim(const Node& object) {
  return is_core(object, "PersistentVolumeClaim");
}

bool is_namespace(const Node& object) {
  return is_core(object, "Namespace");
}

bool is_of_openshift(const Node& object) {
  constexpr std::array<std::string_view, 4> kGroups{"security.openshift.io", "route.openshift.io",
                                                    "project.openshift.io",
                                                    "machineconfiguration.openshift.io"};
  const std::string_view version = string_at(object, "apiVersion");
  return base::contains(kGroups, version.substr(0, version.find('/')));
}

bool is_for_privileged(const Node& object) {
  return is_namespace(object) &&
         text_at(object, {"metadata", "labels", "pod-security.kubernetes.io/enforce"}) == "privileged";
}

}  // namespace

const Node* Surroundings::claim(std::string_view ns, std::string_view name) const {
  const auto found = claims.find({k8s::effective_namespace(ns), name});
  return found != claims.end() ? found->second : nullptr;
}

const Node* Surroundings::find_namespace(std::string_view name) const {
  const auto found = namespaces.find(k8s::effective_namespace(name));
  return found != namespaces.end() ? found->second : nullptr;
}

bool is_surrounding(const Node& object) {
  return is_claim(object) || is_namespace(object) || is_of_openshift(object);
}

Surroundings surroundings_of(const InputSet& inputs, const Options& options) {
  Surroundings found;
  for (const InputObject& input : inputs.objects) {
    if (input.kind != InputKind::Foreign || !input.root) continue;
    const Node& object = *input.root;
    const std::string_view name = text_at(object, {"metadata", "name"});
    if (is_claim(object))
      found.claims.try_emplace({k8s::effective_namespace(text_at(object, {"metadata", "namespace"})), name},
                               &object);
    if (is_namespace(object)) found.namespaces.try_emplace(name, &object);
    if (is_of_openshift(object)) found.is_openshift = true;
    if (is_for_privileged(object)) found.allows_privileged = true;
  }
  found.is_openshift = options.is_openshift.value_or(found.is_openshift);
  found.allows_privileged = options.allows_privileged.value_or(found.allows_privileged || found.is_openshift);
  return found;
}

}  // namespace trainjobc::compile
