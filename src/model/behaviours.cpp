// SPDX-License-Identifier: Apache-2.0

#include "model/behaviours.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainjobc::model {
namespace {

constexpr std::array<std::string_view, 3> kFirstModels{"llama3_2/1B", "llama3_2/7B", "llama3_3/70B"};
constexpr std::array<std::string_view, 4> kModels{"llama3_2/1B", "llama3_2/3B", "llama3_3/70B",
                                                  "qwen2_5/1.5B"};

constexpr std::array<std::string_view, 4> kSettings{"output_dir", "tokenizer.path",
                                                    "checkpointer.checkpoint_dir", "tokenizer.merges_file"};
constexpr std::span<const std::string_view> kFirstSettings = std::span(kSettings).first<3>();

constexpr std::array<std::string_view, 3> kSchemes{"hf", "s3", "cache"};
constexpr std::span<const std::string_view> kFirstSchemes = std::span(kSchemes).first<1>();
constexpr std::span<const std::string_view> kModelSchemes = std::span(kSchemes).first<2>();

// Each version is the one before it with what has changed; the first differs from the defaults, which are
// those of the newest.
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
    .dataset_schemes = kFirstSchemes,
    .model_schemes = kFirstSchemes,
    .any_policy_labels_pods = true,
    .webhook_checks_name = true,
    .initializer_needs_mount = false,
    .ancestor_needs_container = false,
    .warns_of_deprecated_runtimes = false,
    .rewrites_jobs = false,
    .runtimes_opt_out = false,
    .heeds_managed_by = false,
    .takes_snapshots = false,
    .repeats_failed_jobs = false,
    .coordinator_is_label = false,
};

constexpr Behaviours kTrainer21 = [] {
  Behaviours row = kTrainer20;
  row.trainer = "2.1";
  row.jobset = "0.10";
  row.overrides = OverrideStyle::PodTemplates;
  row.one_override_per_job = false;
  row.first_trainer_counts = false;
  row.torch.processes = TorchProcesses::NodeResources;
  row.torchtune.models = kModels;
  row.torchtune.settings = kSettings;
  row.torchtune.counts_gpus = true;
  row.torchtune.has_lora = true;
  row.mpi.slots_from_gpus = true;
  row.mpi.launched_node_trains = true;
  row.mpi.launcher_has_one_replica = false;
  row.dataset_schemes = kSchemes;
  row.model_schemes = kModelSchemes;
  row.any_policy_labels_pods = false;
  row.webhook_checks_name = false;
  row.ancestor_needs_container = true;
  row.warns_of_deprecated_runtimes = true;
  row.repeats_failed_jobs = true;
  row.repeats_completed_jobs = true;
  return row;
}();

constexpr Behaviours kTrainer22 = [] {
  Behaviours row = kTrainer21;
  row.trainer = "2.2";
  row.jobset = "0.11";
  row.overrides = OverrideStyle::JobTemplates;
  row.gang_requests = GangRequests::Job;
  row.torch.always_checked = true;
  row.torchtune.needs_num_nodes = false;
  row.jax_needs_trainer = true;
  row.repeats_completed_jobs = false;
  row.rewrites_jobs = true;
  row.coordinator_is_label = true;
  row.flux.checked_processes = FluxProcesses::Runtime;
  row.flux.wraps_runtime_command = false;
  row.flux.shares_memory = false;
  row.flux.counts_resources = false;
  return row;
}();

constexpr Behaviours kTrainer23 = [] {
  Behaviours row = kTrainer22;
  row.trainer = "2.3";
  row.jobset = "0.12";
  row.overrides = OverrideStyle::JobSets;
  row.overrides_add_jobs = true;
  row.node_resources = NodeResourcesStyle::MergePerKey;
  row.gang_requests = GangRequests::Rendered;
  row.rebuilds_init_containers = true;
  row.torchtune.qlora = QloraSwitch::True;
  row.torchtune.refuses_multi_node_lora = true;
  row.torchtune.refuses_settings = true;
  row.mpi.reserves_env = true;
  row.mpi.key_has_modes = true;
  row.mpi.hosts_every_replica = true;
  row.jax_needs_trainer = false;
  row.initializer_needs_mount = true;
  row.runtimes_opt_out = true;
  row.heeds_managed_by = true;
  row.takes_snapshots = true;
  row.flux.checked_processes = FluxProcesses::JobThenRuntime;
  row.flux.wraps_runtime_command = true;
  row.flux.shares_memory = true;
  row.flux.counts_resources = true;
  return row;
}();

constexpr std::array kRows{kTrainer20, kTrainer21, kTrainer22, kTrainer23};

}  // namespace

std::span<const Behaviours> all_behaviours() {
  return kRows;
}

const Behaviours* find_behaviours(std::string_view trainer) {
  return base::find(kRows, trainer, &Behaviours::trainer);
}

const Behaviours& newest_behaviours() {
  return kRows.back();
}

std::vector<std::string> trainer_versions() {
  std::vector<std::string> words;
  for (const model::Behaviours& row : model::all_behaviours()) words.emplace_back(row.trainer);
  return words;
}

std::optional<std::string> read_trainer_version(std::string_view text) {
  if (text == "auto") return "auto";
  if (text.starts_with('v')) text.remove_prefix(1);
  const size_t dot = text.find('.');
  const size_t patch = dot == std::string_view::npos ? dot : text.find('.', dot + 1);
  if (patch != std::string_view::npos) {
    const std::string_view number = text.substr(patch + 1);
    if (number.empty() || !std::ranges::all_of(number, base::is_digit)) return std::nullopt;
    text = text.substr(0, patch);
  }
  return model::find_behaviours(text) ? std::optional<std::string>(text) : std::nullopt;
}

}  // namespace trainjobc::model
