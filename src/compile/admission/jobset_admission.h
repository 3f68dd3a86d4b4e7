// SPDX-License-Identifier: Apache-2.0

// Admission of the rendered JobSet: what JobSet's webhooks change and refuse.
// Source of the rules: sigs.k8s.io/jobset, pkg/webhooks/jobset_webhook.go.
#pragma once

#include "k8s/jobset/webhook.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The JobSet as JobSet admission stores it: the CRD's defaults, then the defaulting webhook. `schema` is that
// of JobSets.
const yaml::Node* admit_job_set(const yaml::Node& job_set, const schema::Schema& schema,
                                const yaml::Maker& make);

// What the API server (structure, CEL) and the validating webhook refuse in an admitted JobSet. Fields are
// paths in the JobSet ("" if the webhook names none); locations are the inputs that caused them; rules
// begin with "jobset/". The caller sets stage and object.
k8s::Violations validate_job_set(const yaml::Node& admitted, const schema::Schema& schema,
                                 const k8s::jobset::Behaviour& behaviour = {});

}  // namespace trainjobc::compile
