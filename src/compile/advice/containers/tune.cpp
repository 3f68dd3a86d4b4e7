// SPDX-License-Identifier: Apache-2.0

// Command lines of `tune run` that torchtune refuses.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/containers/command_lines.h"
#include "compile/advice/rendered.h"
#include "policy/plugin.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr std::string_view kTuneCommand = "advice/tune-command";
constexpr std::string_view kSingleDevice = "_single_device";
constexpr std::string_view kAttentionModules = "model.lora_attn_modules";

// Settings that only the models of LoRA recipes have.
constexpr std::array<std::string_view, 8> kLoraSettings{
    kAttentionModules, "model.apply_lora_to_mlp", "model.apply_lora_to_output",
    "model.lora_rank", "model.lora_alpha",        "model.lora_dropout",
    "model.use_dora",  "model.quantize_base"};

// tune run [FLAG…] RECIPE --config CONFIG [SETTING…]
struct TuneRun {
  bool is_generated = false;     // by Trainer, of the job's [tune, run]
  bool starts_torchrun = false;  // tune does if there are flags before the recipe
  std::string_view recipe;       // "" if the words are not of that form
  std::string_view config;
  bool has_own_model = false;  // whose settings are unknown
};

std::string_view before_equals(std::string_view text) {
  return text.substr(0, text.find('='));
}

bool is_own_model(std::string_view word) {
  return before_equals(word) == "model" || before_equals(word) == "model._component_";
}

TuneRun read_command(const AdviceContext& context, const Node* container) {
  TuneRun run;
  run.is_generated = is_tune_run(context.job.trainer->command);
  const Node* command = container ? container->get("command") : nullptr;
  const auto words = words_of({command, container ? container->get("args") : nullptr});
  const auto flag = std::ranges::find(words, "--config");
  const bool is_tune = words.size() > 2 && base_name(words[0]) == "tune" && words[1] == "run";
  if (!is_tune || words.end() - flag < 2 || flag - words.begin() < 3) return run;
  run.recipe = *(flag - 1);
  run.config = *(flag + 1);
  run.starts_torchrun = words[2] != run.recipe;
  run.has_own_model = run.config.ends_with(".yaml") || std::ranges::any_of(words, is_own_model);
  return run;
}

// The place in spec.trainer where the number of processes comes from, and its field.
struct Place {
  base::Location where;
  std::string field;
};

Place place_of_processes(const model::Trainer& trainer) {
  for (const std::string_view key : {"numProcPerNode", "resourcesPerNode"}) {
    const base::Location where = locate_key_of(trainer.node, key);
    if (where.file) return {where, fmt::format("spec.trainer.{}", key)};
  }
  return {yaml::locate(*trainer.node), "spec.trainer"};
}

struct Fix {
  bool is_needed = false;
  std::string hint;
};

// Of the configurations that Trainer writes and its webhook lets pass, torchtune lacks these.
Fix fix_of(std::string_view config) {
  if (config.starts_with("llama3_2/7B")) return {true, "use a runtime of another model"};
  if (config.starts_with("llama3_3/70B"))
    return {config.ends_with(kSingleDevice), "ask for several GPUs, without numProcPerNode: 1"};
  if (config.starts_with("qwen2_5/"))
    return {config.find("_qlora") != config.npos, "remove model.quantize_base"};
  return {config.ends_with("_qlora"), "ask for one GPU, or write numProcPerNode: 1"};
}

bool check_config(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  Fix fix = fix_of(run.config);
  if (!fix.is_needed) return false;
  const Node* name = context.job.runtime_ref.name.node;
  advisor.warn(kTuneCommand, "spec.runtimeRef.name",
               fmt::format("torchtune has no configuration \"{}\"", run.config), yaml::locate(*name),
               std::move(fix.hint));
  return true;
}

// Whether the recipe fits the way in which tune starts it.
bool check_launch(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  const bool is_single = run.recipe.ends_with(kSingleDevice);
  if (is_single != run.starts_torchrun) return false;
  Place place = place_of_processes(*context.job.trainer);
  if (is_single) {
    const auto processes =
        rendered_number(context.admitted_job_set, policy::framework_of(context.merged)->processes);
    advisor.warn(kTuneCommand, std::move(place.field),
                 fmt::format("tune refuses to start {} processes: with one GPU, Trainer chooses recipe {}, "
                             "which does not support torchrun",
                             processes.value_or(0), run.recipe),
                 place.where, "write numProcPerNode: 1");
  } else {
    advisor.warn(kTuneCommand, std::move(place.field),
                 fmt::format("tune starts recipe {} without torchrun, and it fails: the job has neither GPUs "
                             "nor a number of processes",
                             run.recipe),
                 place.where, "ask for GPUs in resourcesPerNode, or write a number");
  }
  return true;
}

std::string lora_hint(const AdviceContext& context, const TuneRun& run, bool names_modules) {
  if (!context.merged.behaviours->torchtune.has_lora) return "remove it; Trainer 2.1 and newer support LoRA";
  if (!run.is_generated) return "write command: [tune, run], so that Trainer chooses a LoRA recipe";
  if (!names_modules) return fmt::format("add {}, which selects a LoRA recipe", kAttentionModules);
  return "write numNodes: 1: LoRA runs on one node only";
}

// LoRA's settings for a recipe whose model has none.
void check_lora(const AdviceContext& context, const TuneRun& run, Advisor& advisor) {
  const Node* args = context.job.trainer->args;
  if (!args || run.has_own_model || !run.recipe.starts_with("full_finetune")) return;
  const Node* first = nullptr;
  size_t index = 0;
  bool names_modules = false;
  for (size_t i = 0; i < args->size(); ++i) {
    const std::string_view name = before_equals(args->items()[i]->text());
    names_modules |= name == kAttentionModules;
    if (first || std::ranges::find(kLoraSettings, name) == kLoraSettings.end()) continue;
    first = args->items()[i];
    index = i;
  }
  if (!first) return;
  advisor.warn(
      kTuneCommand, fmt::format("spec.trainer.args[{}]", index),
      fmt::format("recipe {} has no setting {}, and fails", run.recipe, before_equals(first->text())),
      yaml::locate(*first), lora_hint(context, run, names_modules));
}

}  // namespace

void check_tune_command(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer || !context.merged.policy || !context.merged.policy->torch) return;
  const TrainerPlace trainer = trainer_of(context.merged);
  if (!trainer.set) return;
  const TuneRun run = read_command(context, rendered_node(context.admitted_job_set, trainer.set->name));
  if (run.recipe.empty()) return;
  const bool is_refused =
      run.is_generated && (check_config(context, run, advisor) || check_launch(context, run, advisor));
  if (!is_refused) check_lora(context, run, advisor);
}

}  // namespace trainjobc::compile::advice
