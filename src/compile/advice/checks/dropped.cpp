// SPDX-License-Identifier: Apache-2.0

// Fields of the pods that the API server drops without a word, since their feature gates are off.
#include <fmt/format.h>

#include <string>

#include "compile/advice/checks.h"
#include "k8s/kubernetes.h"

namespace trainjobc::compile::advice::dropped {
namespace {

using yaml::Node;

void check_pods(const AdviceContext& context, Advisor& advisor) {
  const k8s::KubernetesBehaviour& kubernetes = context.kubernetes;
  const auto jobs = yaml::items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Node* pod = jobs[i]->at({"template", "spec", "template", "spec"});
    if (!pod) continue;
    const std::string path = fmt::format("spec.replicatedJobs[{}].template.spec.template.spec", i);
    for (const k8s::Dropped& dropped : k8s::dropped_fields(*pod, path, kubernetes)) {
      const k8s::DroppedField& field = *dropped.field;
      advisor.warn(
          "advice/dropped-field", dropped.path,
          fmt::format("Kubernetes {} drops {}{}: its feature gate {} is off", kubernetes.version, field.field,
                      field.with_parent ? ", its volume and the mounts of it" : "", field.gate),
          yaml::locate_key(*dropped.entry),
          field.until.empty()
              ? "remove it, unless the cluster has the gate on"
              : fmt::format("Kubernetes {0} reads it: remove it, or name the cluster's version "
                            "with --kubernetes-version {0}",
                            field.until));
    }
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_pods}};
}

}  // namespace trainjobc::compile::advice::dropped
