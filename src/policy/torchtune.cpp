// SPDX-License-Identifier: Apache-2.0

// torchtune: the command [tune, run] becomes the recipe and config that fit the job's model, nodes, processes
// and arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins/torch.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

constexpr std::string_view kMultiNodeModel = "llama3_3/70B";
constexpr std::string_view kModelWithoutQlora = "qwen2_5/1.5B";
// Models for which QLoRA runs on one device only.
constexpr std::array<std::string_view, 2> kSmallModels{"llama3_2/1B", "llama3_2/3B"};

struct Recipe {
  std::string_view recipe;
  std::string_view config_suffix;
};

const model::TorchtuneBehaviour& rules_of(const RuntimeInfo& info) {
  return info.behaviours->torchtune;
}

std::string_view before_equals(std::string_view text) {
  return text.substr(0, text.find('='));
}

// Whether a word of a command sets something that the runtime owns.
bool is_setting(const RuntimeInfo& info, std::string_view word) {
  return base::contains(rules_of(info).settings, before_equals(word));
}

std::vector<std::string_view> arguments(const RuntimeInfo& info) {
  std::vector<std::string_view> words;
  const Node* args = info.job->trainer->args;
  if (!args) return words;
  for (const Node* word : args->items()) words.push_back(word->text());
  return words;
}

// Whether an argument key=value turns `item` on.
bool is_enabled(const std::vector<std::string_view>& args, std::string_view item) {
  return std::ranges::any_of(args, [&](std::string_view arg) {
    const size_t equals = arg.find('=');
    return equals != std::string_view::npos && arg.substr(0, equals).find(item) != std::string_view::npos &&
           base::lower_case(base::trimmed(arg.substr(equals + 1), base::kGoSpace)) == "true";
  });
}

bool is_mentioned(const std::vector<std::string_view>& args, std::string_view item) {
  return std::ranges::any_of(args,
                             [&](std::string_view arg) { return arg.find(item) != std::string_view::npos; });
}

bool uses_lora(const RuntimeInfo& info) {
  return rules_of(info).has_lora && is_mentioned(arguments(info), "model.lora_attn_modules");
}

// DoRA turns QLoRA off.
bool uses_qlora(const RuntimeInfo& info) {
  if (!rules_of(info).has_lora) return false;
  const auto args = arguments(info);
  const auto is_on = rules_of(info).qlora == model::QloraSwitch::True ? is_enabled : is_mentioned;
  return !is_on(args, "model.use_dora") && is_on(args, "model.quantize_base");
}

int64_t counted_gpus(const RuntimeInfo& info) {
  return rules_of(info).counts_gpus ? gpus_per_node(resources_per_node(info)) : 0;
}

Recipe choose_recipe(const RuntimeInfo& info, int64_t num_nodes, const ProcPerNode& processes) {
  if (num_nodes > 1) return {"full_finetune_distributed", "_full_multinode"};
  if (num_nodes != 1) return {"full_finetune_distributed", "_full"};
  const bool single_device = processes.number == 1 || counted_gpus(info) == 1;
  if (uses_qlora(info)) {
    return single_device ? Recipe{"lora_finetune_single_device", "_qlora_single_device"}
                         : Recipe{"lora_finetune_distributed", "_qlora"};
  }
  if (uses_lora(info)) {
    return single_device ? Recipe{"lora_finetune_single_device", "_lora_single_device"}
                         : Recipe{"lora_finetune_distributed", "_lora"};
  }
  return single_device ? Recipe{"full_finetune_single_device", "_full_single_device"}
                       : Recipe{"full_finetune_distributed", "_full"};
}

// The model's name for a runtime: torchtune-llama3.2-1b -> llama3_2/1B; "" if the name doesn't have three
// parts.
std::string model_of(std::string_view runtime_name) {
  const size_t first = runtime_name.find('-');
  const size_t second = first == std::string_view::npos ? first : runtime_name.find('-', first + 1);
  if (second == std::string_view::npos || runtime_name.find('-', second + 1) != std::string_view::npos)
    return "";
  std::string family(runtime_name.substr(first + 1, second - first - 1));
  std::ranges::replace(family, '.', '_');
  return family + "/" + base::upper_case(runtime_name.substr(second + 1));
}

void check_nodes(PluginContext& context, const std::string& model, int64_t num_nodes) {
  if (num_nodes <= 1) return;
  const Node* where = context.info.job->trainer->num_nodes->node;
  if (model != kMultiNodeModel) {
    base::Diagnostic& found = context.findings.add(
        "input/torchtune-nodes", "spec.trainer.numNodes",
        fmt::format("torchtune runs model {} only on one node", model.empty() ? std::string("\"\"") : model),
        where, "write 1");
    base::suggest_fix(found, yaml::replace_scalar(*where, "1"));
  }
  if (!rules_of(context.info).refuses_multi_node_lora) return;
  if (uses_lora(context.info) || uses_qlora(context.info)) {
    base::Diagnostic& found = context.findings.add("input/torchtune-nodes", "spec.trainer.numNodes",
                                                   "torchtune fine-tunes with LoRA only on one node", where,
                                                   "write 1, or remove the LoRA arguments");
    base::suggest_fix(found, yaml::replace_scalar(*where, "1"));
  }
}

