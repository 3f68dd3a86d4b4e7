// SPDX-License-Identifier: Apache-2.0

// What a container of a rendered JobSet sees when its pod starts: its environment and its command.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/jobset/jobset.h"
#include "yaml/node.h"

namespace trainjobc::launch {

struct Variable {
  std::string name;
  std::string value;   // "" if it is unknown before the pod runs
  std::string source;  // where an unknown value comes from: "Secret hf-token, key token"
};

// Which pod of which Job contains the container.
struct PodPlace {
  std::string_view ns;
  std::string_view job_set;
  const k8s::jobset::ReplicatedJob* job = nullptr;
  int64_t job_index = 0;
  int64_t pod = 0;
};

// What is known besides the pod: Secrets, ConfigMaps, the machine.
struct KnownValues {
  std::vector<Variable> before;  // variables of envFrom
  // The value of a variable's valueFrom; nullopt if it is not known.
  std::function<std::optional<std::string>(const std::string& variable, const yaml::Node& value_from)> value;
};

// The container's variables with the values that Kubernetes knows when the pod starts, $(NAME) expanded, and
// the index that the Job controller adds.
std::vector<Variable> environment_of(const yaml::Node& container, const PodPlace& place,
                                     const KnownValues& known = {});

// A text of the container with $(NAME) expanded; unchanged if the result would be too long.
std::string expanded_text(std::string_view text, const std::vector<Variable>& env);

// The words of `fields`, which are command or args, with $(NAME) expanded.
std::vector<std::string> words_of(const yaml::Node& container, std::initializer_list<std::string_view> fields,
                                  const std::vector<Variable>& env);

// nullptr if there is no such variable.
const Variable* find_variable(const std::vector<Variable>& env, std::string_view name);
// The value of a variable; "" if there is none or its value is unknown.
std::string_view value_of(const std::vector<Variable>& env, std::string_view name);

}  // namespace trainjobc::launch
