// Elastic torchrun: a range of nodes in place of a number. Runtimes of dialects have it.
#pragma once

#include <string>

#include "policy/plugin.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::torch {

// PET_NNODES: "2", or "2:8" where the runtime is elastic.
std::string node_range(const RuntimeInfo& info, int64_t nodes);

// torchrun's rendezvous, and how often it may restart its workers. Nothing if the runtime is not elastic.
void inject_rendezvous(PluginContext& context, Container& container);

}  // namespace trainjobc::policy::torch
