// SPDX-License-Identifier: Apache-2.0

// Torch: torchrun reads its arguments from PET_* variables, so the controller sets those on the container
// that trains, opens the rendezvous port, and rewrites the command of torchtune.
#include "policy/plugins/torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "k8s/jobset/names.h"
#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "policy/plugins.h"
#include "policy/plugins/torch_elastic.h"
#include "policy/pod_count.h"
#include "policy/reserved_env.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Maker;
using yaml::Node;

// Those of Trainer, then those of an elastic runtime; whether the last of them is set depends on the runtime.
constexpr std::array<std::string_view, 10> kEnv{
    "PET_NNODES",       "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
    kRendezvousBackend, kRendezvousHost,      kRendezvousId,   kRendezvousConfig, kMaxRestarts};
constexpr std::span<const std::string_view> kOwnEnv = std::span(kEnv).first(5);

// The community's torchtune runtimes have their own label.
constexpr std::array<FrameworkLabel, 2> kLabels{{{"torchtune", "torchtune"}, {"torch"}}};

// What spec.trainer.numProcPerNode may be instead of a number.
constexpr std::array<std::string_view, 3> kWords{"auto", "cpu", "gpu"};

struct PetEnv {
  const Node* num_nodes;
  const Node* num_proc_per_node;
  const Node* node_rank;
  const Node* master_addr;
  const Node* master_port;
};

PetEnv make_pet_env(PluginContext& context, const PodCount& nodes, const ProcPerNode& processes) {
  const Maker& make = context.make;
  const Node* job_name = context.info.job->root->at({"metadata", "name"});
  return {
      env_value(make, kEnv[0], node_range(context.info, nodes.value),
                make.made("torch/PET_NNODES", {nodes.source})),
      env_value(make, kEnv[1], processes.text(), make.made("torch/PET_NPROC_PER_NODE", {processes.source})),
      env_completion_index(make, kEnv[2], make.made("torch/PET_NODE_RANK")),
      env_value(make, kEnv[3], first_node_address(context.info),
                make.made("torch/PET_MASTER_ADDR", {job_name})),
      env_value(make, kEnv[4], std::to_string(model::kTrainerPort), make.made("torch/PET_MASTER_PORT"))};
}

void inject_workers(Container& container, const PetEnv& env) {
  for (const Node* item : {env.num_nodes, env.num_proc_per_node, env.node_rank})
    upsert_env(container.env, item);
}

void inject_master(Container& container, const PetEnv& env) {
  for (const Node* item : {env.master_addr, env.master_port}) upsert_env(container.env, item);
}

void check_word(PluginContext& context, const Node& processes) {
  if (!processes.is_string() || std::ranges::find(kWords, processes.text()) != kWords.end()) return;
  const auto meant = base::closest(processes.text(), kWords);
  context.findings.add("input/processes-per-node", "spec.trainer.numProcPerNode",
                       fmt::format("\"{}\" is neither a number nor auto, cpu or gpu", processes.text()),
                       &processes, meant ? fmt::format("did you mean \"{}\"?", *meant) : "");
}

void check_env_injection(PluginContext& context) {
  for (const model::EnvInjectionTarget& target : context.info.policy->torch->env_injection) {
    for (const model::LocatedText& name : target.container_names) {
      if (context.info.container_by_pod_set(target.job_name, name.value)) continue;
      base::Diagnostic& finding = context.findings.add(
          "input/env-injection-target", "spec.runtimeRef",
          fmt::format(
              "the runtime's envInjection names container \"{}\" of replicatedJob \"{}\", which its template "
              "does not have",
              name.value, target.job_name),
          context.info.job->runtime_ref.name.node);
      finding.notes.push_back({"named in the runtime", yaml::locate(*name.node)});
    }
  }
}

bool is_used(const RuntimeInfo& info) {
  return info.policy && info.policy->torch;
}

std::span<const std::string_view> dialect_env(const RuntimeInfo& info) {
  const auto& elastic = info.policy->torch->elastic;
  if (!elastic) return kOwnEnv;
  return std::span(kEnv).first(elastic->max_restarts ? kEnv.size() : kEnv.size() - 1);
}

void validate(PluginContext& context) {
  if (!is_used(context.info)) return;
  check_env_injection(context);
  const Node* given = context.info.job->trainer ? context.info.job->trainer->num_proc_per_node : nullptr;
  if (!given && !context.info.behaviours->torch.always_checked) return;
  if (given) check_word(context, *given);
  check_reserved_env(context, kPlugin.framework, ReservedEnvField::List);
  if (is_torchtune(context.info)) validate_torchtune(context);
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  PodSet* trainer = info.pod_set_by_ancestor(model::kTrainer);
  take_num_nodes(info, trainer);
  const PodCount nodes = trainer ? trainer->count : PodCount{};
  if (trainer) complete_with_first_node(context, *trainer);
  const ProcPerNode processes = proc_per_node(info);
  const PetEnv env = make_pet_env(context, nodes, processes);
  if (Container* container = info.trainer_container()) {
    upsert_job_env(context.make, container->env, info.job->trainer->env);
    inject_workers(*container, env);
    if (is_torchtune(info)) {
      expand_torchtune(context, nodes.value, processes);
    } else {
      inject_master(*container, env);
      inject_rendezvous(context, *container);
      if (context.options.torchrun == TorchrunStyle::Flags)
        write_torchrun_flags(context, *container, nodes, processes);
    }
    expose_trainer_port(context.make, *container, "torch/port");
  }
  for (const model::EnvInjectionTarget& target : info.policy->torch->env_injection) {
    for (const model::LocatedText& name : target.container_names) {
      Container* container = info.container_by_pod_set(target.job_name, name.value);
      if (!container) continue;  // validate has reported it
      inject_workers(*container, env);
      inject_master(*container, env);
    }
  }
}

}  // namespace

std::string first_node_address(const RuntimeInfo& info) {
  const std::string job = k8s::jobset::job_name(info.job_name(), model::kNode, 0);
  return k8s::jobset::pod_address(job, 0, info.job_name());
}

constexpr Plugin kPlugin{.name = "Torch",
                         .framework = {.is_used = is_used,
                                       .field = "torch",
                                       .title = "torch",
                                       .labels = kLabels,
                                       .env = kOwnEnv,
                                       .dialect_env = dialect_env,
                                       .merged_env = kRendezvousConfig,
                                       .reserves_env = true,
                                       .env_family = "PET_*",
                                       .env_reader = "torchrun",
                                       .nodes = kEnv[0],
                                       .processes = kEnv[1],
                                       .rank = kEnv[2],
                                       .port = kEnv[4],
                                       .address = kEnv[3],
                                       .processes_per_node = true,
                                       .has_flags = true,
                                       .has_processes = true,
                                       .opens_port = true},
                         .validate = validate,
                         .expand = expand};

}  // namespace trainjobc::policy::torch
