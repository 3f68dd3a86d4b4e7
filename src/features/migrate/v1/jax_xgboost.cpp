// SPDX-License-Identifier: Apache-2.0

// JAXJob and XGBoostJob: one replicatedJob of nodes, with the variables that their programs read.
#include <algorithm>
#include <utility>

#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "features/migrate/v1/plain.h"
#include "features/migrate/v1/pods.h"
#include "yaml/fields.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Node;

void finish(Conversion& conversion, const Replica& replica, const NodeList& env,
            const policy::Framework& framework, std::string_view name) {
  DraftRole role{.name = std::string(model::kNode),
                 .trains = true,
                 .pods = pods_of(conversion, replica),
                 .job_spec = {}};
  for (const Node* item : yaml::items_at(main_container(role.pods), "env")) {
    const std::string_view variable = yaml::text_at(*item, "name");
    if (std::ranges::find(framework.env, variable) == framework.env.end()) continue;
    conversion.findings.change(replica.field + ".template.spec.containers",
                               "Trainer sets " + std::string(variable) + " itself", "remove it", item);
  }
  role.pods = with_env(conversion.make, role.pods, env, framework.env);
  apply_restart_policy(conversion, replica, role);
  Draft& draft = conversion.draft;
  draft.framework = name;
  draft.policy.push_back({name, conversion.make.map({}), {}});
  const bool is_one = conversion.job.replicas.size() == 1 && replica.count_node;
  draft.num_nodes = is_one ? replica.count_node : conversion.make.integer(conversion.job.pods());
  draft.roles.push_back(std::move(role));
}

}  // namespace

void draft_jax(Conversion& conversion) {
  if (!has_name(conversion)) return;
  const Job& job = conversion.job;
  const Replica& worker = job.replicas.front();
  const yaml::Maker& make = conversion.make;
  const NodeList env{variable(make, "PYTHONUNBUFFERED", "1"),
                     variable(make, "COORDINATOR_PORT", std::to_string(job.port(worker))),
                     variable(make, "COORDINATOR_ADDRESS", address_of(job, model::kNode, 0, 0)),
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
  if (conversion.plain && !are_alike(conversion)) {
    draft_plain_xgboost(conversion);
    return;
  }
  const Replica* replica = only_template(conversion, "make them alike, or write them out with --plain");
  if (!replica || !has_name(conversion)) return;
  std::vector<std::string> workers;
  for (int64_t i = 1; i < job.pods(); ++i) workers.push_back(address_of(job, model::kNode, 0, i));
  const NodeList env =
      xgboost_env(conversion, address_of(job, model::kNode, 0, 0), workers, model::kCompletionIndexField);
  finish(conversion, *replica, env, policy::xgboost::kPlugin.framework, "xgboost");
}

}  // namespace trainjobc::migrate::v1
