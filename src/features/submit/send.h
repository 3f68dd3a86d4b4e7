// SPDX-License-Identifier: Apache-2.0

// Sends a plan to the cluster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "features/kubectl/kubectl.h"
#include "features/submit/steps.h"

namespace trainjobc::submit {

enum class DryRun { None, Client, Server };

struct SendOptions {
  DryRun dry_run = DryRun::None;
  bool force_conflicts = false;
};

enum class Result {
  Created,
  Changed,
  Unchanged,
  Kept,
  Replaced,
  Failed,   // sent and refused
  NotSent,  // because of another failure
};

struct Outcome {
  const Item* item = nullptr;
  Result result = Result::NotSent;
  bool deleted = false;  // of a Replace: the old object was deleted
};

// The results of the items, in order, and the errors.
struct Sending {
  std::vector<Outcome> outcomes;
  std::vector<kubectl::Failure> failures;
  std::string notes;  // kubectl's warnings

  // Whether every item is in place.
  bool complete() const;
};

// One namespace after the other: deletes each object to replace if the API server would accept the new one,
// and waits until it is gone; creates the Secrets that don't exist; applies ConfigMaps and PodGroups, then
// the JobSets whose helper objects are all in place. After a failure, the other objects of the call and the
// other namespaces are still sent, unless kubectl can't reach the cluster. `done` is called for each item as
// soon as it is in place.
Sending send(const Plan& plan, const kubectl::Kubectl& kubectl, const SendOptions& options,
             const std::function<void(const Outcome&)>& done);

}  // namespace trainjobc::submit
