// SPDX-License-Identifier: Apache-2.0

// The defaults that Kubernetes' typed API sets in Jobs and Pods.
#pragma once

#include <span>

#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// Whether `value`, which only one of two JobSets has, is the API server's default for an absent field.
// `parents` are the nodes above it, the JobSet first, its map last. Source of the values: k8s.io/kubernetes,
// pkg/apis/{core,batch}/v1/defaults.go.
bool is_api_default(const schema::FieldPath& path, const yaml::Node& value,
                    std::span<const yaml::Node* const> parents);

}  // namespace trainjobc::diff
