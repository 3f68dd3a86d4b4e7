// SPDX-License-Identifier: Apache-2.0

// Elastic torchrun: a range of nodes instead of a number, in runtimes of dialects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/plugin.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::torch {

// PET_NNODES: "2", or "2:8" if the runtime is elastic.
std::string node_range(const RuntimeInfo& info, int64_t nodes);

inline constexpr std::string_view kRendezvousBackend = "PET_RDZV_BACKEND";
inline constexpr std::string_view kRendezvousHost = "PET_RDZV_ENDPOINT";
inline constexpr std::string_view kRendezvousId = "PET_RDZV_ID";
inline constexpr std::string_view kRendezvousConfig = "PET_RDZV_CONF";
inline constexpr std::string_view kMaxRestarts = "PET_MAX_RESTARTS";

// An argument of torchrun.
struct ElasticSetting {
  std::string_view variable;  // PET_RDZV_BACKEND
  std::string value;
  const yaml::Node* source = nullptr;

  std::string flag() const;  // --rdzv_backend
};

// The settings of torchrun's rendezvous, and how often it may restart its workers. None if the runtime is not
// elastic.
std::vector<ElasticSetting> elastic_settings(const RuntimeInfo& info, const Container& container);

// Adds the variables of the rendezvous. Does nothing if the runtime is not elastic.
void inject_rendezvous(PluginContext& context, Container& container);

// Makes the job complete when its first node is, to which the others connect: otherwise a node that never
// started, or was lost, would keep the job waiting forever. Does nothing if the runtime is not elastic.
void complete_with_first_node(PluginContext& context, PodSet& trainer);

}  // namespace trainjobc::policy::torch
