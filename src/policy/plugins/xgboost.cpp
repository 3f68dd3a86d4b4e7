// SPDX-License-Identifier: Apache-2.0

// XGBoost: the collective's tracker runs on the first node; every GPU, or else every node, is a worker.
#include <algorithm>
#include <array>

#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"
#include "policy/webhook_rules.h"

namespace trainjobc::policy::xgboost {
namespace {

constexpr std::array<std::string_view, 4> kEnv{"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID",
                                               "DMLC_NUM_WORKER"};
constexpr std::array<FrameworkLabel, 1> kLabels{{{"xgboost"}}};

bool is_used(const RuntimeInfo& info) {
  return info.policy && info.policy->has(kPlugin.framework.field);
}

void validate(PluginContext& context) {
  if (is_used(context.info)) check_reserved_env(context, kPlugin.framework, ReservedEnvField::Item);
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  PodSet* trainer = info.pod_set_by_ancestor(model::kTrainer);
  take_num_nodes(info, trainer);
  Container* container = info.trainer_container();
  if (!container) return;
  const yaml::Maker& make = context.make;
  const NodeResources resources = resources_per_node(info);
  const int64_t workers = trainer->count.value * std::max<int64_t>(gpus_per_node(resources), 1);
  const yaml::Node* job_name = info.job->root->at({"metadata", "name"});
  upsert_env(container->env, env_value(make, kEnv[0], first_node_address(info),
                                       make.made("xgboost/DMLC_TRACKER_URI", {job_name})));
  upsert_env(container->env, env_value(make, kEnv[1], std::to_string(model::kTrainerPort),
                                       make.made("xgboost/DMLC_TRACKER_PORT")));
  upsert_env(container->env, env_completion_index(make, kEnv[2], make.made("xgboost/DMLC_TASK_ID")));
  upsert_env(container->env,
             env_value(make, kEnv[3], std::to_string(workers),
                       make.made("xgboost/DMLC_NUM_WORKER", {trainer->count.source, resources.source})));
  expose_trainer_port(make, *container, "xgboost/port");
}

}  // namespace

constexpr Plugin kPlugin{.name = "XGBoost",
                         .framework = {.is_used = is_used,
                                       .field = "xgboost",
                                       .title = "XGBoost",
                                       .labels = kLabels,
                                       .env = kEnv,
                                       .reserves_env = true,
                                       .env_family = "DMLC_*",
                                       .env_reader = "its collective",
                                       .processes = kEnv[3],
                                       .rank = kEnv[2],
                                       .port = kEnv[1],
                                       .address = kEnv[0],
                                       .counts_gpus = true,
                                       .opens_port = true},
                         .validate = validate,
                         .expand = expand};

}  // namespace trainjobc::policy::xgboost
