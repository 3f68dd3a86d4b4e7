// SPDX-License-Identifier: Apache-2.0

// Which runtime a TrainJob refers to.
#pragma once

#include <string_view>

#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::model {

// The namespace that the object is applied to; "" for a kind without namespaces.
std::string_view effective_namespace(const ObjectId& id);

// The runtime of a TrainJob in namespace `ns`, whether or not its runtimeRef is defaulted. The name is "" if
// there is no runtimeRef.
ObjectId runtime_of(const yaml::Node& train_job, std::string_view ns);
ObjectId runtime_of(const RuntimeRef& ref, std::string_view ns);

}  // namespace trainjobc::model
