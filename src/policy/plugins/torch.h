// What the torch policy, torchtune and torchrun's flags share.
#pragma once

#include <optional>
#include <string>

#include "policy/plugin.h"

namespace trainjobc::policy::torch {

// The processes of a node: a number, or a word that torchrun resolves on the machine ("auto").
struct ProcPerNode {
  std::optional<int64_t> number;
  std::string word = "auto";
  const yaml::Node* source = nullptr;

  std::string text() const;
};

// The job's numProcPerNode, else the runtime's; if that is not a number, what follows from the resources, by
// the rule of the Trainer version.
ProcPerNode proc_per_node(const RuntimeInfo& info);

// The DNS name of the first node, whatever the replicatedJob is called: <job>-node-0-0.<job>.
std::string first_node_address(const RuntimeInfo& info);

// Whether the job's command is exactly [tune, run].
bool is_torchtune(const RuntimeInfo& info);
// The webhook's rules: supported models, one node, LoRA and QLoRA, arguments that the runtime owns.
void validate_torchtune(PluginContext& context);
// Appends rendezvous, recipe, config and the runtime's own settings to the command.
void expand_torchtune(PluginContext& context, int64_t num_nodes, const ProcPerNode& processes);

// --torchrun flags: writes the PET_* values as flags too, after a leading `torchrun`. Flags that are there
// win.
void write_torchrun_flags(PluginContext& context, const Container& container, const PodCount& nodes,
                          const ProcPerNode& processes);

}  // namespace trainjobc::policy::torch
