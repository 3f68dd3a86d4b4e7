// SPDX-License-Identifier: Apache-2.0

// kubectl's names of kinds and objects.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::kubectl {

// The resource name of a kind: "jobsets.jobset.x-k8s.io"; "" for kinds that trainjobc doesn't
// render.
std::string_view resource_of(std::string_view api_version, std::string_view kind);

// An object as `-o name` prints it: "jobset.jobset.x-k8s.io/llama".
std::string name_of(std::string_view api_version, std::string_view kind, std::string_view name);

}  // namespace trainjobc::kubectl
