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

// An env element of spec.trainer or spec.initializer as the controller rewrites it: `value: ""` is written, a
// fieldRef loses its apiVersion, a resourceFieldRef gets a divisor, other sources become empty.
const yaml::Node* rewritten_env(const yaml::Maker& make, const yaml::Node& env);

// The controller's upserts: replace the first element that matches, or append.
void upsert_env(NodeList& list, const yaml::Node* env);        // by name
void upsert_port(NodeList& list, const yaml::Node* port);      // by number or by name; no name equals no name
void upsert_volume(NodeList& list, const yaml::Node* volume);  // by name
void upsert_volume_mount(NodeList& list, const yaml::Node* mount);  // by mountPath

// Adds every env of the list, rewritten. `env` may be nullptr.
void upsert_job_env(const yaml::Maker& make, NodeList& list, const yaml::Node* env);

// {containerPort: 29500}, reached through the headless service.
void expose_trainer_port(const yaml::Maker& make, Container& container, std::string_view rule);

// Copies formatted text into the arena.
std::string_view keep(const yaml::Maker& make, const std::string& text);

// metadata of an object that belongs to the TrainJob: name, namespace, and an owner reference if the TrainJob
// has a uid.
const yaml::Node* owned_metadata(const yaml::Maker& make, const model::TrainJob& job, std::string_view name,
                                 const yaml::Node* labels = nullptr, const yaml::Node* annotations = nullptr);

}  // namespace trainjobc::policy
