// SPDX-License-Identifier: Apache-2.0

#include "model/runtime_id.h"

#include "k8s/object_meta.h"
#include "model/trainer_names.h"

namespace trainjobc::model {

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
