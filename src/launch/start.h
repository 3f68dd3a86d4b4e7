// SPDX-License-Identifier: Apache-2.0

// What a launcher does in a pod: the settings that it sees, and what happens to the job's nodes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/environment.h"
#include "launch/launch.h"
#include "launch/programs.h"
#include "yaml/node.h"

namespace trainjobc::launch {

// What surrounds a launcher in its pod.
struct Surroundings {
  const std::vector<Variable>& env;
  bool has_more_env = false;    // envFrom sets more, which can't be seen
  std::optional<int64_t> gpus;  // of the node; nullopt if unknown
};

// The GPUs of a container; nullopt if it requests none, though it may still see some.
std::optional<int64_t> visible_gpus(const yaml::Node& container);

// The value that a launcher uses for a setting, and its source.
struct SettingValue {
  enum class From { Nothing, Flag, Variable, Value, Gpus };
  From from = From::Nothing;
  std::string_view name;             // name of the flag or variable
  std::optional<std::string> text;   // nullopt if unknown before the pod runs
  std::optional<Launch::Flag> flag;  // set for From::Flag

  bool is_told() const { return from == From::Flag || from == From::Variable; }
  std::optional<int64_t> number() const;
  // Describes the source: "--nnodes", "PET_NNODES", "the default", "the node's GPUs"
  std::string source() const;
};

struct Start {
  const Program* program = nullptr;
  std::optional<Result> result;   // nullopt if it depends on what can't be seen
  const Case* decided = nullptr;  // the case that gave the result
  std::array<SettingValue, kSettingCount> settings;
  std::optional<int64_t> processes;  // per node; nullopt if unknown

  const SettingValue& operator[](Setting setting) const { return settings[static_cast<size_t>(setting)]; }
};

// `launch` must have a launcher. The environment is that of one pod; $(PET_NODE_RANK) and the like stand for
// its rank.
Start start_of(const Launch& launch, const Surroundings& surroundings);

}  // namespace trainjobc::launch
