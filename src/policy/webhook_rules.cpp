// SPDX-License-Identifier: Apache-2.0

#include "policy/webhook_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "k8s/violations.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::policy {

void check_reserved_env(PluginContext& context, const Framework& framework, ReservedEnvField field) {
  const auto& trainer = context.info.job->trainer;
  if (!trainer || !trainer->env) return;
  for (size_t i = 0; i < trainer->env->size(); ++i) {
    const yaml::Node* name = trainer->env->items()[i]->get("name");
    if (!name || !base::contains(framework.env, name->text())) continue;
    base::Diagnostic& found = context.findings.add(
        "input/reserved-env",
        field == ReservedEnvField::Item ? fmt::format("spec.trainer.env[{}]", i) : "spec.trainer.env",
        fmt::format("{} is reserved: the {} runtime sets it", name->text(), framework.title), name,
        "remove it");
    base::suggest_fix(found, yaml::remove_at(*trainer->node, {"env", i}));
  }
}

namespace {

using yaml::Node;

constexpr std::array kReservedContainers{model::kDatasetInitializer, model::kModelInitializer, model::kNode};

std::string field_of(std::string_view overrides) {
  return fmt::format("spec.{}", overrides);
}

void report_unknown_job(PluginContext& context, std::string_view field, const model::LocatedText& name) {
  const RuntimeInfo& info = context.info;
  std::vector<std::string_view> known;
  for (const PodSet& set : info.pod_sets) known.push_back(set.name);
  const auto meant = base::closest(name.value, known);
  base::Diagnostic& finding = context.findings.add(
      "input/patch-target", field_of(field),
      fmt::format("runtime \"{}\" has no replicatedJob \"{}\"", info.job->runtime_ref.name.value, name.value),
      name.node);
  if (meant) k8s::suggest(finding, name.node, *meant);
  finding.notes.push_back({"the runtime", yaml::locate(*info.runtime->root->get("metadata"))});
}

// Checks the env of containers that spec.trainer and spec.initializer configure.
void check_env(PluginContext& context, std::string_view field, const Node* pod_spec) {
  const Node* containers = pod_spec ? pod_spec->get("containers") : nullptr;
  if (!containers) return;
  for (const Node* container : containers->items()) {
    const Node* name = container->get("name");
    const yaml::Entry* env = container->find("env");
    if (!name || !env || env->value->size() == 0) continue;
    if (!is_env_reserved(name->text())) continue;
    const bool trains = name->text() == model::kNode;
    context.findings.add("input/patch-env", field_of(field),
                         fmt::format("spec.{} can't set env of container \"{}\"", field, name->text()),
                         env->value, trains ? "use spec.trainer.env" : "use spec.initializer");
  }
}

void check_pod_overrides(PluginContext& context) {
  std::set<std::string_view> seen;
  for (const model::PodOverride& override : model::decode_pod_overrides(*context.info.job)) {
    bool reaches_a_job = false;
    for (const model::LocatedText& target : override.target_jobs) {
      const bool is_new = seen.insert(target.value).second;
      if (!is_new && context.info.behaviours->one_override_per_job) {
        context.findings.add(
            "input/patch-duplicate-target", field_of(override.field),
            fmt::format("replicatedJob \"{}\" is the target of more than one override", target.value),
            target.node, "write one override for it");
      }
      if (context.info.pod_set_by_name(target.value)) {
        reaches_a_job = true;
      } else {
        report_unknown_job(context, override.field, target);
      }
    }
    if (reaches_a_job) check_env(context, override.field, override.spec);
  }
}

void check_manager(PluginContext& context, const Node& patch) {
  const Node* manager = patch.get("manager");
  if (!manager || k8s::is_domain_prefixed_path(manager->text())) return;
  context.findings.add("input/patch-manager", "spec.runtimePatches.manager",
                       fmt::format("the manager \"{}\" must be a domain-prefixed path", manager->text()),
                       manager, "such as \"example.com/manager\"");
}

void check_runtime_patches(PluginContext& context) {
  for (const Node* patch : model::runtime_patches(*context.info.job)) {
    check_manager(context, *patch);
    for (const Node* job : model::patched_jobs(*patch)) {
      const auto name = model::decode_text(job->get("name"));
      if (!context.info.behaviours->overrides_add_jobs && name &&
          !context.info.pod_set_by_name(name->value)) {
        report_unknown_job(context, model::kRuntimePatches, *name);
        continue;
      }
      check_env(context, model::kRuntimePatches, job->at({"template", "spec", "template", "spec"}));
    }
  }
}

}  // namespace

bool is_env_reserved(std::string_view container) {
  return base::contains(kReservedContainers, container);
}

void check_overrides(PluginContext& context) {
  check_pod_overrides(context);
  check_runtime_patches(context);
}

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

void check_replicas(const Node& job, const std::string& who, const std::string& path, Findings& findings) {
  const Node* replicas = job.get("replicas");
  if (!replicas || replicas->as_int() == 1) return;
  base::Diagnostic& finding =
      findings.add("input/ancestor-replicas", path + ".replicas",
                   fmt::format("{} must have exactly one replica, not {}", who, replicas->text()), replicas,
                   "write 1; spec.mlPolicy.numNodes sets the number of nodes");
  base::suggest_fix(finding, yaml::replace_scalar(*replicas, "1"));
}

void check_container(const Node& job, const Ancestor& ancestor, const std::string& path, Findings& findings) {
  const Node* containers = job.at({"template", "spec", "template", "spec", "containers"});
  if (yaml::find_named(yaml::items_of(containers), ancestor.container)) return;
  base::Diagnostic& found = findings.add(
      "input/ancestor-container", path + ".template.spec.template.spec.containers",
      fmt::format("a replicatedJob with the ancestor label \"{}\" needs a container \"{}\"", ancestor.label,
                  ancestor.container),
      containers ? containers : &job, fmt::format("name its container \"{}\"", ancestor.container));
  const Node* name = containers && containers->size() == 1 ? containers->items()[0]->get("name") : nullptr;
  if (name) base::suggest_fix(found, yaml::replace_text(*name, ancestor.container));
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
