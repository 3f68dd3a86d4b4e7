// Elastic torchrun: a range of nodes in place of a number. Runtimes of dialects have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/plugin.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::torch {

// PET_NNODES: "2", or "2:8" where the runtime is elastic.
std::string node_range(const RuntimeInfo& info, int64_t nodes);

// An argument of torchrun: rdzv_backend is --rdzv_backend and PET_RDZV_BACKEND.
struct ElasticSetting {
  std::string_view name;
  std::string value;
  const yaml::Node* source = nullptr;
};

// torchrun's rendezvous, and how often it may restart its workers. None if the runtime is not elastic.
std::vector<ElasticSetting> elastic_settings(const RuntimeInfo& info, const Container& container);

// Nothing if the runtime is not elastic.
void inject_rendezvous(PluginContext& context, Container& container);

// The job is complete when its first node is, which is the one that the others meet at: a node that never
// started, or was lost, would keep the job waiting forever. Nothing if the runtime is not elastic.
void complete_with_first_node(PluginContext& context, PodSet& trainer);

}  // namespace trainjobc::policy::torch
