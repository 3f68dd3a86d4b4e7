// SPDX-License-Identifier: Apache-2.0

// The fields of a v1 job: those that its API has, and no others.
#pragma once

#include "model/v1_kinds.h"
#include "schema/schema.h"
#include "features/migrate/v1/findings.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The job without unknown fields, which an API server drops, and without nulls and its status. Each unknown
// field is a finding. `pod_template` is the schema of a PodTemplateSpec.
const yaml::Node* with_known_fields(const yaml::Node& root, const model::V1Kind& kind,
                                    const schema::Schema& pod_template, const yaml::Maker& make,
                                    V1Findings& findings);

}  // namespace trainjobc::migrate::v1
