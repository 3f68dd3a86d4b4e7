// SPDX-License-Identifier: Apache-2.0

// A container of a pod template on its way through the policies: its environment, ports and mounts are read,
// changed and written here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::policy {

using NodeList = std::vector<const yaml::Node*>;

struct Container {
  const yaml::Node* node = nullptr;  // in the merged template; nullptr for a container that a plugin adds
  std::string_view name;
  const yaml::Node* image = nullptr;
  const yaml::Node* command = nullptr;  // a list, or nullptr
  NodeList env;
  NodeList ports;
  NodeList volume_mounts;
};

// Reads the containers of a pod spec; `key` is "containers" or "initContainers".
std::vector<Container> read_containers(const yaml::Node& pod_spec, std::string_view key);

// The controller's upserts: they replace the first element that matches, or append.
void upsert_env(NodeList& list, const yaml::Node* env);  // by name
void upsert_port(NodeList& list,
                 const yaml::Node* port);  // by number or by name; an absent name matches none
void upsert_volume(NodeList& list, const yaml::Node* volume);       // by name
void upsert_volume_mount(NodeList& list, const yaml::Node* mount);  // by mountPath

// Adds every env element of spec.trainer or spec.initializer as the controller rewrites it: `value: ""` is
// written, a fieldRef loses its apiVersion, a resourceFieldRef gets a divisor, other sources become empty.
// `env` may be nullptr.
void upsert_job_env(const yaml::Maker& make, NodeList& list, const yaml::Node* env);

// Adds {containerPort: 29500}, which is reached through the headless service.
void expose_trainer_port(const yaml::Maker& make, Container& container, std::string_view rule);

// The container with its lists as the controller writes them into the template: element by element. It shares
// the template's storage while it does, so an element that a policy replaced in place is replaced in the
// template too.
Container written_back(const Container& container);
NodeList written_back(const yaml::Node* volumes_of_template, const NodeList& volumes);

// The template's container with all changes. Takes what written_back returned.
const yaml::Node* to_node(const yaml::Maker& make, const Container& container);

// `map` with `key` set to the list, unless it has these items already; an empty list removes the key.
const yaml::Node* with_list(const yaml::Maker& make, const yaml::Node* map, std::string_view key,
                            const NodeList& list);

// Small helpers to make nodes.

// An element of a container's env: {name, value}. The value is copied.
const yaml::Node* env_value(const yaml::Maker& make, std::string_view name, std::string_view value,
                            yaml::Origin origin);

// An env element whose value is the pod's index within its Job.
const yaml::Node* env_completion_index(const yaml::Maker& make, std::string_view name, yaml::Origin origin);

// The metadata of an object that belongs to the TrainJob: name, namespace, and an owner reference if the job
// is an owner.
const yaml::Node* owned_metadata(const yaml::Maker& make, const model::TrainJob& job, std::string_view name,
                                 const yaml::Node* labels = nullptr, const yaml::Node* annotations = nullptr);

// An object that belongs to the TrainJob: its metadata, then these fields, each of which must have a value.
const yaml::Node* owned_object(const yaml::Maker& make, const model::TrainJob& job,
                               std::string_view api_version, std::string_view kind, std::string_view name,
                               std::initializer_list<yaml::Entry> fields, yaml::Origin origin);

}  // namespace trainjobc::policy
