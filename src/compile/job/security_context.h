// Security contexts of pods and containers.
#pragma once

#include "compile/job/field.h"
#include "compile/job/report.h"

namespace trainjobc::compile::job {

// `host_users`: the pod shares the host's users.
void check_security_context(const Field& context, bool host_users, Report& report);

// What pods' and containers' security contexts share.
void check_seccomp_profile(const Field& profile, Report& report);
void check_apparmor_profile(const Field& profile, Report& report);
void check_windows_options(const Field& options, Report& report);

}  // namespace trainjobc::compile::job
