// SPDX-License-Identifier: Apache-2.0

// Whether a job could ever be admitted by Kueue: with nothing else in the queues, and all that its cohort can
// lend idle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::plan {

struct Quota;

// The flavor that a pod set gets for a resource.
struct AssignedFlavor {
  std::string pod_set;
  std::string resource;
  std::string requested;  // of all its pods: "32"
  std::string flavor;
  bool borrows = false;  // more than the ClusterQueue's own quota, together with the pod sets before
};

// Why a flavor does not do, or why nothing does.
struct Obstacle {
  std::string pod_set;    // "" if it holds for the whole job
  std::string resource;   // "" if it is not about one
  std::string flavor;     // the same
  std::string requested;  // with the pod sets before, of that flavor; "" if it is not about an amount
  std::string most;       // what the ClusterQueue can use of it; the same
  std::string reason;     // a clause: "requests 64, and cluster-queue can use at most 32"
};

enum class Verdict {
  Admitted,  // it can be
  Never,
  NotQueued,  // no queue is named: Kueue leaves the job alone
};

std::string_view to_string(Verdict verdict);

struct Admission {
  Verdict verdict = Verdict::NotQueued;
  std::string local_queue;
  std::string cluster_queue;
  std::string cohort;
  std::vector<AssignedFlavor> flavors;  // of Admitted
  std::vector<Obstacle> obstacles;      // of Never: what is missing
  std::vector<std::string> conditions;  // what can't be known from the given objects
};

}  // namespace trainjobc::plan
