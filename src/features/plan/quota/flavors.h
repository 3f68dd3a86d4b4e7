// SPDX-License-Identifier: Apache-2.0

// Assigns a flavor to each resource of a job's pod sets, given what other jobs leave of the quotas. Source of
// the rules: Kueue 0.15 to 0.19, pkg/scheduler/flavorassigner.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/quota.h"
#include "yaml/node.h"

namespace trainjobc::plan {

struct QueuedPodSet {
  std::string name;
  int64_t pods = 0;
  std::map<std::string, Units, std::less<>> requests;  // sum over all its pods
  // Flavors of the ClusterQueue whose nodes can't run the pods, with the reason: "the pods don't tolerate its
  // taint …".
  std::map<std::string, std::string, std::less<>> unsuited;
};

// The pod sets of a JobSet with its defaults, one for each replicatedJob.
std::vector<QueuedPodSet> queued_pod_sets(const Quota& quota, const ClusterQueue& queue,
                                          const yaml::Node& job_set);

// The flavor that a pod set gets for a resource.
struct AssignedFlavor {
  std::string pod_set;
  std::string resource;
  std::string requested;  // sum over all its pods: "32"
  std::string flavor;
  bool borrows = false;  // together with the pod sets before it, exceeds the ClusterQueue's own quota
};

// Why a flavor can't be used, or why none can.
struct Obstacle {
  std::string pod_set;    // "" if it concerns the whole job
  std::string resource;   // "" if it concerns none in particular
  std::string flavor;     // likewise
  std::string requested;  // of that flavor, including the pod sets before; "" if it isn't about an amount
  std::string most;       // the most that the ClusterQueue can use; "" likewise
  std::string reason;     // a clause: "requests 64, and cluster-queue can use at most 32"
  std::string unused;     // what other jobs leave of it; "" if they are not the obstacle
};

// Obstacles without duplicates.
class Obstacles {
 public:
  void add(Obstacle obstacle) {
    if (seen_.emplace(obstacle.pod_set, obstacle.flavor, obstacle.reason).second)
      all_.push_back(std::move(obstacle));
  }
  std::vector<Obstacle> take() { return std::move(all_); }

 private:
  std::vector<Obstacle> all_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

// What an amount of a flavor requires, from the worst to the best.
enum class Fit {
  Never,      // it exceeds what there is
  Waits,      // other jobs must end: none may be displaced
  Displaces,  // displaces jobs of the same queue, possibly of others too
  Reclaims,   // displaces jobs of other queues
  Now,
};

struct Need {
  Fit fit = Fit::Never;
  int height = 0;  // of the highest cohort that it borrows from; 0 if it doesn't borrow
};

// Decides whether admitted jobs may be displaced for an amount.
class Displacing {
 public:
  virtual ~Displacing() = default;
  // What an amount requires that is not available now.
  virtual Need need(const FlavorResource& of, Units amount) = 0;
};

struct Placed {
  size_t pod_set = 0;
  std::string_view resource;
  std::string_view flavor;
  Units amount = 0;
  Need need;
};

// Where the search for flavors goes on, by pod set and resource group; a missing one means the first flavor.
using Positions = std::map<std::pair<size_t, const ResourceGroup*>, size_t>;

// Its names refer to those of the pod sets and the queue.
struct Assignment {
  Fit fit = Fit::Never;  // the worst of `placed`
  int height = 0;        // the maximum
  std::vector<Placed> placed;
  std::map<FlavorResource, Units> amounts;  // sum over all pod sets
  Positions next;                           // empty if all flavors were tried
};

struct Search {
  const Usage& usage;
  const ClusterQueue& queue;  // must not be stopped
  const std::vector<QueuedPodSet>& sets;
  Displacing* displacing = nullptr;  // nullptr: no job may be displaced
  Obstacles* obstacles = nullptr;    // receives why flavors can't be used; may be nullptr
};

// Makes one pass over the pod sets. If Kueue admits nothing, it tries again from `next`.
Assignment assign_flavors(const Search& search, const Positions& begin);
// Makes passes until the job fits now or all flavors were tried; returns the last one. With several pod sets
// and groups, the number of passes is the least common multiple of their numbers of flavors, so it is limited
// to some thousands.
Assignment assign_flavors(const Search& search);

// The assigned flavors, for reports.
std::vector<AssignedFlavor> assigned_flavors(const Assignment& assignment,
                                             const std::vector<QueuedPodSet>& sets);

// The keys that a label selector tests.
std::set<std::string, std::less<>> keys_of_selector(const yaml::Node& selector);

// Whether the pod's nodeSelector and required node affinity accept a node with these labels, as far as they
// test `keys`. `labels` may be nullptr.
bool accepts_node(const yaml::Node& pod_spec, const yaml::Node* labels,
                  const std::set<std::string, std::less<>>& keys);

// The first NoSchedule or NoExecute taint that no toleration covers, as "key=value:effect"; "" if there is
// none. Each argument may be nullptr.
std::string untolerated_taint(const yaml::Node* taints, const yaml::Node* tolerations_of_pod,
                              const yaml::Node* tolerations_of_flavor);

}  // namespace trainjobc::plan
