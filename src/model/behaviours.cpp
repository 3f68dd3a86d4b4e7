// SPDX-License-Identifier: Apache-2.0

#include "model/behaviours.h"

#include <algorithm>
#include <array>

namespace trainjobc::model {
namespace {

constexpr std::array<std::string_view, 3> kFirstModels{"llama3_2/1B", "llama3_2/7B", "llama3_3/70B"};
constexpr std::array<std::string_view, 4> kModels{"llama3_2/1B", "llama3_2/3B", "llama3_3/70B",
                                                  "qwen2_5/1.5B"};

constexpr std::array<std::string_view, 4> kSettings{"output_dir", "tokenizer.path",
                                                    "checkpointer.checkpoint_dir", "tokenizer.merges_file"};
constexpr std::span<const std::string_view> kFirstSettings = std::span(kSettings).first<3>();

constexpr Behaviours kTrainer20{
    .trainer = "2.0",
    .jobset = "0.8",
    .overrides = OverrideStyle::PodSpecs,
    .one_override_per_job = true,
    .overrides_add_jobs = false,
    .node_resources = NodeResourcesStyle::Replace,
    .gang_requests = GangRequests::Runtime,
    .first_trainer_counts = true,
    .rebuilds_init_containers = false,
    .torch = {.processes = TorchProcesses::JobResources, .always_checked = false},
    .torchtune = {.models = kFirstModels,
                  .settings = kFirstSettings,
                  .needs_num_nodes = true,
                  .counts_gpus = false,
                  .has_lora = false,
                  .qlora = QloraSwitch::Mentioned,
                  .refuses_multi_node_lora = false,
                  .refuses_settings = false},
    .mpi = {.slots_from_gpus = false,
            .launched_node_trains = false,
            .reserves_env = false,
            .key_has_modes = false,
            .hosts_every_replica = false,
            .launcher_has_one_replica = true},
    .flux = {},
    .jax_needs_trainer = false,
    .any_policy_labels_pods = true,
    .webhook_checks_name = true,
    .initializer_needs_mount = false,
    .ancestor_needs_container = false,
    .warns_of_deprecated_runtimes = false,
    .rewrites_jobs = false,
    .runtimes_opt_out = false,
    .heeds_managed_by = false,
    .takes_snapshots = false,
    .coordinator_is_label = false,
};

constexpr Behaviours kTrainer21{
    .trainer = "2.1",
    .jobset = "0.10",
    .overrides = OverrideStyle::PodTemplates,
    .one_override_per_job = false,
    .overrides_add_jobs = false,
    .node_resources = NodeResourcesStyle::Replace,
    .gang_requests = GangRequests::Runtime,
    .first_trainer_counts = false,
    .rebuilds_init_containers = false,
    .torch = {.processes = TorchProcesses::NodeResources, .always_checked = false},
    .torchtune = {.models = kModels,
                  .settings = kSettings,
                  .needs_num_nodes = true,
                  .counts_gpus = true,
                  .has_lora = true,
                  .qlora = QloraSwitch::Mentioned,
                  .refuses_multi_node_lora = false,
                  .refuses_settings = false},
    .mpi = {.slots_from_gpus = true,
            .launched_node_trains = true,
            .reserves_env = false,
            .key_has_modes = false,
            .hosts_every_replica = false,
            .launcher_has_one_replica = false},
    .flux = {},
    .jax_needs_trainer = false,
    .any_policy_labels_pods = false,
    .webhook_checks_name = false,
    .initializer_needs_mount = false,
    .ancestor_needs_container = true,
    .warns_of_deprecated_runtimes = true,
    .rewrites_jobs = false,
    .runtimes_opt_out = false,
    .heeds_managed_by = false,
    .takes_snapshots = false,
    .coordinator_is_label = false,
};

constexpr Behaviours kTrainer22{
    .trainer = "2.2",
    .jobset = "0.11",
    .overrides = OverrideStyle::JobTemplates,
    .one_override_per_job = false,
    .overrides_add_jobs = false,
    .node_resources = NodeResourcesStyle::Replace,
    .gang_requests = GangRequests::Job,
    .first_trainer_counts = false,
    .rebuilds_init_containers = false,
    .torch = {.processes = TorchProcesses::NodeResources, .always_checked = true},
    .torchtune = {.models = kModels,
                  .settings = kSettings,
                  .needs_num_nodes = false,
                  .counts_gpus = true,
                  .has_lora = true,
                  .qlora = QloraSwitch::Mentioned,
                  .refuses_multi_node_lora = false,
                  .refuses_settings = false},
    .mpi = {.slots_from_gpus = true,
            .launched_node_trains = true,
            .reserves_env = false,
            .key_has_modes = false,
            .hosts_every_replica = false,
            .launcher_has_one_replica = false},
    .flux = {.checked_processes = FluxProcesses::Runtime,
             .wraps_runtime_command = false,
             .shares_memory = false,
             .counts_resources = false},
    .jax_needs_trainer = true,
    .any_policy_labels_pods = false,
    .webhook_checks_name = false,
    .initializer_needs_mount = false,
    .ancestor_needs_container = true,
    .warns_of_deprecated_runtimes = true,
    .rewrites_jobs = true,
    .runtimes_opt_out = false,
    .heeds_managed_by = false,
    .takes_snapshots = false,
    .coordinator_is_label = true,
};

constexpr Behaviours kTrainer23{
    .trainer = "2.3",
    .jobset = "0.12",
    .overrides = OverrideStyle::JobSets,
    .one_override_per_job = false,
    .overrides_add_jobs = true,
    .node_resources = NodeResourcesStyle::MergePerKey,
    .gang_requests = GangRequests::Rendered,
    .first_trainer_counts = false,
    .rebuilds_init_containers = true,
    .torch = {.processes = TorchProcesses::NodeResources, .always_checked = true},
    .torchtune = {.models = kModels,
                  .settings = kSettings,
                  .needs_num_nodes = false,
                  .counts_gpus = true,
                  .has_lora = true,
                  .qlora = QloraSwitch::True,
                  .refuses_multi_node_lora = true,
                  .refuses_settings = true},
    .mpi = {.slots_from_gpus = true,
            .launched_node_trains = true,
            .reserves_env = true,
            .key_has_modes = true,
            .hosts_every_replica = true,
            .launcher_has_one_replica = false},
    .flux = {.checked_processes = FluxProcesses::JobThenRuntime,
             .wraps_runtime_command = true,
             .shares_memory = true,
             .counts_resources = true},
    .jax_needs_trainer = false,
    .any_policy_labels_pods = false,
    .webhook_checks_name = false,
    .initializer_needs_mount = true,
    .ancestor_needs_container = true,
    .warns_of_deprecated_runtimes = true,
    .rewrites_jobs = true,
    .runtimes_opt_out = true,
    .heeds_managed_by = true,
    .takes_snapshots = true,
    .coordinator_is_label = true,
};

constexpr std::array kRows{kTrainer20, kTrainer21, kTrainer22, kTrainer23};

}  // namespace

std::span<const Behaviours> all_behaviours() {
  return kRows;
}

const Behaviours* find_behaviours(std::string_view trainer) {
  const auto found = std::ranges::find(kRows, trainer, &Behaviours::trainer);
  return found != kRows.end() ? &*found : nullptr;
}

const Behaviours& newest_behaviours() {
  return kRows.back();
}

}  // namespace trainjobc::model
