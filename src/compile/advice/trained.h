// SPDX-License-Identifier: Apache-2.0

// A container that trains: what it starts, what the job wants of it, and how torchrun would start it.
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

// Numbers and an address that jobs write for scripts of their own.
inline constexpr std::array<std::string_view, 3> kNumberVariables{"WORLD_SIZE", "NNODES", "MASTER_ADDR"};

// A container that trains, as the JobSet runs it.
struct Trained {
  const AdviceContext& context;
  const policy::Framework* framework = nullptr;  // nullptr if the runtime has none
  const yaml::Node* container = nullptr;
  JobCommand command;
  int64_t nodes = 1;
  launch::Launch launch;                
  std::array<launch::Start, 2> starts;  // of the first two nodes, if it is one of them

  const std::vector<std::string_view>& words() const { return command.words(); }
  bool has_launchers() const { return framework && framework->has_launchers; }
  const launch::Start& start() const { return starts.front(); }
};

// nullopt if the job has no container that trains, or starts it with mpirun.
std::optional<Trained> trained_of(const AdviceContext& context);

std::string joined(std::span<const std::string> words, std::string_view separator = " ");

// Whether the job says itself which process is which.
bool sets_ranks(const Trained& trained);

// Several processes on a node only if the job asks for them, by a number or by GPUs.
std::optional<int64_t> wanted_per_node(const Trained& trained);

// The program as a script has it, up to its own script.
std::string written_program(const launch::Launch& launch);

// The module that torchrun can start in the place of the launcher.
std::vector<std::string> words_instead(const launch::Launch& launch);

// The command with the framework's own launcher, in a hint.
std::string words_for(const policy::Framework& framework, const launch::Launch& launch);

// Puts torchrun in the place of Python, or of a launcher whose scripts it can start.
std::vector<base::Edit> start_with_reader(const Trained& trained, const launch::Launch& launch);

// Puts torchrun and a module in the place of a launcher.
std::vector<base::Edit> start_instead(const Trained& trained, const launch::Launch& launch);

// Puts torchrun before the Python that runs code of the command line.
std::vector<base::Edit> start_code_with_reader(const Trained& trained, const launch::Launch& launch);

bool is_this_host(std::string_view host);

std::string foreign_pod(const AdviceContext& context, std::string_view host);

}  // namespace trainjobc::compile::advice
