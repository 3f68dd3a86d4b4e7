#include "policy/runtime_rules.h"

#include <fmt/format.h>

#include <array>

#include "model/names.h"

namespace trainjobc::policy {
namespace {

using yaml::Node;

struct Ancestor {
  std::string_view label;
  std::string_view container;
};

constexpr std::array kAncestors = std::to_array<Ancestor>({{model::kTrainer, model::kNode},
                                                          {model::kDatasetInitializer, model::kDatasetInitializer},
                                                          {model::kModelInitializer, model::kModelInitializer}});

bool has_container(const Node& replicated_job, std::string_view name) {
  const Node* containers = replicated_job.at({"template", "spec", "template", "spec", "containers"});
  if (!containers) return false;
  for (const Node* container : containers->items()) {
    const Node* own = container->get("name");
    if (own && own->text() == name) return true;
  }
  return false;
}

void check_replicated_job(const Node& job, const Ancestor& ancestor, const std::string& path, Findings& findings) {
  const Node* replicas = job.get("replicas");
  if (replicas && replicas->as_int() != 1) {
    findings.error("input/ancestor-replicas", path + ".replicas",
                   fmt::format("a replicatedJob with the ancestor label \"{}\" has exactly one replica, not {}",
                               ancestor.label, replicas->text()),
                   replicas, "write 1; spec.mlPolicy.numNodes sets the number of nodes");
  }
  if (has_container(job, ancestor.container)) return;
  const Node* containers = job.at({"template", "spec", "template", "spec", "containers"});
  findings.error("input/ancestor-container", path + ".template.spec.template.spec.containers",
                 fmt::format("a replicatedJob with the ancestor label \"{}\" needs a container \"{}\"", ancestor.label,
                             ancestor.container),
                 containers ? containers : &job, fmt::format("name its container \"{}\"", ancestor.container));
}

}  // namespace

bool is_deprecated(const model::Runtime& runtime) {
  const Node* support = runtime.root->at({"metadata", "labels", model::kSupportLabel});
  return support && support->text() == "deprecated";
}

void validate_runtime(const model::Runtime& runtime, Findings& findings) {
  if (runtime.id.kind == model::kClusterTrainingRuntime && is_deprecated(runtime)) {
    findings.warning("advice/deprecated-runtime", "metadata.labels",
                     fmt::format("runtime \"{}\" is deprecated and will be removed", runtime.id.name),
                     runtime.root->at({"metadata", "labels", model::kSupportLabel}), "move its jobs to another runtime");
  }
  const Node* jobs = runtime.job_set_spec ? runtime.job_set_spec->get("replicatedJobs") : nullptr;
  if (!jobs) return;
  size_t index = 0;
  for (const Node* job : jobs->items()) {
    const std::string path = fmt::format("spec.template.spec.replicatedJobs[{}]", index++);
    for (const Ancestor& ancestor : kAncestors) {
      if (model::ancestor_of(*job) == ancestor.label) check_replicated_job(*job, ancestor, path, findings);
    }
  }
}

}  // namespace trainjobc::policy
