// SPDX-License-Identifier: Apache-2.0

#include "policy/runtime_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::policy {
namespace {

using yaml::Node;

struct Ancestor {
  std::string_view label;
  std::string_view container;
};

constexpr std::array kAncestors =
    std::to_array<Ancestor>({{model::kTrainer, model::kNode},
                             {model::kDatasetInitializer, model::kDatasetInitializer},
                             {model::kModelInitializer, model::kModelInitializer}});

bool has_container(const Node& replicated_job, std::string_view name) {
  return std::ranges::any_of(items_at(replicated_job, {"template", "spec", "template", "spec", "containers"}),
                             [&](const Node* container) { return text_at(*container, "name") == name; });
}

void check_replicas(const Node& job, const std::string& who, const std::string& path, Findings& findings) {
  const Node* replicas = job.get("replicas");
  if (!replicas || replicas->as_int() == 1) return;
  findings.add("input/ancestor-replicas", path + ".replicas",
               fmt::format("{} must have exactly one replica, not {}", who, replicas->text()), replicas,
               "write 1; spec.mlPolicy.numNodes sets the number of nodes");
}

void check_container(const Node& job, const Ancestor& ancestor, const std::string& path, Findings& findings) {
  if (has_container(job, ancestor.container)) return;
  const Node* containers = job.at({"template", "spec", "template", "spec", "containers"});
  findings.add("input/ancestor-container", path + ".template.spec.template.spec.containers",
               fmt::format("a replicatedJob with the ancestor label \"{}\" needs a container \"{}\"",
                           ancestor.label, ancestor.container),
               containers ? containers : &job, fmt::format("name its container \"{}\"", ancestor.container));
}

void check_replicated_job(const Node& job, const std::string& path, const model::Behaviours& behaviours,
                          Findings& findings) {
  const std::string_view label = model::ancestor_of(job);
  const auto ancestor = std::ranges::find(kAncestors, label, &Ancestor::label);
  if (ancestor != kAncestors.end()) {
    check_replicas(job, fmt::format("a replicatedJob with the ancestor label \"{}\"", label), path, findings);
    if (behaviours.ancestor_needs_container) check_container(job, *ancestor, path, findings);
    return;
  }
  const Node* name = job.get("name");
  if (behaviours.mpi.launcher_has_one_replica && name && name->text() == model::kLauncher) {
    check_replicas(job, fmt::format("the replicatedJob \"{}\"", model::kLauncher), path, findings);
  }
}

const Node* label_of(const model::Runtime& runtime, std::string_view key) {
  return runtime.root->at({"metadata", "labels", key});
}

bool has_label(const model::Runtime& runtime, std::string_view key, std::string_view value) {
  const Node* label = label_of(runtime, key);
  return label && label->text() == value;
}

}  // namespace

bool is_deprecated(const model::Runtime& runtime, const model::Behaviours& behaviours) {
  if (!behaviours.warns_of_deprecated_runtimes || runtime.id.kind != model::kClusterTrainingRuntime)
    return false;
  return has_label(runtime, model::kSupportLabel, "deprecated");
}

void validate_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours,
                      Findings& findings) {
  if (behaviours.runtimes_opt_out && has_label(runtime, model::kValidationLabel, "disabled")) return;
  if (is_deprecated(runtime, behaviours)) {
    findings.add("advice/deprecated-runtime", "metadata.labels",
                 fmt::format("runtime \"{}\" is deprecated and will be removed", runtime.id.name),
                 label_of(runtime, model::kSupportLabel), "move its jobs to another runtime");
  }
  const Node* jobs = runtime.root->at({"spec", "template", "spec", "replicatedJobs"});
  if (!jobs) return;
  size_t index = 0;
  for (const Node* job : jobs->items()) {
    check_replicated_job(*job, fmt::format("spec.template.spec.replicatedJobs[{}]", index++), behaviours,
                         findings);
  }
}

}  // namespace trainjobc::policy
