// SPDX-License-Identifier: Apache-2.0

// Jobs of the operators' API versions before kubeflow.org/v1.
#pragma once

#include "features/migrate/v1/job.h"
#include "model/v1_kinds.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The job as kubeflow.org/v1 writes it. What v1 can't say is a finding.
const yaml::Node* in_form_of_v1(const yaml::Node& root, const model::V1Kind& kind, const yaml::Maker& make,
                                V1Findings& findings);

}  // namespace trainjobc::migrate::v1
