// The Secret with the SSH key that MPI's launcher and nodes share.
#pragma once

#include <string>
#include <string_view>

#include "policy/plugin.h"

namespace trainjobc::policy {

// What its name has after the TrainJob's.
inline constexpr std::string_view kSshSecretSuffix = "-mpi-ssh-auth";

std::string ssh_secret_name(std::string_view job_name);

// nullptr under --ssh-key omit, or if there is no usable key, which is an error among the findings.
const yaml::Node* ssh_secret(PluginContext& context);

}  // namespace trainjobc::policy
