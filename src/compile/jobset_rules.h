// The rules of JobSet's validating webhook for a creation, in groups. Each appends what it finds.
#pragma once

#include "compile/jobset_admission.h"
#include "compile/jobset_view.h"

namespace trainjobc::compile::jobset {

// Subdomain, managedBy, group names, and the names of the Jobs and pods to come.
void check_names(const JobSetView& job_set, schema::Violations& out);

void check_pod_counts(const JobSetView& job_set, schema::Violations& out);

void check_depends_on(const JobSetView& job_set, schema::Violations& out);

void check_success_policy(const JobSetView& job_set, schema::Violations& out);

void check_failure_policy(const JobSetView& job_set, const JobSetBehaviour& behaviour,
                          schema::Violations& out);

void check_coordinator(const JobSetView& job_set, const JobSetBehaviour& behaviour, schema::Violations& out);

// A claim that exists in the cluster, and differs, is not seen.
void check_volume_claims(const JobSetView& job_set, schema::Violations& out);

// Fields that the mutating webhook writes as null where they are absent, and that the schema wants otherwise.
void check_written_nulls(const yaml::Node& job_set, const schema::Schema& schema, schema::Violations& out);

}  // namespace trainjobc::compile::jobset
