// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/fetch_quota.h"

#include <fmt/format.h>

#include <array>

namespace trainjobc::plan {
namespace {

struct Resource {
  std::string_view name;
  std::string_view kinds;  // in messages
  bool is_needed = false;
};

constexpr std::array kResources{Resource{"clusterqueues.kueue.x-k8s.io", "ClusterQueues", true},
                                Resource{"localqueues.kueue.x-k8s.io", "LocalQueues", true},
                                Resource{"resourceflavors.kueue.x-k8s.io", "ResourceFlavors", true},
                                Resource{"cohorts.kueue.x-k8s.io", "Cohorts"},
                                Resource{"topologies.kueue.x-k8s.io", "Topologies"},
                                Resource{"namespaces", "Namespaces"}};

}  // namespace

FetchedQuota fetch_quota(const kubectl::Kubectl& kubectl) {
  FetchedQuota fetched;
  for (const Resource& resource : kResources) {
    kubectl::Call call;
    call.words = {"get", std::string(resource.name), "--all-namespaces", "-o", "json"};
    kubectl::Reply reply = kubectl.run(call);
    if (reply.ok()) {
      fetched.warnings += reply.notes;
      fetched.sources.push_back({fmt::format("kubectl get {}", resource.name), std::move(reply.out)});
    } else if (resource.is_needed) {
      fetched.failure = std::move(reply.failure);
      return fetched;
    } else if (reply.failure.cause == kubectl::Cause::Forbidden) {
      // An old Kueue has no Cohorts: nothing is missed then.
      fetched.warnings +=
          fmt::format("warning: {} could not be looked up: {}\n", resource.kinds, describe(reply.failure));
    } else if (reply.failure.cause != kubectl::Cause::NoKind) {
      fetched.failure = std::move(reply.failure);
      return fetched;
    }
  }
  return fetched;
}

}  // namespace trainjobc::plan
