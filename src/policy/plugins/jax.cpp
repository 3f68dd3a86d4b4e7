// SPDX-License-Identifier: Apache-2.0

// JAX: three variables for jax.distributed.initialize(), which itself reads only the coordinator's address
// from the env (0.10.2). The program passes the two numbers as arguments, or JAX asks the Kubernetes API if
// the image has its client. The user's env comes after them, so a job may override them.
#include <fmt/format.h>

#include <array>

#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::jax {
namespace {

constexpr std::array<std::string_view, 3> kEnv{"JAX_NUM_PROCESSES", "JAX_PROCESS_ID",
                                               "JAX_COORDINATOR_ADDRESS"};
constexpr std::array<FrameworkLabel, 1> kLabels{{{"jax"}}};

void report_missing_trainer(PluginContext& context) {
  const model::RuntimeRef& ref = context.info.job->runtime_ref;
  base::Diagnostic& finding =
      context.findings.add("render/jax-needs-trainer", "spec.runtimeRef",
                           fmt::format("the JAX runtime \"{}\" has no replicatedJob with the ancestor "
                                       "label \"{}\": the controller crashes without it",
                                       ref.name.value, model::kTrainer),
                           ref.name.node, "label the replicatedJob that trains");
  finding.notes.push_back({"the runtime", yaml::locate(*context.info.runtime->root->get("metadata"))});
}

bool is_used(const RuntimeInfo& info) {
  return info.policy && info.policy->has(kPlugin.framework.field);
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
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
  upsert_env(container->env, env_value(make, kEnv[0], std::to_string(trainer->count.value),
                                       make.made("jax/JAX_NUM_PROCESSES", {trainer->count.source})));
  upsert_env(container->env, env_completion_index(make, kEnv[1], make.made("jax/JAX_PROCESS_ID")));
  upsert_env(container->env,
             env_value(make, kEnv[2], fmt::format("{}:{}", first_node_address(info), model::kTrainerPort),
                       make.made("jax/JAX_COORDINATOR_ADDRESS", {job_name})));
  expose_trainer_port(make, *container, "jax/port");
}

}  // namespace

constexpr Plugin kPlugin{.name = "JAX",
                         .framework = {.is_used = is_used,
                                       .field = "jax",
                                       .title = "JAX",
                                       .labels = kLabels,
                                       .env = kEnv,
                                       .env_family = "JAX_*",
                                       .env_reader = "jax.distributed",
                                       .processes = kEnv[0],
                                       .rank = kEnv[1],
                                       .address = kEnv[2],
                                       .sets_job = true,
                                       .opens_port = true},
                         .expand = expand};

}  // namespace trainjobc::policy::jax
