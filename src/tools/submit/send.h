// Sends a plan to the cluster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/kubectl/kubectl.h"
#include "tools/submit/plan.h"

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
  Failed,   // sent, and refused
  NotSent,  // because of another failure
};

struct Outcome {
  const Item* item = nullptr;
  Result result = Result::NotSent;
  bool deleted = false;  // of a Replace: the old one is gone
};

// What became of the items, in their order, and what went wrong.
struct Sending {
  std::vector<Outcome> outcomes;
  std::vector<kubectl::Failure> failures;
  std::string notes;  // kubectl's warnings

  // Whether every item is in place.
  bool complete() const;
};

// A namespace at a time: deletes the objects to replace, if the API server would take the new one, and waits
// until it is gone; creates Secrets, none
// over one that is there; applies ConfigMaps and PodGroups, then the JobSets all of whose helpers are in
// place. A failure ends neither the other objects of its call nor the other namespaces, unless kubectl gets
// nowhere. `done` is called for each item as soon as it is in place.
Sending send(const Plan& plan, const kubectl::Kubectl& kubectl, const SendOptions& options,
             const std::function<void(const Outcome&)>& done);

}  // namespace trainjobc::submit
