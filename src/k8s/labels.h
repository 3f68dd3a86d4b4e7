// SPDX-License-Identifier: Apache-2.0

// Validation of labels and annotations, which objects of the inputs and the rendered JobSet have.
// Source of the rules: k8s.io/apimachinery/pkg/api/validation, objectmeta.go.
#pragma once

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

// `metadata` is an object's metadata, a map. Wrong types are not reported here but by validate_structure.
Violations validate_labels(const yaml::Node& metadata);

}  // namespace trainjobc::k8s
