// SPDX-License-Identifier: Apache-2.0

// Nodes of which the controller can't tell the number of GPUs: several of their resources are such, with
// different amounts, and it takes one of them from a Go map, whose order is random.
#pragma once

#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::policy {

// The list in which the controller counts a node's GPUs, if it takes one of several amounts at random; nullptr
// if the number is certain.
const yaml::Node* ambiguous_gpus(const NodeResources& resources);

// The same list, if the number of processes of a job follows from it.
const yaml::Node* random_processes(const RuntimeInfo& info);

}  // namespace trainjobc::policy
