// What submit asks a cluster before it sends anything.
#pragma once

#include <set>
#include <span>
#include <string>

#include "compile/compile.h"
#include "tools/diff/live/fetch.h"
#include "tools/diff/live/live.h"
#include "tools/kubectl/kubectl.h"

namespace trainjobc::submit {

struct Cluster {
  diff::LiveSet live;             // of all rendered objects but Secrets, and TrainJobs of the JobSets' names
  std::set<std::string> secrets;  // "Secret/namespace/name" of those that exist: what they hold isn't asked
};

// A failure if submit can't go on. That somebody may not look at Secrets or TrainJobs is none: Secrets are
// then left to `kubectl create`, which makes none over another.
diff::Answer look_up(const kubectl::Kubectl& kubectl, std::span<const Object> objects, Cluster& cluster);

}  // namespace trainjobc::submit
