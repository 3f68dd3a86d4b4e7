// SPDX-License-Identifier: Apache-2.0

// RuntimeInfo: a TrainJob with its merged runtime, as the plugins see it (runtime.Info in the controller).
// They extend the lists of its pod sets, which are then written back into the JobSet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/pod/pod.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "model/train_job.h"
#include "policy/container.h"
#include "yaml/changes.h"
#include "yaml/node.h"

namespace trainjobc::policy {

// A number of pods, and the node that sets it: mlPolicy if it omits the number; nullptr if nothing does.
struct PodCount {
  int64_t value = 1;
  const yaml::Node* source = nullptr;
};

// One replicatedJob's pods.
struct PodSet {
  const yaml::Node* replicated_job = nullptr;  // in the merged template, with the job's resources
  std::string_view name;
  std::string_view ancestor;  // "" if the Job template has no ancestor label
  PodCount count;
  NodeList volumes;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  const yaml::Node* gang_pod_spec =
      nullptr;  // the pod spec whose requests a PodGroup counts; nullptr: pod_spec()

  const yaml::Node* pod_spec() const;
};

// Strings by name, for labels and annotations; later values replace earlier ones.
using StringMap = std::vector<yaml::Entry>;
using yaml::put;
const yaml::Node* find(const StringMap& map, std::string_view key);

struct RuntimeInfo {
  const model::Behaviours* behaviours = nullptr;
  const model::TrainJob* job = nullptr;
  const model::Runtime* runtime = nullptr;
  std::optional<model::MLPolicy> policy;  // a plugin may change its numbers
  const yaml::Node* job_set_spec = nullptr;
  StringMap labels;       // the JobSet's
  StringMap annotations;  // the JobSet's
  StringMap pod_labels;
  StringMap pod_annotations;
  std::vector<PodSet> pod_sets;
  // spec.trainer.command and args as the build uses them: those of the job, unless a plugin rewrites them.
  const yaml::Node* trainer_command = nullptr;
  const yaml::Node* trainer_args = nullptr;

  std::string_view job_name() const { return job->id.name; }
  bool is_mpi() const { return policy && policy->mpi; }

  PodSet* pod_set_by_ancestor(std::string_view ancestor);
  PodSet* pod_set_by_name(std::string_view name);
  const PodSet* pod_set_by_name(std::string_view name) const;
  // Searches only the first pod set with that ancestor, as the controller does.
  Container* container_by_ancestor(std::string_view ancestor, std::string_view container);
  // Searches containers first, then init containers.
  Container* container_by_pod_set(std::string_view pod_set, std::string_view container);
  // The training container; nullptr without spec.trainer: then plugins add nothing.
  Container* trainer_container();
};

// Reads the pod sets out of `job_set_spec`, which has been merged and typed.
RuntimeInfo make_runtime_info(const model::TrainJob& job, const model::Runtime& runtime,
                              const yaml::Node* job_set_spec, const model::Behaviours& behaviours);

// The DNS name of the first node, independent of the name of the replicatedJob: <job>-node-0-0.<job>.
std::string first_node_address(const RuntimeInfo& info);

// Whether MPI's launcher is one of the nodes and the set contains the others, which then train like the
// launcher.
bool is_launched_node(const RuntimeInfo& info, const PodSet& set);

// A node's limits and requests: the job's resourcesPerNode, otherwise those of the first container `node`
// with resources in the runtime's node or trainer job.
struct NodeResources {
  const yaml::Node* limits = nullptr;
  const yaml::Node* requests = nullptr;
  const yaml::Node* source = nullptr;
};
NodeResources resources_per_node(const RuntimeInfo& info);

// Whether a resource is a GPU: its name contains "gpu".
bool is_gpu(std::string_view resource);

// Whether a list of limits or requests names a GPU.
bool names_gpu(const yaml::Node& list);

// The number of GPUs per node: the first resource whose name contains "gpu", in the requests, then in the
// limits. 0 if there is none.
int64_t gpus_per_node(const NodeResources& resources);

// The number of pods that a TrainJob requests.

// Sets the count to spec.trainer.numNodes if the job sets that. `set` may be nullptr.
inline void take_num_nodes(const RuntimeInfo& info, PodSet* set) {
  if (!set || !info.job->trainer || !info.job->trainer->num_nodes) return;
  const model::LocatedInt& nodes = *info.job->trainer->num_nodes;
  set->count = {nodes.value, nodes.node};
}

// The resource requests of a pod, and their sums over a gang.
// Source of the rules: k8s.io/component-helpers/resource, PodRequests.

using k8s::pod::Amounts;

// The requests of one pod: containers and sidecars together, or the init containers if those need more;
// replaced by pod-level requests for cpu, memory and huge pages; plus the overhead. Limits don't count.
Amounts pod_requests(const yaml::Node& pod_spec);

struct Gang {
  int64_t members = 0;
  Amounts resources;
};

// The gang of all pods; as in the controller, replicas of a replicatedJob don't count.
Gang gang_of(const RuntimeInfo& info);

// The amounts as a node: {cpu: "8", memory: 4Gi}; {} if there are none.
const yaml::Node* to_node(const yaml::Maker& make, const Amounts& amounts, yaml::Origin origin);

}  // namespace trainjobc::policy
