// Admission of the rendered JobSet: what JobSet's webhooks make and say of it.
// Source of the rules: sigs.k8s.io/jobset, pkg/webhooks/jobset_webhook.go.
#pragma once

#include "schema/schema.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// What JobSet releases, and their feature gates, do differently. The defaults are those of Trainer 2.2
// and 2.3; what else differs between releases stands in the schemas.
struct JobSetBehaviour {
  bool coordinator_label =
      true;  // refuses a coordinator whose address is no label value; not in Trainer 2.0, 2.1
  bool in_place_restart = false;  // feature gate InPlaceRestart
  bool restart_job = false;       // feature gate RestartJob
};

// The JobSet as JobSet admission stores it: the CRD's defaults, then the defaulting webhook. `schema` is the
// JobSet kind's.
const yaml::Node* admit_job_set(const yaml::Node& job_set, const schema::Schema& schema,
                                const yaml::Maker& make);

// What the API server (structure, CEL) and the validating webhook refuse in an admitted JobSet. Fields are
// paths in the JobSet ("" where the webhook names none); locations are the inputs that caused them; rules
// begin with "jobset/". Stage and object are the caller's.
schema::Violations validate_job_set(const yaml::Node& admitted, const schema::Schema& schema,
                                    const JobSetBehaviour& behaviour = {});

}  // namespace trainjobc::compile
