// SPDX-License-Identifier: Apache-2.0

// Several jobs at once, in small; tests/kueue/together.json has what Kueue itself did with such jobs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>

#include "features/plan/quota/admit.h"

namespace trainjobc::plan_together_test {
namespace {

std::string kueue_object(const std::string& kind, const std::string& name, const std::string& spec) {
  return "apiVersion: kueue.x-k8s.io/v1beta2\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: {" +
         spec + "}\n---\n";
}

std::string flavor_of_group(const std::string& name, const std::string& quota) {
  return "{name: " + name + ", resources: [{name: cpu, nominalQuota: " + quota + "}]}";
}

std::string queue_of(const std::string& name, const std::string& flavors, const std::string& more = "") {
  return kueue_object("ClusterQueue", name,
                      "resourceGroups: [{coveredResources: [cpu], flavors: [" + flavors + "]}]" + more);
}

std::string one_queue(const std::string& quota, const std::string& more = "") {
  return queue_of("main", flavor_of_group("f", quota), more);
}

constexpr const char* kInTeam = ", cohortName: team";

struct Wanted {
  std::string name;
  std::string queue = "main";
  int64_t cores = 0;
  int64_t priority = 0;
  std::string created;
};

plan::Workload workload_of(const plan::Quota& quota, const Wanted& wanted) {
  plan::QueuedPodSet set;
  set.name = "node";
  set.pods = 1;
  set.requests["cpu"] = wanted.cores * 1000;
  return {&quota.cluster_queues.find(wanted.queue)->second, {set}, wanted.priority, wanted.created};
}

// A line for each job: "1 a: admitted, f".
std::string together(const std::string& objects, const std::vector<Wanted>& jobs) {
  base::Diagnostics diagnostics;
  const plan::Quota quota =
      plan::read_quota({{"quota.yaml", kueue_object("ResourceFlavor", "f", "") +
                                           kueue_object("ResourceFlavor", "g", "") + objects}},
                       diagnostics);
  CHECK(diagnostics.empty());
  const plan::Capacity capacity(quota);
  std::vector<plan::Workload> workloads;
  for (const Wanted& job : jobs) workloads.push_back(workload_of(quota, job));
  std::vector<plan::Contender> contenders;
  for (size_t i = 0; i < jobs.size(); ++i) contenders.push_back({jobs[i].name, &workloads[i]});
  const std::vector<plan::Outcome> outcomes = plan::admit_together(capacity, contenders);
  std::string text;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const plan::Outcome& outcome = outcomes[i];
    text += fmt::format("{} {}: ", outcome.turn, jobs[i].name);
    if (outcome.pending == plan::Pending::No) text += "admitted";
    text += to_string(outcome.pending);
    if (!outcome.other.empty()) text += fmt::format(", {} of {}", outcome.other, outcome.others);
    for (const plan::AssignedFlavor& flavor : outcome.flavors)
      text += fmt::format(", {}{}", flavor.flavor, flavor.borrows ? " (borrowed)" : "");
    for (const plan::Obstacle& obstacle : outcome.obstacles)
      text += fmt::format("\n  {} {}: {}", obstacle.flavor, obstacle.unused, obstacle.reason);
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("jobs at the same time: what does not fit is passed over") {
  CHECK(together(one_queue("4"), {{"a", "main", 3}, {"b", "main", 2}, {"c", "main", 1}}) ==
        R"(1 a: admitted, f
2 b: quota, a of 2
  f 0: 2 are requested, and 0 of the 4 that ClusterQueue main can use are unused
3 c: admitted, f
)");
}

TEST_CASE("jobs at the same time: a strict queue waits for its head") {
  CHECK(together(one_queue("4", ", queueingStrategy: StrictFIFO"),
                 {{"a", "main", 3}, {"b", "main", 2}, {"c", "main", 1}}) == R"(1 a: admitted, f
2 b: quota, a of 1
  f 1: 2 are requested, and 1 of the 4 that ClusterQueue main can use is unused
3 c: behind, b of 1
)");
}

TEST_CASE(
    "jobs with a creationTimestamp come by that, the others together: by priority, then in their order") {
  CHECK(together(one_queue("4"), {{"last", "main", 1},
                                  {"newer", "main", 1, 0, "2026-01-02T00:00:00Z"},
                                  {"older", "main", 1, 0, "2026-01-01T00:00:00Z"},
                                  {"low", "main", 1, -1, "2025-01-01T00:00:00Z"},
                                  {"high", "main", 1, 10}}) == R"(5 last: quota, low of 4
  f 0: 1 is requested, and 0 of the 4 that ClusterQueue main can use are unused
3 newer: admitted, f
2 older: admitted, f
1 low: admitted, f
4 high: admitted, f
)");
}

TEST_CASE("jobs at the same time: flavors in their order") {
  CHECK(together(queue_of("main", flavor_of_group("f", "4") + ", " + flavor_of_group("g", "4")),
                 {{"a", "main", 3}, {"b", "main", 3}, {"c", "main", 3}, {"d", "main", 1}}) ==
        R"(1 a: admitted, f
2 b: admitted, g
3 c: quota, a of 2
  f 0: 3 are requested, and 0 of the 4 that ClusterQueue main can use are unused
  g 1: 3 are requested, and 1 of the 4 that ClusterQueue main can use is unused
4 d: admitted, f
)");
}

TEST_CASE("jobs at the same time: who borrows comes after who doesn't") {
  const std::string other = queue_of("other", flavor_of_group("f", "4"), kInTeam);
  CHECK(together(one_queue("4", kInTeam) + other,
                 {{"a", "main", 6}, {"b", "other", 4}, {"c", "main", 4}, {"d", "main", 1}}) ==
        R"(2 a: quota, b of 2
  f 0: 6 are requested, and 0 of the 8 that ClusterQueue main can use are unused
1 b: admitted, f
3 c: admitted, f
4 d: quota, b of 2
  f 0: 1 is requested, and 0 of the 8 that ClusterQueue main can use are unused
)");
}

TEST_CASE("jobs at the same time: what a strict queue waits for is kept for it") {
  const std::string other =
      queue_of("other", flavor_of_group("f", "4"), std::string(kInTeam) + ", queueingStrategy: StrictFIFO");
  CHECK(together(one_queue("4", kInTeam) + other,
                 {{"a", "main", 5}, {"b", "other", 1}, {"c", "other", 3}, {"d", "main", 1, -1}}) ==
        R"(2 a: admitted, f (borrowed)
1 b: admitted, f
3 c: quota, b of 2
  f 2: 3 are requested, and 2 of the 8 that ClusterQueue other can use are unused
4 d: reserved, c of 1
)");
}

TEST_CASE("jobs at the same time: a queue reclaims what others have borrowed") {
  const std::string other = queue_of("other", flavor_of_group("f", "4"),
                                     std::string(kInTeam) + ", preemption: {reclaimWithinCohort: Any}");
  CHECK(together(one_queue("4", kInTeam) + other, {{"a", "main", 4},
                                                   {"b", "main", 3},
                                                   {"c", "other", 9, 2},
                                                   {"d", "other", 9, 1},
                                                   {"e", "other", 2}}) ==
        R"(2 a: admitted, f
4 b: displaced, e of 1
  f 2: 3 are requested, and 2 of the 8 that ClusterQueue main can use are unused
1 c: quota
  f : 9 are requested, and ClusterQueue other can use at most 8
3 d: quota
  f : 9 are requested, and ClusterQueue other can use at most 8
5 e: admitted, f
)");
}

TEST_CASE("jobs at the same time: more than there ever is") {
  CHECK(together(one_queue("4"), {{"a", "main", 9}, {"b", "main", 1}}) == R"(1 a: quota
  f : 9 are requested, and ClusterQueue main can use at most 4
2 b: admitted, f
)");
  CHECK(together(one_queue("4"), {}) == R"()");
}

}  // namespace trainjobc::plan_together_test
