// Validation of metadata, as the API server does it for every kind of object.
// Source of the rules: k8s.io/apimachinery/pkg/api/validation, objectmeta.go.
#pragma once

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

// What names of a kind may look like. Custom resources take DnsSubdomain.
enum class NameRule { DnsSubdomain, DnsLabel, Dns1035Label };

// Name, namespace, labels, annotations, owner references and finalizers of `object` at its creation. Fields
// are the API server's: metadata.name, metadata.labels. A namespace may be absent; that of an object that is
// not `namespaced` is not looked at, as the API server drops it. Wrong types are validate_structure's to
// report.
Violations validate_object_meta(const yaml::Node& object, NameRule rule, bool namespaced);

}  // namespace trainjobc::k8s
