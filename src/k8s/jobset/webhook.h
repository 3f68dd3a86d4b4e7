// SPDX-License-Identifier: Apache-2.0

// JobSet's webhooks when a JobSet is created.
// Source of the rules: sigs.k8s.io/jobset, pkg/webhooks/jobset_webhook.go.
#pragma once

#include "k8s/jobset/view.h"
#include "yaml/node.h"

namespace trainjobc::k8s::jobset {

// Differences between JobSet releases and between feature gates. The defaults are those of Trainer 2.2
// and 2.3; other differences between releases are in the schemas.
struct Behaviour {
  // Refuses a coordinator whose address is not a label value; not in Trainer 2.0 and 2.1.
  bool coordinator_label = true;
  bool in_place_restart = false;  // feature gate InPlaceRestart
  bool restart_job = false;       // feature gate RestartJob
};

// What the defaulting webhook makes of a JobSet that has its schema's defaults.
const yaml::Node* with_webhook_defaults(const yaml::Node* job_set, const yaml::Maker& make);

// What the validating webhook refuses. `admitted` fits its schema's types.
void check_webhook_rules(const yaml::Node& admitted, const Behaviour& behaviour, Violations& out);

// The webhook's rules in groups. Each appends what it finds.

// Subdomain, managedBy, group names, and the names that the Jobs and pods will have.
void check_names(const JobSetView& job_set, Violations& out);

void check_pod_counts(const JobSetView& job_set, Violations& out);

void check_depends_on(const JobSetView& job_set, Violations& out);

void check_success_policy(const JobSetView& job_set, Violations& out);

void check_failure_policy(const JobSetView& job_set, const Behaviour& behaviour, Violations& out);

void check_coordinator(const JobSetView& job_set, const Behaviour& behaviour, Violations& out);

// Doesn't see a claim that exists in the cluster and differs.
void check_volume_claims(const JobSetView& job_set, Violations& out);

}  // namespace trainjobc::k8s::jobset
