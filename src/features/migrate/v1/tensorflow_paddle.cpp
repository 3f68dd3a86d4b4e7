// SPDX-License-Identifier: Apache-2.0

// TFJob and PaddleJob. Trainer supports neither, so only jobs with a single pod become TrainJobs as they are;
// for others, the variables are written out on request.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "features/migrate/v1/draft.h"
#include "model/trainer_names.h"
#include "yaml/node.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::string_view kTaskIndex = "TF_TASK_INDEX";
constexpr std::string_view kOwnAddress = "POD_IP_DUMMY";

// A job with a single pod needs no policy.
void draft_single(Conversion& conversion, std::string_view framework, const NodeList& env) {
  const Replica& replica = conversion.job.replicas.front();
  add_nodes(conversion, replica, with_env(conversion.make, pods_of(conversion, replica), env), framework,
            false);
}

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ',';
    yaml::write_json_string(item, out);
  }
  return out;
}

// TF_CONFIG for all pods of a role: it takes the index from another variable.
std::string tf_config(const Job& job, std::string_view own_role) {
  std::vector<std::string> roles;
  for (const Replica& replica : job.replicas) {
    const std::string role = base::lower_case(replica.role);
    std::vector<std::string> addresses;
    for (int64_t i = 0; i < replica.count; ++i)
      addresses.push_back(fmt::format("{}:{}", address_of(role, 0, i), job.port(replica)));
    roles.push_back(fmt::format(R"("{}":[{}])", role, joined(addresses)));
  }
  std::ranges::sort(roles);
  return fmt::format(R"({{"cluster":{{{}}},"task":{{"type":"{}","index":$({})}},"environment":"cloud"}})",
                     fmt::join(roles, ","), own_role, kTaskIndex);
}

// The job succeeds with its chief; without one, with the first worker, or all workers.
void apply_success_policy(Conversion& conversion) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  std::string_view decides = "worker";
  if (job.replica("Chief")) decides = "chief";
  if (job.replica("Master")) decides = "master";
  succeed_with(conversion, decides);
  if (decides != "worker" || yaml::text_of(job.get("successPolicy")) == "AllWorkers") return;
  for (DraftRole& role : conversion.draft.roles) {
    if (role.name != decides || role.completions < 2) continue;
    const Node* rule = make.map({{"succeededIndexes", make.string("0")}});
    const Node* policy = make.map({{"rules", make.list({rule})}});
    role.job_spec.push_back({"successPolicy", policy, {}});
  }
}

void draft_plain_tensorflow(Conversion& conversion) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  for (const Replica& replica : job.replicas) {
    DraftRole role = plain_role(conversion, replica);
    role.pods = with_env(make, role.pods,
                         {variable_of_field(make, kTaskIndex, model::kCompletionIndexField),
                          variable(make, "TF_CONFIG", tf_config(job, role.name))});
    conversion.draft.pods.push_back(own_pods(replica, false));
    conversion.draft.roles.push_back(std::move(role));
  }
  if (job.replica("Chief") || job.replica("Master") || job.replica("Worker"))
    apply_success_policy(conversion);
  finish_plain(conversion, "tensorflow");
}

// The variables of a group of pods. The very first pod listens on its own address.
NodeList paddle_env(const Conversion& conversion, bool is_first, std::string_view first) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  NodeList env{variable(make, "PYTHONUNBUFFERED", "1"), variable(make, "PADDLE_JOB_ID", kJobSetName),
               variable(make, "PADDLE_NNODES", std::to_string(job.pods()))};
  const std::string port = std::to_string(job.port(job.replicas.front()));
  if (is_first) env.push_back(variable_of_field(make, kOwnAddress, "status.podIP"));
  env.push_back(
      variable(make, "PADDLE_MASTER",
               is_first ? fmt::format("$({}):{}", kOwnAddress, port) : fmt::format("{}:{}", first, port)));
  return env;
}

// Writes out the pods of each replica. The very first pod is a group of its own, because only it listens.
void draft_plain_paddle(Conversion& conversion) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  const bool has_servers = job.replica("Master") != nullptr;
  const std::string first = address_of("master", 0, 0);
  bool is_first = true;
  for (const Replica& replica : job.replicas) {
    const std::string_view kind = replica.role == "Master" ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM";
    int64_t left = replica.count;
    while (left > 0) {
      DraftRole role = plain_role(conversion, replica);
      NodeList env = paddle_env(conversion, is_first, first);
      if (has_servers) env.push_back(variable(make, kind, "1"));
      if (is_first) {
        role.name = "master";
      } else if (replica.role == "Master") {
        role.name = "server";
      }
      role.completions = is_first ? 1 : left;
      conversion.draft.pods.push_back({.role = base::lower_case(replica.role),
                                       .first = replica.count - left,
                                       .count = role.completions,
                                       .job = role.name});
      role.pods = with_env(make, role.pods, env);
      left -= role.completions;
      is_first = false;
      conversion.draft.roles.push_back(std::move(role));
    }
  }
  finish_plain(conversion, "paddle");
}

void report_written_out(Conversion& conversion, std::string_view variables, const Node* replicas) {
  conversion.findings.change(
      fmt::format("spec.{}", conversion.job.kind->replica_specs),
      fmt::format("Trainer does not set {}: the job gets a runtime of its own, with those of its {} pods",
                  variables, conversion.job.pods()),
      std::string(kOtherNumberHint), replicas);
}

void report_elastic(Conversion& conversion) {
  if (const Node* elastic = conversion.job.get("elasticPolicy")) {
    conversion.findings.change("spec.elasticPolicy",
                               fmt::format("Trainer {} has no elastic training: the job runs on {}",
                                           conversion.trainer, base::counted(conversion.job.pods(), "node")),
                               "remove it", elastic);
  }
}

}  // namespace

void draft_tensorflow(Conversion& conversion) {
  const Job& job = conversion.job;
  if (const Node* dynamic = job.get("enableDynamicWorker"); dynamic && dynamic->as_bool() == true) {
    conversion.findings.lose("spec.enableDynamicWorker", "Trainer has a fixed number of workers", "remove it",
                             dynamic);
    return;
  }
  if (job.pods() == 1) {
    draft_single(conversion, "tensorflow", {});
    return;
  }
  if (!conversion.options.plain) report_written_out(conversion, "TF_CONFIG", job.get("tfReplicaSpecs"));
  draft_plain_tensorflow(conversion);
}

void draft_paddle(Conversion& conversion) {
  const Job& job = conversion.job;
  report_elastic(conversion);
  if (job.pods() == 1 && !job.replica("Master")) {
    draft_single(conversion, "paddle", paddle_env(conversion, true, ""));
    return;
  }
  if (!conversion.options.plain)
    report_written_out(conversion, "PADDLE_MASTER and PADDLE_NNODES", job.get("paddleReplicaSpecs"));
  draft_plain_paddle(conversion);
}

}  // namespace trainjobc::migrate::v1
