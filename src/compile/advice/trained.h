// SPDX-License-Identifier: Apache-2.0

// A container that trains: what it starts, what the job asks of it, and how to start it with torchrun.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/advice/checks.h"
#include "compile/advice/job_command.h"
#include "launch/launch.h"
#include "launch/start.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

// Variables with numbers and an address that jobs set for their own scripts.
inline constexpr std::array<std::string_view, 3> kNumberVariables{"WORLD_SIZE", "NNODES", "MASTER_ADDR"};

// A container that trains, as the JobSet runs it.
struct TrainingContainer {
  const AdviceContext& context;
  const policy::Framework* framework = nullptr;  // nullptr if the runtime has none
  const yaml::Node* container = nullptr;
  JobCommand command;
  int64_t nodes = 1;
  launch::Launch launch;
  std::array<launch::Start, 2> starts;  // for the first two nodes, if the container starts a launcher

  const std::vector<std::string_view>& words() const { return command.words(); }
  bool has_launchers() const { return framework && framework->has_launchers; }
  const launch::Start& start() const { return starts.front(); }
};

// nullopt if the job has no container that trains, or starts it with mpirun.
std::optional<TrainingContainer> trained_of(const AdviceContext& context);

std::string joined(std::span<const std::string> words, std::string_view separator = " ");

// Whether the job itself tells each process its rank.
bool sets_ranks(const TrainingContainer& trained);

// Whether and how many processes the job asks for on a node, by a number or by GPUs.
std::optional<int64_t> wanted_per_node(const TrainingContainer& trained);

// The program as it is written in the script, up to the user's own script.
std::string written_program(const launch::Launch& launch);

// The words that start the launcher's module with torchrun instead.
std::vector<std::string> words_instead(const launch::Launch& launch);

// The command with the framework's own launcher, for a hint.
std::string words_for(const policy::Framework& framework, const launch::Launch& launch);

// Replaces Python, or a launcher whose scripts torchrun can start, by torchrun.
std::vector<base::Edit> start_with_reader(const TrainingContainer& trained, const launch::Launch& launch);

// Replaces a launcher by torchrun and a module.
std::vector<base::Edit> start_instead(const TrainingContainer& trained, const launch::Launch& launch);

// Puts torchrun before Python that runs code from the command line.
std::vector<base::Edit> start_code_with_reader(const TrainingContainer& trained,
                                               const launch::Launch& launch);

bool is_this_host(std::string_view host);

std::string foreign_pod(const AdviceContext& context, std::string_view host);

}  // namespace trainjobc::compile::advice
