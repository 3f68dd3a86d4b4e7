// SPDX-License-Identifier: Apache-2.0

// Why kubectl failed, as a helpful message.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::kubectl {

enum class Cause {
  None,
  NoProgram,     // no kubectl in PATH
  NoAnswer,      // it timed out, could not be run, or its exit status is unknown
  Settings,      // its kubeconfig or context can't be used
  Unreachable,   // the API server does not respond
  Unauthorized,  // the API server does not accept the credentials
  Forbidden,     // a permission is missing
  NoKind,        // the cluster has no JobSets, PodGroups…
  NoNamespace,
  Conflict,  // another manager owns a field
  Exists,    // the object to create exists
  Webhook,   // a required webhook did not respond
  Claim,     // JobSet's webhook found an existing claim of the JobSet
  Refused,   // the API server or a webhook refused an object
  Other,
};

struct Failure {
  Cause cause = Cause::None;
  std::string call;  // the command line, without names
  int status = 0;    // kubectl's
  std::string said;  // its standard error
};

// Determined from kubectl's standard error.
Cause cause_of(std::string_view said);

// The cause in one sentence, then the call and, indented, kubectl's own words. No final line break.
std::string describe(const Failure& failure);

}  // namespace trainjobc::kubectl
