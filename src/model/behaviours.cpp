// SPDX-License-Identifier: Apache-2.0

#include "model/behaviours.h"

#include <fmt/format.h>

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

constexpr std::array<std::string_view, 1> kFeatureGates{"TrainJobStatus"};

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
  row.feature_gates = kFeatureGates;
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

constexpr Behaviours kTrainer24 = [] {
  Behaviours row = kTrainer23;
  row.trainer = "2.4-preview";
  row.preview = "Trainer's main at commit 8c0f5059 of 2026-08-21";
  row.repeats_failed_jobs = false;
  row.flux.checked_processes = FluxProcesses::None;
  return row;
}();

constexpr std::array kRows{kTrainer20, kTrainer21, kTrainer22, kTrainer23, kTrainer24};

}  // namespace

std::span<const Behaviours> all_behaviours() {
  return kRows;
}

const Behaviours* find_behaviours(std::string_view trainer) {
  return base::find(kRows, trainer, &Behaviours::trainer);
}

std::span<const Behaviours> released_behaviours() {
  const auto first_preview =
      std::ranges::find_if(kRows, [](const Behaviours& row) { return !row.preview.empty(); });
  return {kRows.begin(), first_preview};
}

const Behaviours& newest_behaviours() {
  return released_behaviours().back();
}

std::string preview_note(std::string_view trainer) {
  const Behaviours* row = find_behaviours(trainer);
  if (!row || row->preview.empty()) return "";
  return fmt::format("Trainer {} is a preview of {}: the release may differ", trainer, row->preview);
}

std::vector<std::string> trainer_versions() {
  std::vector<std::string> words;
  for (const model::Behaviours& row : model::all_behaviours()) words.emplace_back(row.trainer);
  return words;
}

std::vector<std::string_view> known_feature_gates() {
  std::vector<std::string_view> known;
  for (const Behaviours& row : kRows) {
    for (const std::string_view gate : row.feature_gates) {
      if (!base::contains(known, gate)) known.push_back(gate);
    }
  }
  return known;
}

std::string read_feature_gates(std::string_view text, std::vector<std::string>& on) {
  const std::vector<std::string_view> known = known_feature_gates();
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = base::trimmed(text.substr(0, comma), base::kBlanks);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (one.empty()) continue;
    const size_t equals = std::min(one.find('='), one.size());
    const std::string_view gate = one.substr(0, equals);
    const std::string_view value = equals == one.size() ? "true" : one.substr(equals + 1);
    if (!base::contains(known, gate))
      return fmt::format("there is no feature gate \"{}\", only {}", gate, base::word_list(known));
    if (value != "true" && value != "false")
      return fmt::format("{} is true or false, not \"{}\"", gate, value);
    std::erase(on, gate);
    if (value == "true") on.emplace_back(gate);
  }
  return "";
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
