// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/plain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/text/ascii.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "features/migrate/v1/pods.h"
#include "yaml/fields.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

// Of the pod's Job among all Jobs of the JobSet, in their order.
constexpr std::string_view kRankField = "metadata.annotations['jobset.sigs.k8s.io/job-global-index']";

// One Job per pod, so that the ranks of all replicas follow each other.
void add_ranked(Conversion& conversion, const Replica& replica, const NodeList& env) {
  DraftRole role = plain_role(conversion, replica);
  role.replicas = replica.count;
  role.completions = 1;
  role.pods = with_env(conversion.make, role.pods, env);
  conversion.draft.roles.push_back(std::move(role));
}

void succeed_with_master(Conversion& conversion) {
  const Maker& make = conversion.make;
  const Node* jobs = make.list(NodeList{make.string("master")});
  const Node* policy =
      make.map(Entries{{"operator", make.string("All"), {}}, {"targetReplicatedJobs", jobs, {}}});
  conversion.draft.job_set.push_back({"successPolicy", policy, {}});
}

}  // namespace

DraftRole plain_role(Conversion& conversion, const Replica& replica) {
  DraftRole role{
      .name = base::lower_case(replica.role), .pods = pods_of(conversion, replica, false), .job_spec = {}};
  role.completions = replica.count;
  apply_restart_policy(conversion, replica, role);
  return role;
}

void finish_plain(Conversion& conversion, std::string_view framework) {
  conversion.draft.framework = framework;
  conversion.draft.is_own = true;
}

void draft_plain_torch(Conversion& conversion) {
  const Job& job = conversion.job;
  if (!has_name(conversion)) return;
  if (const Node* elastic = job.get("elasticPolicy")) {
    conversion.findings.lose("spec.elasticPolicy", "the nodes of an elastic job must be alike",
                             "make Master and Worker alike", elastic);
    return;
  }
  const Maker& make = conversion.make;
  const Node* given = job.get("nprocPerNode");
  const std::string processes(given ? given->text() : "auto");
  const bool is_number = processes.find_first_not_of("0123456789") == std::string::npos;
  const int64_t per_node = is_number && processes.size() < 6 ? std::stoll(processes) : 1;
  const std::string master = address_of(job, "master", 0, 0);
  const std::string port = std::to_string(job.port(job.replicas.front()));
  const auto torch = policy::torch::kPlugin.framework;
  const NodeList env{variable(make, "PYTHONUNBUFFERED", "1"),
                     variable(make, "MASTER_PORT", port),
                     variable(make, torch.port, port),
                     variable(make, "MASTER_ADDR", master),
                     variable(make, torch.address, master),
                     variable(make, "WORLD_SIZE", std::to_string(job.pods() * per_node)),
                     variable_of_field(make, "RANK", kRankField),
                     variable_of_field(make, torch.rank, kRankField),
                     variable(make, torch.processes, processes),
                     variable(make, torch.nodes, std::to_string(job.pods()))};
  for (const Replica& replica : job.replicas) add_ranked(conversion, replica, env);
  succeed_with_master(conversion);
  finish_plain(conversion, "torch");
}

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

void draft_plain_xgboost(Conversion& conversion) {
  const Job& job = conversion.job;
  if (!has_name(conversion)) return;
  std::vector<std::string> workers;
  for (int64_t i = 0; i + 1 < job.pods(); ++i) workers.push_back(address_of(job, "worker", i, 0));
  const NodeList env = xgboost_env(conversion, address_of(job, "master", 0, 0), workers, kRankField);
  for (const Replica& replica : job.replicas) add_ranked(conversion, replica, env);
  succeed_with_master(conversion);
  finish_plain(conversion, "xgboost");
}

}  // namespace trainjobc::migrate::v1
