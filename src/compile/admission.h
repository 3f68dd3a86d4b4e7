// SPDX-License-Identifier: Apache-2.0

// Pass 2, admit: what the API server does to an input before Trainer sees it.
#pragma once

#include "base/diagnostic.h"
#include "compile/input.h"
#include "k8s/jobset/jobset.h"
#include "k8s/violations.h"
#include "schema/schema.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

struct AdmittedObject {
  const yaml::Node* root = nullptr;     // defaulted, as the controller's Go types hold it; set if `accepted`
  const yaml::Node* encoded = nullptr;  // as those types would encode it again
  const yaml::Node* defaulted = nullptr;  // as it was checked; set even if not `accepted`
  bool accepted = false;
};

// Checks unknown fields, schema, list types, object metadata and CEL rules; applies the changes of a mutating
// webhook and the defaults. Validating webhooks come later: they need the runtime. What `is_accepted` was
// checked before, and is not checked again.
AdmittedObject admit_input(const InputObject& object, const schema::VersionSchemas& schemas,
                           const yaml::Maker& make, base::Diagnostics& diagnostics, bool is_accepted = false);

// Appends violations as an object's diagnostics.
void report(k8s::Violations violations, const std::string& object, base::Diagnostics& diagnostics);

// Admission of the rendered JobSet: what JobSet's webhooks change and refuse.
// Source of the rules: sigs.k8s.io/jobset, pkg/webhooks/jobset_webhook.go.

// The JobSet as admission stores it: with the CRD's defaults, then those of the defaulting webhook. `schema`
// is that of JobSets.
const yaml::Node* admit_job_set(const yaml::Node& job_set, const schema::Schema& schema,
                                const yaml::Maker& make);

// Returns what the API server (structure, CEL) and the validating webhook refuse in an admitted JobSet.
// Fields are paths in the JobSet ("" if the webhook names none); locations are the inputs that caused them;
// rules begin with "jobset/". The caller sets stage and object.
k8s::Violations validate_job_set(const yaml::Node& admitted, const schema::Schema& schema,
                                 const k8s::jobset::Behaviour& behaviour = {});

}  // namespace trainjobc::compile
