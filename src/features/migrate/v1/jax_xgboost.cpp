// SPDX-License-Identifier: Apache-2.0

// JAXJob and XGBoostJob: one replicatedJob of nodes, with the variables that their programs read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "features/migrate/v1/draft.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

void finish(Conversion& conversion, const Replica& replica, const NodeList& env,
            const policy::Framework& framework, std::string_view name) {
  PodTemplate pods = pods_of(conversion, replica);
  for (const Node* item : yaml::items_at(main_container(pods), "env")) {
    const std::string_view variable = yaml::text_at(*item, "name");
    if (!base::contains(framework.env, variable)) continue;
    conversion.findings.change(replica.field + ".template.spec.containers",
                               "Trainer sets " + std::string(variable) + " itself", "remove it", item);
  }
  pods = with_env(conversion.make, pods, env, framework.env);
  add_nodes(conversion, replica, with_env_of_others(conversion.make, pods, env), name);
}

// `rank` is the pod's field that contains its rank.
NodeList xgboost_env(const Conversion& conversion, std::string_view master,
                     const std::vector<std::string>& workers, std::string_view rank) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  NodeList env{variable(make, "MASTER_PORT", std::to_string(job.port(job.replicas.front()))),
               variable(make, "MASTER_ADDR", master),
               variable(make, "WORLD_SIZE", std::to_string(job.pods())),
               variable_of_field(make, "RANK", rank), variable(make, "PYTHONUNBUFFERED", "1")};
  if (workers.empty()) return env;
  env.push_back(variable(make, "WORKER_PORT", std::to_string(job.port(job.replicas.back()))));
  env.push_back(variable(make, "WORKER_ADDRS", fmt::format("{}", fmt::join(workers, ","))));
  return env;
}

// Drafts a job whose master differs from the workers.
void draft_plain_xgboost(Conversion& conversion) {
  const Job& job = conversion.job;
  std::vector<std::string> workers;
  for (int64_t i = 0; i + 1 < job.pods(); ++i) workers.push_back(address_of("worker", i, 0));
  const NodeList env = xgboost_env(conversion, address_of("master", 0, 0), workers, kRankField);
  for (const Replica& replica : job.replicas) add_ranked(conversion, replica, env);
  succeed_with(conversion, "master");
  finish_plain(conversion, "xgboost");
}

}  // namespace

void draft_jax(Conversion& conversion) {
  const Job& job = conversion.job;
  const Replica& worker = job.replicas.front();
  const yaml::Maker& make = conversion.make;
  const NodeList env{variable(make, "PYTHONUNBUFFERED", "1"),
                     variable(make, "COORDINATOR_PORT", std::to_string(job.port(worker))),
                     variable(make, "COORDINATOR_ADDRESS", address_of(model::kNode, 0, 0)),
                     variable(make, "NUM_PROCESSES", std::to_string(job.pods())),
                     variable_of_field(make, "PROCESS_ID", model::kCompletionIndexField)};
  finish(conversion, worker, env, policy::jax::kPlugin.framework, "jax");
}

void draft_xgboost(Conversion& conversion) {
  const Job& job = conversion.job;
  if (!job.replica("Master")) {
    conversion.findings.lose("spec.xgbReplicaSpecs", "an XGBoostJob needs a Master", "add a Master",
                             job.get("xgbReplicaSpecs"));
    return;
  }
  const Replica* replica = only_template(conversion);
  if (!replica) {
    draft_plain_xgboost(conversion);
    return;
  }
  std::vector<std::string> workers;
  for (int64_t i = 1; i < job.pods(); ++i) workers.push_back(address_of(model::kNode, 0, i));
  const NodeList env =
      xgboost_env(conversion, address_of(model::kNode, 0, 0), workers, model::kCompletionIndexField);
  finish(conversion, *replica, env, policy::xgboost::kPlugin.framework, "xgboost");
}

}  // namespace trainjobc::migrate::v1
