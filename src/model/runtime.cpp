// SPDX-License-Identifier: Apache-2.0

#include "model/runtime.h"

#include "k8s/object_meta.h"
#include "model/trainer_names.h"

namespace trainjobc::model {
namespace {

using yaml::Node;

TorchPolicy decode_torch(const Node& node) {
  TorchPolicy torch;
  torch.num_proc_per_node = node.get("numProcPerNode");
  const Node* targets = node.at({"envInjection", "targets"});
  if (!targets) return torch;
  for (const Node* item : targets->items()) {
    EnvInjectionTarget target;
    target.node = item;
    if (const auto name = decode_text(item->get("jobName"))) target.job_name = name->value;
    if (const Node* names = item->get("containerNames")) {
      for (const Node* name : names->items()) target.container_names.push_back({name->text(), name});
    }
    torch.env_injection.push_back(std::move(target));
  }
  return torch;
}

MpiPolicy decode_mpi(const Node& node) {
  MpiPolicy mpi;
  mpi.num_proc_per_node = decode_int(node.get("numProcPerNode"));
  mpi.implementation = decode_text(node.get("mpiImplementation"));
  mpi.ssh_auth_mount_path = decode_text(node.get("sshAuthMountPath"));
  mpi.run_launcher_as_node = is_true_at(node, "runLauncherAsNode");
  return mpi;
}

std::optional<MLPolicy> decode_ml_policy(const Node* node) {
  if (!node || !node->is_map()) return std::nullopt;
  MLPolicy policy;
  policy.node = node;
  policy.num_nodes = decode_int(node->get("numNodes"));
  if (const Node* torch = node->get("torch")) policy.torch = decode_torch(*torch);
  if (const Node* mpi = node->get("mpi")) policy.mpi = decode_mpi(*mpi);
  if (const Node* flux = node->get("flux")) policy.flux = FluxPolicy{decode_int(flux->get("numProcPerNode"))};
  return policy;
}

std::optional<PodGroupPolicy> decode_pod_group_policy(const Node* node) {
  if (!node || !node->is_map()) return std::nullopt;
  PodGroupPolicy policy;
  if (const Node* coscheduling = node->get("coscheduling")) {
    policy.coscheduling = true;
    policy.schedule_timeout_seconds = decode_int(coscheduling->get("scheduleTimeoutSeconds"));
  }
  if (const Node* volcano = node->get("volcano")) {
    policy.volcano = true;
    policy.network_topology = volcano->get("networkTopology");
  }
  return policy;
}

}  // namespace

Runtime decode_runtime(const Node& root, const Node& encoded) {
  Runtime runtime;
  runtime.root = &root;
  runtime.id = identify(root);
  const Node* spec = root.get("spec");
  if (!spec || !spec->is_map()) return runtime;
  runtime.ml_policy = decode_ml_policy(spec->get("mlPolicy"));
  runtime.pod_group_policy = decode_pod_group_policy(spec->get("podGroupPolicy"));
  runtime.labels = spec->at({"template", "metadata", "labels"});
  runtime.annotations = spec->at({"template", "metadata", "annotations"});
  runtime.job_set_spec = encoded.at({"spec", "template", "spec"});
  return runtime;
}

std::string_view ancestor_of(const Node& replicated_job) {
  return text_at(replicated_job, {"template", "metadata", "labels", kAncestorLabel});
}

std::string_view effective_namespace(const ObjectId& id) {
  return id.namespaced ? k8s::effective_namespace(id.ns) : "";
}

ObjectId runtime_of(const yaml::Node& train_job, std::string_view ns) {
  const yaml::Node* node = train_job.at({"spec", "runtimeRef"});
  RuntimeRef ref = decode_runtime_ref(node);
  if (!node || !node->get("kind")) ref.kind = kClusterTrainingRuntime;
  return runtime_of(ref, ns);
}

ObjectId runtime_of(const RuntimeRef& ref, std::string_view ns) {
  const bool is_namespaced = ref.kind != kClusterTrainingRuntime;
  return {ref.kind, is_namespaced ? ns : "", ref.name.value, is_namespaced};
}

}  // namespace trainjobc::model
