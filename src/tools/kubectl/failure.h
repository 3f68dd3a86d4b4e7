// Why kubectl failed, in words that help.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::kubectl {

enum class Cause {
  None,
  NoProgram,     // no kubectl in PATH
  NoAnswer,      // it was killed after its time, could not be run, or nobody knows how it ended
  Settings,      // its kubeconfig or context can't be used
  Unreachable,   // no API server at the other end
  Unauthorized,  // the API server doesn't know who asks
  Forbidden,     // who asks may not
  NoKind,        // the cluster has no JobSets, PodGroups…
  NoNamespace,
  Conflict,  // another manager owns a field
  Exists,    // create found the object there
  Webhook,   // a webhook that must be asked gave no answer
  Claim,     // JobSet's webhook found a claim that the JobSet would make
  Refused,   // the API server or a webhook refused an object
  Other,
};

struct Failure {
  Cause cause = Cause::None;
  std::string call;  // the command line, without names
  int status = 0;    // kubectl's
  std::string said;  // its standard error
};

// By what kubectl wrote to standard error.
Cause cause_of(std::string_view said);

// The cause in one sentence, then the call and, indented, kubectl's own words. No final line break.
std::string describe(const Failure& failure);

}  // namespace trainjobc::kubectl
