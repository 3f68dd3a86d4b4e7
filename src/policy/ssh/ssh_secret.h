// SPDX-License-Identifier: Apache-2.0

// The Secret with the SSH key that MPI's launcher and nodes share.
#pragma once

#include <string>

#include "policy/plugin.h"

namespace trainjobc::policy {

// nullptr with --ssh-key omit, or if there is no usable key, which is an error in the findings.
const yaml::Node* ssh_secret(PluginContext& context, const std::string& name);

}  // namespace trainjobc::policy
