// SPDX-License-Identifier: Apache-2.0

// spec.runPolicy, as far as it is about the job as a whole.
#include <fmt/format.h>

#include <algorithm>

#include "features/migrate/v1/draft.h"
#include "features/migrate/v1/pods.h"
#include "yaml/fields.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::string_view kVolcano = "volcano";

void apply_clean_pod_policy(Conversion& conversion) {
  const Node* policy = conversion.job.run_policy("cleanPodPolicy");
  std::string field = "spec.runPolicy.cleanPodPolicy";
  if (!policy && (policy = conversion.job.get("cleanPodPolicy"))) field = "spec.cleanPodPolicy";
  if (!policy || policy->text() == "Running") return;
  if (policy->text() == "All") {
    conversion.findings.change(field, "the pods that ended stay with the TrainJob, so that their logs do",
                               "set runPolicy.ttlSecondsAfterFinished to remove them some time later",
                               policy);
  } else if (policy->text() == "None" && conversion.draft.roles.size() > 1) {
    conversion.findings.change(field, "pods that still run when the job ends are removed",
                               "write Running if this is what you want", policy);
  }
}

// The scheduler that the pods name; "" if they name none, or several.
std::string_view scheduler_of(const Draft& draft) {
  std::string_view name;
  for (const DraftRole& role : draft.roles) {
    const std::string_view own = yaml::text_at(*role.pods.node, {"spec", "schedulerName"});
    if (own.empty() || (!name.empty() && own != name)) return "";
    name = own;
  }
  return name;
}

class Gang {
 public:
  Gang(Conversion& conversion, const Node& policy) : conversion_(conversion), policy_(policy) {}

  void run() {
    const std::string_view scheduler = scheduler_of(conversion_.draft);
    const Node* timeout = policy_.get("scheduleTimeoutSeconds");
    const bool by_plugins =
        scheduler.find("scheduler-plugins") != std::string_view::npos || scheduler == "coscheduling";
    if (by_plugins || (timeout && scheduler != kVolcano && !policy_.get("queue"))) {
      coscheduling(timeout, scheduler);
    } else {
      volcano(scheduler);
    }
    check_members();
  }

 private:
  static std::string field(std::string_view name) {
    return fmt::format("spec.runPolicy.schedulingPolicy.{}", name);
  }

  void set_scheduler(std::string_view name) {
    for (DraftRole& role : conversion_.draft.roles) {
      if (role.pods.node->at({"spec", "schedulerName"})) continue;
      role.pods.node = conversion_.make.with_path(role.pods.node, {"spec", "schedulerName"},
                                                  conversion_.make.string(name));
    }
  }

  void volcano(std::string_view scheduler) {
    const Maker& make = conversion_.make;
    conversion_.draft.gang = make.map(Entries{{kVolcano, make.map({}), {}}});
    if (!policy_.get("queue") && !policy_.get("priorityClass") && scheduler != kVolcano) {
      conversion_.findings.change(
          "spec.runPolicy.schedulingPolicy",
          "the job does not say which scheduler starts its pods together: Volcano is assumed",
          "write schedulerName: volcano, or scheduleTimeoutSeconds for coscheduling", &policy_);
    }
    set_scheduler(kVolcano);
    if (const Node* timeout = policy_.get("scheduleTimeoutSeconds"))
      conversion_.findings.change(field("scheduleTimeoutSeconds"), "Volcano does not use it", "remove it",
                                  timeout);
    if (const Node* queue = policy_.get("queue"); queue && !queue->text().empty())
      conversion_.draft.queue = queue;
    const Node* priority = policy_.get("priorityClass");
    if (!priority || priority->text().empty()) return;
    // Trainer takes the PodGroup's class from the pods.
    for (DraftRole& role : conversion_.draft.roles) {
      if (role.pods.node->at({"spec", "priorityClassName"})) continue;
      role.pods.node = make.with_path(role.pods.node, {"spec", "priorityClassName"}, priority);
    }
  }

  void coscheduling(const Node* timeout, std::string_view scheduler) {
    const Maker& make = conversion_.make;
    const Node* inner = make.with(nullptr, "scheduleTimeoutSeconds", timeout ? timeout : make.integer(60));
    conversion_.draft.gang = make.map(Entries{{"coscheduling", inner, {}}});
    if (scheduler.empty()) set_scheduler("scheduler-plugins-scheduler");
    for (const std::string_view name : {"queue", "priorityClass"}) {
      const Node* given = policy_.get(name);
      if (given) conversion_.findings.change(field(name), "coscheduling does not use it", "remove it", given);
    }
  }

  void check_members() {
    const Node* members = policy_.get("minAvailable");
    if (members && members->as_int() != conversion_.job.pods()) {
      conversion_.findings.change(
          field("minAvailable"),
          fmt::format("Trainer starts all {} pods of the job together", conversion_.job.pods()), "remove it",
          members);
    }
    if (const Node* resources = policy_.get("minResources"))
      conversion_.findings.change(field("minResources"), "Trainer adds up the requests of all pods",
                                  "remove it", resources);
  }

  Conversion& conversion_;
  const Node& policy_;
};

}  // namespace

void apply_run_policy(Conversion& conversion) {
  apply_clean_pod_policy(conversion);
  if (const Node* ttl = conversion.job.run_policy("ttlSecondsAfterFinished"))
    conversion.draft.job_set.push_back({"ttlSecondsAfterFinished", ttl, {}});
  const Node* scheduling = conversion.job.run_policy("schedulingPolicy");
  if (scheduling && scheduling->is_map() && scheduling->size() > 0) Gang(conversion, *scheduling).run();
}

}  // namespace trainjobc::migrate::v1
