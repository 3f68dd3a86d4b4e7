// SPDX-License-Identifier: Apache-2.0

// What the torch policy, torchtune and torchrun's flags share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/plugin.h"

namespace trainjobc::policy::torch {

// The processes of a node: a number, or a word that torchrun resolves on the machine ("auto").
struct ProcPerNode {
  std::optional<int64_t> number;
  std::string word = "auto";
  const yaml::Node* source = nullptr;

  std::string text() const;
};

// Reads numProcPerNode; `given` may be nullptr.
ProcPerNode read_processes(const yaml::Node* given);

// Whether the job's command is exactly [tune, run].
bool is_torchtune(const RuntimeInfo& info);
// The webhook's rules: supported models, one node, LoRA and QLoRA, arguments that the runtime fixes.
void validate_torchtune(PluginContext& context);
// Appends rendezvous, recipe, config and the runtime's own settings to the command.
void expand_torchtune(PluginContext& context, int64_t num_nodes, const ProcPerNode& processes);

// The words that torchrun itself reads of a command and its arguments: all before the script, which gets the
// rest. None if the command doesn't begin with torchrun. The lists may be nullptr.
std::vector<const yaml::Node*> torchrun_words(const yaml::Node* command, const yaml::Node* args);

}  // namespace trainjobc::policy::torch
