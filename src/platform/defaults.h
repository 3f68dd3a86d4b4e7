// SPDX-License-Identifier: Apache-2.0

// What an API server fills in where a Job or a pod says nothing, before admission looks at it.
// Source of the rules: k8s.io/kubernetes, pkg/apis/core/v1/defaults.go, pkg/apis/batch/v1/defaults.go.
#pragma once

#include <functional>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::platform {

// A container, or the spec of a pod, with a request for each of its own limits that lacks one, but for
// resources that are left out.
const yaml::Node* with_requests(const yaml::Node& owner, const yaml::Maker& make,
                                const std::function<bool(std::string_view)>& is_left_out = {});

const yaml::Node* with_job_defaults(const yaml::Node& job, const yaml::Maker& make);
// `spec` of a pod: among others a request for each limit that has none.
const yaml::Node* with_pod_defaults(const yaml::Node& spec, const yaml::Maker& make);

}  // namespace trainjobc::platform
