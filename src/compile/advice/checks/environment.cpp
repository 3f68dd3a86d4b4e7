// SPDX-License-Identifier: Apache-2.0

// Environment variables that one object sets and another replaces.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::environment {
namespace {

using policy::Container;
using yaml::Node;

bool same_value(const Node& a, const Node& b) {
  const Node* from_a = a.get("valueFrom");
  const Node* from_b = b.get("valueFrom");
  if (from_a || from_b) return from_a && from_b && yaml::equal(*from_a, *from_b);
  return text_at(a, "value") == text_at(b, "value");
}

// Reports variables in a TrainJob's list that have another value in the runtime's container.
void compare_env(const Node* env, const std::string& field, const Container* container, Advisor& advisor) {
  if (!env || !container) return;
  for (size_t i = 0; i < env->size(); ++i) {
    const Node& item = *env->items()[i];
    const Node* other = yaml::find_named(container->env, text_at(item, "name"));
    if (!other || same_value(item, *other)) continue;
    const bool was_secret = other->at({"valueFrom", "secretKeyRef"}) && !item.get("valueFrom");
    const std::string_view name = text_at(item, "name");
    const std::string message =
        was_secret
            ? fmt::format("{} is plain text here and replaces what the runtime reads from a Secret", name)
            : fmt::format("the runtime sets {} to another value: this one wins", name);
    base::Diagnostic& found = advisor.warn(
        "advice/env-twice", fmt::format("{}[{}]", field, i), message, yaml::locate(*item.get("name")),
        was_secret ? "remove it here" : "remove it if the runtime's value is fine");
    add_note(found, "the runtime's", other->get("name"));
  }
}

// The controller keeps only one of value and valueFrom.
void check_dropped_values(const Node* env, const std::string& field, Advisor& advisor) {
  if (!env) return;
  for (size_t i = 0; i < env->size(); ++i) {
    const Node& item = *env->items()[i];
    if (!item.get("valueFrom") || text_at(item, "value").empty()) continue;
    advisor.warn(
        "advice/env-value-dropped", fmt::format("{}[{}].value", field, i),
        fmt::format("{} has both value and valueFrom: the controller drops value", text_at(item, "name")),
        locate_key_of(&item, "value"), "remove one of the two");
  }
}

const Container* container_of(const policy::RuntimeInfo& info, std::string_view ancestor,
                              std::string_view name) {
  const auto set = std::ranges::find(info.pod_sets, ancestor, &policy::PodSet::ancestor);
  return set != info.pod_sets.end() ? find_container(*set, name) : nullptr;
}

// Whether the controller sets the variable, whatever value the inputs have.
bool is_generated(const policy::RuntimeInfo& info, std::string_view variable) {
  const policy::Framework* framework = policy::framework_of(info);
  return framework && variable != framework->merged_env &&
         base::contains(policy::env_of(*framework, info), variable);
}

// Compares storageUri with the variable STORAGE_URI of the same initializer.
void check_storage_uri(const std::optional<model::Initializer>& initializer, std::string_view key,
                       Advisor& advisor) {
  if (!initializer || !initializer->env || !initializer->storage_uri) return;
  for (size_t i = 0; i < initializer->env->size(); ++i) {
    const Node& item = *initializer->env->items()[i];
    if (text_at(item, "name") != "STORAGE_URI" || text_at(item, "value") == initializer->storage_uri->value)
      continue;
    base::Diagnostic& found =
        advisor.warn("advice/generated-env", fmt::format("spec.initializer.{}.env[{}]", key, i),
                     "STORAGE_URI replaces storageUri, which has no effect", yaml::locate(*item.get("name")),
                     "remove one of the two");
    add_note(found, "storageUri", initializer->storage_uri->node);
  }
}

void check_overridden_env(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  if (context.job.trainer) {
    compare_env(context.job.trainer->env, "spec.trainer.env",
                container_of(info, model::kTrainer, model::kNode), advisor);
  }
  const auto initializer = [&](const std::optional<model::Initializer>& part, std::string_view key,
                               std::string_view name) {
    if (!part) return;
    compare_env(part->env, fmt::format("spec.initializer.{}.env", key), container_of(info, name, name),
                advisor);
  };
  initializer(context.job.dataset, "dataset", model::kDatasetInitializer);
  initializer(context.job.model, "model", model::kModelInitializer);
}

void check_env_sources(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer) check_dropped_values(context.job.trainer->env, "spec.trainer.env", advisor);
  if (context.job.dataset)
    check_dropped_values(context.job.dataset->env, "spec.initializer.dataset.env", advisor);
  if (context.job.model) check_dropped_values(context.job.model->env, "spec.initializer.model.env", advisor);
}

void check_generated_env(const AdviceContext& context, Advisor& advisor) {
  check_storage_uri(context.job.dataset, "dataset", advisor);
  check_storage_uri(context.job.model, "model", advisor);
  const Node* env = context.job.trainer ? context.job.trainer->env : nullptr;
  if (!env || !trainer_of(context.merged).set) return;
  for (size_t i = 0; i < env->size(); ++i) {
    const Node* name = env->items()[i]->get("name");
    if (!is_generated(context.merged, name->text())) continue;
    advisor.warn("advice/generated-env", fmt::format("spec.trainer.env[{}]", i),
                 fmt::format("{} replaces the value that the controller computes", name->text()),
                 yaml::locate(*name), "remove it, unless every node should have this value");
  }
}

void check_runtime_generated_env(const RuntimeContext& context, Advisor& advisor) {
  const bool mpi = context.info.is_mpi();
  const policy::PodSet* set =
      mpi ? context.info.pod_set_by_name(model::kLauncher) : trainer_of(context.info).set;
  for (const ContainerPlace& place : containers_of(context.info)) {
    if (&place.set != set || place.is_init || place.container.name != model::kNode) continue;
    for (size_t i = 0; i < place.container.env.size(); ++i) {
      const Node* name = place.container.env[i]->get("name");
      if (!is_generated(context.info, name->text())) continue;
      base::Diagnostic& found =
          advisor.warn("advice/generated-env", fmt::format("{}.env[{}]", place.field, i),
                       fmt::format("the controller replaces {} in every job{}", name->text(),
                                   mpi ? "" : " that has spec.trainer"),
                       yaml::locate(*name), "remove it");
      base::suggest_fix(found, yaml::remove_at(*place.container.node, {"env", i}));
    }
  }
}

void check_flux_settings(const AdviceContext& context, Advisor& advisor) {
  const Node* env = context.job.trainer ? context.job.trainer->env : nullptr;
  const policy::Framework* framework = policy::framework_of(context.merged);
  if (!env || !framework) return;
  for (size_t i = 0; i < env->size(); ++i) {
    const Node& item = *env->items()[i];
    const Node* name = item.get("name");
    if (!item.get("valueFrom") || !base::contains(framework->settings, name->text())) continue;
    advisor.warn(
        "advice/flux-setting", fmt::format("spec.trainer.env[{}]", i),
        fmt::format("the controller reads {} itself and treats a valueFrom as an empty string", name->text()),
        yaml::locate(*name), "write the value here");
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_overridden_env, check_env_sources, check_generated_env, check_flux_settings},
          .runtime = {check_runtime_generated_env}};
}

}  // namespace trainjobc::compile::advice::environment
