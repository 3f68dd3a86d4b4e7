// SPDX-License-Identifier: Apache-2.0

// Which flavor each pod set of a job gets for each resource, with what other jobs leave of the quotas.
// Source of the rules: Kueue 0.15 to 0.19, pkg/scheduler/flavorassigner.
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
  std::map<std::string, Units, std::less<>> requests;  // of all its pods
  // Flavors of the ClusterQueue whose nodes can't run the pods, and why: "the pods don't tolerate its taint
  // …".
  std::map<std::string, std::string, std::less<>> unsuited;
};

// Of a JobSet with its defaults: a pod set for each replicatedJob.
std::vector<QueuedPodSet> queued_pod_sets(const Quota& quota, const ClusterQueue& queue,
                                          const yaml::Node& job_set);

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
  std::string unused;     // what other jobs leave of it; "" if they are not what is in the way
};

// Each once.
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

// What an amount of a flavor needs, from the worst to the best.
enum class Fit {
  Never,      // more than there is
  Waits,      // until jobs end: none may be displaced
  Displaces,  // jobs of the same queue, maybe others too
  Reclaims,   // displaces jobs of other queues
  Now,
};

struct Need {
  Fit fit = Fit::Never;
  int height = 0;  // of the cohorts that it borrows from; 0: it doesn't
};

// Whether admitted jobs may be displaced for an amount.
class Displacing {
 public:
  virtual ~Displacing() = default;
  // Of an amount that is not available now.
  virtual Need need(const FlavorResource& of, Units amount) = 0;
};

struct Placed {
  size_t pod_set = 0;
  std::string_view resource;
  std::string_view flavor;
  Units amount = 0;
  Need need;
};

// Where the search for flavors goes on, by pod set and resource group; none is the first flavor.
using Positions = std::map<std::pair<size_t, const ResourceGroup*>, size_t>;

// The names in it are those of the pod sets and the queue.
struct Assignment {
  Fit fit = Fit::Never;  // the worst of all
  int height = 0;        // the highest
  std::vector<Placed> placed;
  std::map<FlavorResource, Units> amounts;  // of all pod sets
  Positions next;                           // empty: all flavors were tried
};

struct Search {
  const Usage& usage;
  const ClusterQueue& queue;  // active
  const std::vector<QueuedPodSet>& sets;
  Displacing* displacing = nullptr;  // nullptr: no job may be displaced
  Obstacles* obstacles = nullptr;    // gets why flavors don't do; nullptr: not needed
};

// One pass over the pod sets. Kueue tries again from `next` on if it admits nothing.
Assignment assign_flavors(const Search& search, const Positions& begin);
// The passes until the job fits now or all flavors were tried: the last one. Several pod sets and groups have
// as many passes as their numbers of flavors have a common multiple: after some thousands it is cut short.
Assignment assign_flavors(const Search& search);

// For reports.
std::vector<AssignedFlavor> assigned_flavors(const Assignment& assignment,
                                             const std::vector<QueuedPodSet>& sets);

// Whether labels fit a label selector (matchLabels, matchExpressions). `labels` may be nullptr.
bool matches_selector(const yaml::Node& selector, const yaml::Node* labels);
// The keys that the selector asks for.
std::set<std::string, std::less<>> keys_of_selector(const yaml::Node& selector);

// Whether a node with these labels is one that the pod's nodeSelector and required node affinity accept, as
// far as they are about `keys`. `labels` may be nullptr.
bool accepts_node(const yaml::Node& pod_spec, const yaml::Node* labels,
                  const std::set<std::string, std::less<>>& keys);

// The first taint of NoSchedule or NoExecute that none of the tolerations covers, as "key=value:effect"; ""
// if there is none. Each may be nullptr.
std::string untolerated_taint(const yaml::Node* taints, const yaml::Node* tolerations_of_pod,
                              const yaml::Node* tolerations_of_flavor);

}  // namespace trainjobc::plan
