// SPDX-License-Identifier: Apache-2.0

// TrainingRuntime and ClusterTrainingRuntime, decoded.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/dialects.h"
#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::model {

// spec.mlPolicy.torch.envInjection.targets[]: more containers that get torchrun's variables.
struct EnvInjectionTarget {
  const yaml::Node* node = nullptr;
  std::string_view job_name;
  std::vector<LocatedText> container_names;
};

struct TorchPolicy {
  const yaml::Node* num_proc_per_node = nullptr;  // until Trainer 2.1
  std::vector<EnvInjectionTarget> env_injection;
  std::optional<ElasticPolicy> elastic;  // only in dialects
};

struct MpiPolicy {
  std::optional<LocatedInt> num_proc_per_node;
  std::optional<LocatedText> implementation;
  std::optional<LocatedText> ssh_auth_mount_path;
  bool run_launcher_as_node = false;
};

struct FluxPolicy {
  std::optional<LocatedInt> num_proc_per_node;
};

// spec.mlPolicy. At most one framework is set.
struct MLPolicy {
  const yaml::Node* node = nullptr;
  std::optional<LocatedInt> num_nodes;
  std::optional<TorchPolicy> torch;
  std::optional<MpiPolicy> mpi;
  std::optional<FluxPolicy> flux;

  // Whether the framework's field is set: "jax".
  bool has(std::string_view framework) const { return node->get(framework) != nullptr; }
};

// spec.podGroupPolicy.
struct PodGroupPolicy {
  bool coscheduling = false;
  std::optional<LocatedInt> schedule_timeout_seconds;  // only for coscheduling
  bool volcano = false;
  const yaml::Node* network_topology = nullptr;  // only for volcano
  std::optional<LocatedInt> min_member;          // only for volcano in a dialect
};

struct Runtime {
  const yaml::Node* root = nullptr;  // defaulted, as Go decodes it
  ObjectId id;
  std::optional<MLPolicy> ml_policy;
  std::optional<PodGroupPolicy> pod_group_policy;
  const yaml::Node* labels = nullptr;        // those of spec.template.metadata
  const yaml::Node* annotations = nullptr;   // those of spec.template.metadata
  const yaml::Node* job_set_spec = nullptr;  // spec.template.spec, as Go encodes it again
  bool from_catalogue = false;
};

Runtime decode_runtime(const yaml::Node& root, const yaml::Node& encoded);

// The label that ties a replicatedJob to a part of the TrainJob; "" if it has none.
std::string_view ancestor_of(const yaml::Node& replicated_job);

// The runtime to which a TrainJob refers.

// The namespace to which the object is applied; "" for a kind without namespaces.
std::string_view effective_namespace(const ObjectId& id);

// The runtime of a TrainJob in namespace `ns`, even if its runtimeRef has no defaults yet. The name is "" if
// there is no runtimeRef.
ObjectId runtime_of(const yaml::Node& train_job, std::string_view ns);
ObjectId runtime_of(const RuntimeRef& ref, std::string_view ns);

}  // namespace trainjobc::model
