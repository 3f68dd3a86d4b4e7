// JAX: jax.distributed.initialize() finds its coordinator through three variables. The user's env comes after
// them, so a job may override them.
#include <fmt/format.h>

#include "model/names.h"
#include "policy/build_nodes.h"
#include "policy/plugins.h"
#include "policy/pod_count.h"
#include "policy/torch.h"

namespace trainjobc::policy::jax {
namespace {

void report_missing_trainer(PluginContext& context) {
  const model::RuntimeRef& ref = context.info.job->runtime_ref;
  base::Diagnostic& finding =
      context.findings.error("render/jax-needs-trainer", "spec.runtimeRef",
                             fmt::format("the JAX runtime \"{}\" has no replicatedJob with the ancestor "
                                         "label \"{}\": the controller crashes "
                                         "without it",
                                         ref.name.value, model::kTrainer),
                             ref.name.node, "label the replicatedJob that trains");
  finding.notes.push_back({"the runtime", yaml::locate(*context.info.runtime->root->get("metadata"))});
}

}  // namespace

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!info.policy || !info.policy->jax) return;
  PodSet* trainer = info.pod_set_by_ancestor(model::kTrainer);
  if (!trainer && info.behaviours->jax_needs_trainer) {
    report_missing_trainer(context);
    return;
  }
  take_num_nodes(info, trainer);
  Container* container = info.trainer_container();
  if (!container) return;
  const yaml::Maker& make = context.make;
  const yaml::Node* job_name = info.job->root->at({"metadata", "name"});
  upsert_env(container->env, env_value(make, "JAX_NUM_PROCESSES", std::to_string(trainer->count.value),
                                       make.made("jax/JAX_NUM_PROCESSES", {trainer->count.source})));
  upsert_env(container->env, env_completion_index(make, "JAX_PROCESS_ID", make.made("jax/JAX_PROCESS_ID")));
  upsert_env(container->env,
             env_value(make, "JAX_COORDINATOR_ADDRESS",
                       fmt::format("{}:{}", torch::first_node_address(info), model::kTrainerPort),
                       make.made("jax/JAX_COORDINATOR_ADDRESS", {job_name})));
  expose_trainer_port(make, *container, "jax/port");
}

}  // namespace trainjobc::policy::jax
