// What diff asks a cluster.
#pragma once

#include <set>
#include <span>
#include <string>

#include "compile/compile.h"
#include "tools/diff/live/live.h"
#include "tools/kubectl/kubectl.h"

namespace trainjobc::diff {

// How a question ended. `warnings` are kubectl's own, and what was not looked at.
struct Answer {
  kubectl::Failure failure;
  std::string warnings;

  bool ok() const { return failure.cause == kubectl::Cause::None; }
};

// Runs a call whose answer is objects; their namespace is the call's. An answer that kubectl can't give, such
// as none at all, or null, is a failure.
Answer ask(const kubectl::Kubectl& kubectl, const kubectl::Call& call, LiveSet& live);

// Fetches the live objects to compare `rendered` with, by name: one call per kind and namespace.
// With `all_job_sets` JobSets are fetched whatever their name, and the helper objects that they mount. An
// object's namespace is the one that was asked for, "" if that is the context's.
Answer fetch(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all_job_sets,
             LiveSet& live);

// Fetches the live TrainJobs of the rendered JobSets: all, or those whose inputs have fields that a cluster
// may refuse to change, or name a queue. A cluster may have no Trainer; not being allowed to look is a
// warning.
Answer fetch_train_jobs(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all,
                        LiveSet& live);

// Asks the API server what it would make of the rendered objects, those in `skip` ("Kind/namespace/name")
// left out: one server-side dry run a namespace.
Answer dry_run(const kubectl::Kubectl& kubectl, std::span<const Object> rendered,
               const std::set<std::string>& skip, const std::string& field_manager, LiveSet& results);

}  // namespace trainjobc::diff
