// SPDX-License-Identifier: Apache-2.0

// Applies spec.trainer.resourcesPerNode to the containers that train.
#pragma once

#include "policy/runtime_info.h"

namespace trainjobc::compile {

// Sets the resources of the containers `node`, and the pod specs that a PodGroup counts, as the Trainer
// version does.
void apply_node_resources(policy::RuntimeInfo& info, const yaml::Maker& make);

// Whether a job's resourcesPerNode applies to the set's first container `node`.
bool takes_node_resources(const policy::RuntimeInfo& info, const policy::PodSet& set);

}  // namespace trainjobc::compile
