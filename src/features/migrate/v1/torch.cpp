// SPDX-License-Identifier: Apache-2.0

// PyTorchJob: torchrun's nodes. Master and workers become the nodes of one replicatedJob, the master the
// first.
#include <fmt/format.h>

#include <algorithm>

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

constexpr std::string_view kC10d = "c10d";

// spec.nprocPerNode, or the field's older name; nullptr for torchrun's default.
const Node* processes_of(const Job& job) {
  const Node* given = job.get("nprocPerNode");
  return given ? given : job.spec->at({"elasticPolicy", "nProcPerNode"});
}

std::optional<int64_t> number_of(const Node* node) {
  if (!node) return std::nullopt;
  if (const auto number = node->as_int()) return number;
  int64_t value = 0;
  for (const char c : node->text()) {
    if (c < '0' || c > '9' || value > 1'000'000) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return node->text().empty() ? std::nullopt : std::optional(value);
}

// Trainer counts GPUs, or else CPUs, like torchrun's "auto".
void take_processes(Conversion& conversion, const Node& container) {
  const Node* given = processes_of(conversion.job);
  if (const auto number = number_of(given)) {
    conversion.draft.processes = given->is_int() ? given : conversion.make.integer(*number, given->origin());
    return;
  }
  const std::string_view word = yaml::text_of(given);
  const bool counts_gpus = has_gpus(container, {"limits", "requests"});
  if ((word == "gpu" && !counts_gpus) || (word == "cpu" && counts_gpus)) {
    conversion.findings.change(
        "spec.nprocPerNode",
        fmt::format("Trainer starts one process per {} and ignores this value", counts_gpus ? "GPU" : "CPU"),
        "write a number", given);
  }
}

// Whether the command is torchrun or its module, which set these variables for their processes themselves.
bool runs_torchrun(const Node& container) {
  return mentions(container, "torchrun") || mentions(container, "torch.distributed");
}

// Adds the variables that programs without torchrun read, and those that pass them on to torchrun.
void add_world(const Conversion& conversion, const Node& container, NodeList& env) {
  const Job& job = conversion.job;
  const Replica* master = job.replica("Master");
  if (!master) return;
  const Maker& make = conversion.make;
  const bool all = !runs_torchrun(container);
  const auto add = [&](std::string_view name, const Node* variable) {
    if (all || mentions(container, name)) env.push_back(variable);
  };
  const int64_t world = job.pods() * number_of(processes_of(job)).value_or(1);
  add("MASTER_ADDR", variable(make, "MASTER_ADDR", address_of(model::kNode, 0, 0)));
  add("MASTER_PORT", variable(make, "MASTER_PORT", std::to_string(job.port(*master))));
  add("WORLD_SIZE", variable(make, "WORLD_SIZE", std::to_string(world)));
  add("RANK", variable_of_field(make, "RANK", model::kCompletionIndexField));
}

// Variables that v1 sets in every container, but Trainer only in "node".
NodeList variables_of_others(const Conversion& conversion) {
  const Job& job = conversion.job;
  const Maker& make = conversion.make;
  const auto torch = policy::torch::kPlugin.framework;
  const std::string address = address_of(model::kNode, 0, 0);
  const Replica* master = job.replica("Master");
  const int64_t processes = number_of(processes_of(job)).value_or(1);
  NodeList env{variable(make, torch.nodes, std::to_string(job.pods())),
               variable_of_field(make, torch.rank, model::kCompletionIndexField),
               variable(make, torch.address, address),
               variable(make, torch.port, std::to_string(model::kTrainerPort))};
  if (const auto number = number_of(processes_of(job)))
    env.push_back(variable(make, torch.processes, std::to_string(*number)));
  if (!master) return env;
  env.push_back(variable(make, "MASTER_ADDR", address));
  env.push_back(variable(make, "MASTER_PORT", std::to_string(job.port(*master))));
  env.push_back(variable(make, "WORLD_SIZE", std::to_string(job.pods() * processes)));
  env.push_back(variable_of_field(make, "RANK", model::kCompletionIndexField));
  return env;
}

std::string rendezvous_config(const Job& job, std::string_view backend) {
  std::string config;
  for (const Node* setting : yaml::items_at(*job.get("elasticPolicy"), "rdzvConf")) {
    config += fmt::format("{}{}={}", config.empty() ? "" : ",", yaml::text_at(*setting, "key"),
                          yaml::text_at(*setting, "value"));
  }
  // torchrun 1.13 does not recognize the endpoint, which has a domain, as its own name.
  if (backend == kC10d && config.find("is_host=") == std::string::npos)
    config = config.empty() ? "is_host=true" : "is_host=true," + config;
  return config;
}

std::string rendezvous_endpoint(const Job& job) {
  const Node& elastic = *job.get("elasticPolicy");
  const Node* host = elastic.get("rdzvHost");
  const Replica* worker = job.replica("Worker");
  const Node* port = elastic.get("rdzvPort");
  const bool is_first = !host || host->text() == fmt::format("{}-worker-0", job.id.name);
  return fmt::format(
      "{}:{}", is_first ? address_of(model::kNode, 0, 0) : std::string(host->text()),
      port ? std::string(port->text()) : std::to_string(worker ? job.port(*worker) : job.kind->port));
}

void add_elastic(Conversion& conversion, NodeList& env) {
  const Job& job = conversion.job;
  const Node* elastic = job.get("elasticPolicy");
  if (!elastic || !elastic->is_map()) return;
  const Maker& make = conversion.make;
  const auto add = [&](std::string_view setting, std::string_view value) {
    env.push_back(variable(make, fmt::format("PET_{}", setting), value));
  };
  const std::string_view given = yaml::text_at(*elastic, "rdzvBackend");
  const std::string_view backend = given.empty() ? kC10d : given;
  add("RDZV_BACKEND", backend);
  add("RDZV_ENDPOINT", rendezvous_endpoint(job));
  if (const Node* id = elastic->get("rdzvId")) add("RDZV_ID", id->text());
  if (const std::string config = rendezvous_config(job, backend); !config.empty()) add("RDZV_CONF", config);
  if (const Node* restarts = elastic->get("maxRestarts")) add("MAX_RESTARTS", restarts->text());
  if (yaml::text_at(*elastic, "standalone") == "true") add("STANDALONE", "");
  const Node* least = elastic->get("minReplicas");
  const Node* most = elastic->get("maxReplicas");
  const auto is_fixed = [&](const Node* bound) { return !bound || bound->as_int() == job.pods(); };
  if (!is_fixed(least) || !is_fixed(most)) {
    conversion.findings.change(
        "spec.elasticPolicy",
        fmt::format("Trainer {} has no elastic training: the job runs on {}, and waits for all of them",
                    conversion.trainer, base::counted(job.pods(), "node")),
        "set spec.trainer.numNodes to the number of nodes that you want", is_fixed(least) ? most : least);
  }
  if (const Node* metrics = elastic->get("metrics")) {
    conversion.findings.change("spec.elasticPolicy.metrics",
                               "Trainer has no autoscaling: the number of nodes stays",
                               "change spec.trainer.numNodes, and create the job again", metrics);
  }
}

// Drafts a job whose master differs from the workers.
void draft_plain_torch(Conversion& conversion) {
  const Job& job = conversion.job;
  if (const Node* elastic = job.get("elasticPolicy")) {
    conversion.findings.lose("spec.elasticPolicy", "the nodes of an elastic job must be alike",
                             "make Master and Worker alike", elastic);
    return;
  }
  const Maker& make = conversion.make;
  const Node* given = job.get("nprocPerNode");
  const std::string processes(given ? given->text() : "auto");
  const bool is_number = !processes.empty() && std::ranges::all_of(processes, base::is_digit);
  const int64_t per_node = is_number && processes.size() < 6 ? std::stoll(processes) : 1;
  const std::string master = address_of("master", 0, 0);
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
  succeed_with(conversion, "master");
  finish_plain(conversion, "torch");
}

}  // namespace

void draft_torch(Conversion& conversion) {
  const Replica* replica = only_template(conversion);
  if (!replica) {
    draft_plain_torch(conversion);
    return;
  }
  PodTemplate pods = pods_of(conversion, *replica);
  const Node& container = main_container(pods);
  take_processes(conversion, container);
  NodeList env{variable(conversion.make, "PYTHONUNBUFFERED", "1")};
  add_world(conversion, container, env);
  add_elastic(conversion, env);
  pods = with_env(conversion.make, pods, env, policy::torch::kPlugin.framework.env);
  pods = with_env_of_others(conversion.make, pods, variables_of_others(conversion));
  add_nodes(conversion, *replica, pods, "torch");
}

}  // namespace trainjobc::migrate::v1