void check_qlora(PluginContext& context, const std::string& model, const std::string& config,
                 const ProcPerNode& processes) {
  if (config.find("_qlora") == std::string::npos) return;
  const RuntimeInfo& info = context.info;
  if (model == kModelWithoutQlora) {
    context.findings.add("input/torchtune-qlora", "spec.runtimeRef.name",
                         fmt::format("torchtune has no QLoRA recipe for model {}", model),
                         info.job->runtime_ref.name.node);
  }
  const bool single_device = config.find("_qlora_single_device") != std::string::npos;
  if (single_device || !base::contains(kSmallModels, model)) return;
  const Node* given = info.job->trainer->num_proc_per_node;
  const Node* resources = info.job->trainer->resources_per_node;
  context.findings.add("input/torchtune-qlora", "spec.trainer.numProcPerNode",
                       fmt::format("QLoRA for model {} runs in one process, not {}", model, processes.text()),
                       given ? given : info.job->trainer->node, "write 1, or ask for one GPU");
  context.findings.add("input/torchtune-qlora", "spec.trainer.resourcesPerNode",
                       fmt::format("QLoRA for model {} needs exactly one GPU per node", model),
                       resources ? resources : info.job->trainer->node, "limits: {nvidia.com/gpu: 1}");
}

void check_arguments(PluginContext& context) {
  const Node* args = context.info.job->trainer->args;
  if (!args || !rules_of(context.info).refuses_settings) return;
  size_t index = 0;
  for (const Node* word : args->items()) {
    if (is_setting(context.info, word->text())) {
      base::Diagnostic& found = context.findings.add(
          "input/torchtune-immutable-argument", fmt::format("spec.trainer.args[{}]", index),
          fmt::format("{} is set by the runtime and can't be changed by a job", before_equals(word->text())),
          word, "remove it, or use another runtime");
      base::suggest_fix(found, yaml::remove_at(*context.info.job->trainer->node, {"args", index}));
    }
    ++index;
  }
}

// The settings that are kept of the runtime's own command; only those of its trainer containers count.
NodeList runtime_settings(const RuntimeInfo& info) {
  NodeList settings;
  for (const PodSet& set : info.pod_sets) {
    if (set.ancestor != model::kTrainer) continue;
    for (const Container& container : set.containers) {
      const Node* command = container.name == model::kNode ? container.node->get("command") : nullptr;
      if (!command) continue;
      for (const Node* word : command->items()) {
        if (is_setting(info, word->text())) settings.push_back(word);
      }
    }
  }
  return settings;
}

// Returns false, and reports it, if the job crashes the webhook.
bool check_num_nodes_given(PluginContext& context) {
  const model::Trainer& trainer = *context.info.job->trainer;
  if (trainer.num_nodes || !rules_of(context.info).needs_num_nodes) return true;
  base::Diagnostic& found = context.findings.add(
      "input/torchtune-nodes", "spec.trainer.numNodes",
      "a torchtune job that sets numProcPerNode needs numNodes too: the webhook crashes without it",
      trainer.num_proc_per_node, "add numNodes: 1");
  if (const yaml::Entry* given = trainer.node->find("numProcPerNode"))
    base::suggest_fix(found, yaml::insert_before(*given, {"numNodes: 1", "\"numNodes\": 1"}));
  return false;
}

bool needs_rendezvous(const RuntimeInfo& info, int64_t num_nodes, const ProcPerNode& processes) {
  if (num_nodes > 1) return true;
  if (!rules_of(info).counts_gpus) return processes.number != 1;
  return processes.number ? *processes.number > 1 : counted_gpus(info) > 1;
}

}  // namespace

bool is_torchtune(const RuntimeInfo& info) {
  const Node* command = info.job->trainer ? info.job->trainer->command : nullptr;
  return command && command->size() == 2 && command->items()[0]->text() == "tune" &&
         command->items()[1]->text() == "run";
}

void validate_torchtune(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  const model::LocatedText& runtime = info.job->runtime_ref.name;
  const std::string model = model_of(runtime.value);
  if (!base::contains(rules_of(info).models, model)) {
    context.findings.add(
        "input/torchtune-model", "spec.runtimeRef.name",
        fmt::format("the runtime's name \"{}\" does not say which torchtune model to train", runtime.value),
        runtime.node, "use a name such as torchtune-llama3.2-1b");
  }
  if (!check_num_nodes_given(context)) return;
  const int64_t num_nodes = info.job->trainer->num_nodes ? info.job->trainer->num_nodes->value : 1;
  // The webhook ignores CPUs, and assumes "auto" if there is no number.
  const ProcPerNode processes = read_processes(info.job->trainer->num_proc_per_node);
  const Recipe recipe = choose_recipe(info, num_nodes, processes);
  check_qlora(context, model, model + std::string(recipe.config_suffix), processes);
  check_nodes(context, model, num_nodes);
  check_arguments(context);
}

void expand_torchtune(PluginContext& context, int64_t num_nodes, const ProcPerNode& processes) {
  RuntimeInfo& info = context.info;
  const yaml::Maker& make = context.make;
  const Node* command = info.job->trainer->command;
  const yaml::Origin origin = make.made("torch/torchtune", {command});
  NodeList words = copied_items(command);
  if (needs_rendezvous(info, num_nodes, processes)) {
    words.push_back(make.copied(
        fmt::format("--rdzv_endpoint={}:{}", first_node_address(info), model::kTrainerPort), origin));
  }
  const Recipe recipe = choose_recipe(info, num_nodes, processes);
  words.push_back(make.string(recipe.recipe, origin));
  words.push_back(make.string("--config", origin));
  words.push_back(make.copied(
      fmt::format("{}{}", model_of(info.job->runtime_ref.name.value), recipe.config_suffix), origin));
  const NodeList settings = runtime_settings(info);
  words.insert(words.end(), settings.begin(), settings.end());
  info.trainer_command = make.list(words, command->origin());
}

}  // namespace trainjobc::policy::torch
