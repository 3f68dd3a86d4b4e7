// SPDX-License-Identifier: Apache-2.0

// What a launcher comes to in a pod: what it is told, and what becomes of the job's nodes.
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

// What a launcher finds in its pod.
struct Surroundings {
  const std::vector<Variable>& env;
  bool has_more_env = false;    // of envFrom, which can't be seen
  std::optional<int64_t> gpus;  // of the node; nullopt if that is not known
};

// The GPUs of a container; nullopt if it asks for nothing, and may still see some.
std::optional<int64_t> visible_gpus(const yaml::Node& container);

// What a launcher takes for a setting, and from where.
struct SettingValue {
  enum class From { Nothing, Flag, Variable, Value, Gpus };
  From from = From::Nothing;
  std::string_view name;             // of the flag or variable
  std::optional<std::string> text;   // nullopt if it is not known before the pod runs
  std::optional<Launch::Flag> flag;  // for From::Flag

  bool is_told() const { return from == From::Flag || from == From::Variable; }
  std::optional<int64_t> number() const;
  // "--nnodes", "PET_NNODES", "the default", "the node's GPUs"
  std::string source() const;
};

struct Start {
  const Program* program = nullptr;
  std::optional<Result> result;   // nullopt if it depends on what can't be seen
  const Case* decided = nullptr;  // the case of that result
  std::array<SettingValue, kSettingCount> settings;
  std::optional<int64_t> processes;  // of a node; nullopt if that is not known

  const SettingValue& operator[](Setting setting) const { return settings[static_cast<size_t>(setting)]; }
};

// `launch` has a launcher. The environment is that of one pod, whose rank $(PET_NODE_RANK) and others are.
Start start_of(const Launch& launch, const Surroundings& surroundings);

}  // namespace trainjobc::launch
