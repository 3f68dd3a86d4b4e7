// SPDX-License-Identifier: Apache-2.0

// Validation of metadata, as the API server does it for every kind of object.
// Source of the rules: k8s.io/apimachinery/pkg/api/validation, objectmeta.go.
#pragma once

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

// The syntax of the names of a kind. Custom resources have DnsSubdomain.
enum class NameRule { DnsSubdomain, DnsLabel, Dns1035Label };

// Name, namespace, labels, annotations, owner references and finalizers of `object` at its creation. Fields
// are those of the API server: metadata.name, metadata.labels. The namespace may be absent; it is ignored if
// the object is not `namespaced`, as the API server drops it. Wrong types are not reported here but by
// validate_structure.
Violations validate_object_meta(const yaml::Node& object, NameRule rule, bool namespaced);

}  // namespace trainjobc::k8s
