// SPDX-License-Identifier: Apache-2.0

// Small helpers to make nodes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::policy {

struct Pair {
  std::string_view key;
  const yaml::Node* value;  // nullptr: left out
};

// A map of the pairs that have a value. Keys are not copied.
const yaml::Node* map_of(const yaml::Maker& make, std::initializer_list<Pair> pairs,
                         yaml::Origin origin = {});

// The element of a container's env: {name, value}. The value is copied.
const yaml::Node* env_value(const yaml::Maker& make, std::string_view name, std::string_view value,
                            yaml::Origin origin);

// The env element that holds the pod's index within its Job.
const yaml::Node* env_completion_index(const yaml::Maker& make, std::string_view name, yaml::Origin origin);

// Copies formatted text into the arena.
std::string_view keep(const yaml::Maker& make, const std::string& text);

// metadata of an object that belongs to the TrainJob: name, namespace, and an owner reference if that was
// asked for.
const yaml::Node* owned_metadata(const yaml::Maker& make, const model::TrainJob& job, std::string_view name,
                                 const yaml::Node* labels = nullptr, const yaml::Node* annotations = nullptr);

}  // namespace trainjobc::policy
