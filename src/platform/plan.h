// SPDX-License-Identifier: Apache-2.0

// What a job takes, as the rules of a team see it.
#pragma once

#include <vector>

#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// {nodes, pods, processes, devices, cpu, memory, queue, framework, runtime}. What is not known is missing.
// `subjects` are those of the job, which has a JobSet.
const yaml::Node* plan_of(const CompiledJob& job, const std::vector<Subject>& subjects,
                          const yaml::Maker& make);

}  // namespace trainjobc::platform
