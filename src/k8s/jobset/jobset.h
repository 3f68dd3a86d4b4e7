// SPDX-License-Identifier: Apache-2.0

// A JobSet: its view for rules, what the controller creates of it, and the webhooks.
// Source of the rules: sigs.k8s.io/jobset, pkg/controllers/jobset_controller.go, volume_claim_policy.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s::jobset {

// A JobSet as the rules of JobSet's validating webhook read it, and how they report.

// One element of spec.replicatedJobs. Nodes are nullptr for fields that the JobSet lacks.
struct ReplicatedJob {
  std::string field;  // spec.replicatedJobs[0]
  const yaml::Node* node = nullptr;
  const yaml::Node* name_node = nullptr;
  std::string_view name;
  int64_t replicas = 1;
  const yaml::Node* job_spec = nullptr;
  const yaml::Node* pod_spec = nullptr;
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  bool indexed = false;
  int64_t jobs_before = 0;           // the number of Jobs in the replicatedJobs before it
  int64_t jobs_of_group_before = 0;  // the same within its group
};

// How many pods a Job of the replicatedJob runs at a time.
int64_t pods_per_job(const ReplicatedJob& job);

struct JobSetView {
  std::string_view name;
  const yaml::Node* name_node = nullptr;
  const yaml::Node* spec = nullptr;
  std::vector<ReplicatedJob> jobs;
  int64_t all_jobs = 0;
  std::map<std::string_view, int64_t> jobs_of_group;  // by groupName
  std::map<std::string_view, size_t> places;          // indexes in `jobs`, by name

  const ReplicatedJob* job(std::string_view job_name) const;
};

// `admitted` must fit its schema's types.
JobSetView view_job_set(const yaml::Node& admitted);

using yaml::items_at;
using yaml::text_at;
// nullopt if there is no such key.
std::optional<int64_t> int_at(const yaml::Node& map, std::string_view key);

// The names of the volumes that containers and init containers of the pod mount. The controller adds a
// claim's volume only then; devices don't count.
std::set<std::string_view> mounted_volumes(const yaml::Node& pod_spec);

// Appends a violation that points at `culprit`, which may be nullptr.
base::Diagnostic& add(Violations& out, std::string_view rule, std::string field, std::string message,
                      const yaml::Node* culprit, std::string hint = "");

// "shorten it by 7 characters", with `what` for "it".
std::string shorten_hint(std::string_view what, size_t excess);

// A name that, with the JobSet's, is part of a generated name.
struct NamePart {
  std::string_view what;  // "replicatedJob"
  std::string_view name;
  const yaml::Node* node = nullptr;
};

// Appends a violation: a generated name that contains the JobSet's (the TrainJob's) name `times` times, and
// `part`, is `excess` characters too long.
void add_too_long(Violations& out, std::string_view rule, std::string field, std::string message,
                  const JobSetView& job_set, size_t excess, const NamePart& part, size_t times = 1);

// Suggests a replicatedJob in place of one that the JobSet does not have; `name` may be nullptr.
void suggest_job(base::Diagnostic& diagnostic, const JobSetView& job_set, const yaml::Node* name);

// The names of what the JobSet controller creates.

// <jobSet>-<replicatedJob>-<index>
std::string job_name(std::string_view job_set, std::string_view replicated_job, int64_t index);

// The pod's host name and its domain: <job>-<pod>.<subdomain>
std::string pod_address(std::string_view job_name, int64_t pod, std::string_view subdomain);
// The JobSet's subdomain, which is its name by default.
std::string_view subdomain_of(const JobSetView& view);

// The address of the pod that the JobSet names as its coordinator.
std::string coordinator_address(const JobSetView& view, const yaml::Node& coordinator);

// Whether the host is a pod of this JobSet.
bool is_own_pod(const JobSetView& job_set, std::string_view host);
// Whether the host is a pod of another JobSet. A name with $(JOBSET_NAME) is not: it follows the job's name.
bool is_foreign_pod(const JobSetView& job_set, std::string_view host);

// <template>-<jobSet>
std::string claim_name(std::string_view claim_template, std::string_view job_set);

// A label of each Job and pod: the name of the JobSet.
inline constexpr std::string_view kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";

// The replicatedJob's template as the controller completes it for the first of its Jobs: with labels and
// annotations of the JobSet, the subdomain, the node selector of exclusive placement, and a volume for each
// claim template that a container mounts. `admitted` is the JobSet; `view` is its view.
const yaml::Node* first_job(const yaml::Node& admitted, const JobSetView& view,
                            const ReplicatedJob& replicated_job, const yaml::Maker& make);

// JobSet's webhooks when a JobSet is created.
// Source of the rules: sigs.k8s.io/jobset, pkg/webhooks/jobset_webhook.go.

// What differs between JobSet releases and feature gates. The defaults are those of Trainer 2.2 and 2.3;
// other differences between releases are in the schemas.
struct Behaviour {
  // Refuses a coordinator whose address is not a label value. Not in Trainer 2.0 and 2.1.
  bool coordinator_label = true;
  bool in_place_restart = false;  // feature gate InPlaceRestart
  bool restart_job = false;       // feature gate RestartJob
};

// What the defaulting webhook makes of a JobSet that already has its schema's defaults.
const yaml::Node* with_webhook_defaults(const yaml::Node* job_set, const yaml::Maker& make);

// Reports what the validating webhook refuses. `admitted` must fit its schema's types.
void check_webhook_rules(const yaml::Node& admitted, const Behaviour& behaviour, Violations& out);

}  // namespace trainjobc::k8s::jobset
