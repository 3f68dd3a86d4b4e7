// SPDX-License-Identifier: Apache-2.0

// Security contexts of pods and containers.
#pragma once

#include "k8s/field.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::pod {

// `host_users`: the pod shares the host's users.
void check_security_context(const Field& context, bool host_users, Report& report);

// The settings that security contexts of pods and containers share.
void check_seccomp_profile(const Field& profile, Report& report);
void check_apparmor_profile(const Field& profile, Report& report);
void check_windows_options(const Field& options, Report& report);

}  // namespace trainjobc::k8s::pod
