// SPDX-License-Identifier: Apache-2.0

// What diff fetches from a cluster.
#pragma once

#include <set>
#include <span>
#include <string>

#include "compile/compile.h"
#include "features/diff/live/live.h"
#include "features/kubectl/kubectl.h"

namespace trainjobc::diff {

// The result of a call. `warnings` are those of kubectl, and what was not compared.
struct Answer {
  kubectl::Failure failure;
  std::string warnings;

  bool ok() const { return failure.cause == kubectl::Cause::None; }
};

// Runs a call that returns objects; their namespace is that of the call. An impossible output of kubectl,
// such as none at all, or null, is a failure.
Answer ask(const kubectl::Kubectl& kubectl, const kubectl::Call& call, LiveSet& live);

// Fetches the live objects to compare `rendered` with, by name: one call per kind and namespace.
// With `all_job_sets`, all JobSets are fetched, and the helper objects that they mount. An object's namespace
// is the one that was requested, "" if that is the context's.
Answer fetch(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all_job_sets,
             LiveSet& live);

// Fetches the live TrainJobs of the rendered JobSets: all, or those whose inputs name a queue or have fields
// that a cluster may refuse to change. The cluster may have no Trainer; a missing permission is a warning.
Answer fetch_train_jobs(const kubectl::Kubectl& kubectl, std::span<const Object> rendered, bool all,
                        LiveSet& live);

// Asks the API server how it would store the rendered objects without those in `skip`
// ("Kind/namespace/name"): one server-side dry run per namespace.
Answer dry_run(const kubectl::Kubectl& kubectl, std::span<const Object> rendered,
               const std::set<std::string>& skip, const std::string& field_manager, LiveSet& results);

}  // namespace trainjobc::diff
