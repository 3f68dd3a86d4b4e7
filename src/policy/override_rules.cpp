// SPDX-License-Identifier: Apache-2.0

#include "policy/override_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/text/suggest.h"
#include "k8s/name_syntax.h"
#include "model/overrides.h"
#include "model/trainer_names.h"

namespace trainjobc::policy {
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
      name.node, meant ? fmt::format("did you mean \"{}\"?", *meant) : "");
  finding.notes.push_back({"the runtime", yaml::locate(*info.runtime->root->get("metadata"))});
}

// Env of the containers that spec.trainer and spec.initializer configure.
void check_env(PluginContext& context, std::string_view field, const Node* pod_spec) {
  const Node* containers = pod_spec ? pod_spec->get("containers") : nullptr;
  if (!containers) return;
  for (const Node* container : containers->items()) {
    const Node* name = container->get("name");
    const yaml::Entry* env = container->find("env");
    if (!name || !env || env->value->size() == 0) continue;
    if (std::ranges::find(kReservedContainers, name->text()) == kReservedContainers.end()) continue;
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

void check_overrides(PluginContext& context) {
  check_pod_overrides(context);
  check_runtime_patches(context);
}

}  // namespace trainjobc::policy
