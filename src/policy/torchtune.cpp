// torchtune: the command [tune, run] becomes the recipe and config that fit the job's model, nodes, processes
// and arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/names.h"
#include "policy/build_nodes.h"
#include "policy/torch.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

constexpr std::array<std::string_view, 4> kModels{"llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B"};
constexpr std::string_view kMultiNodeModel = "llama3_3/70B";
constexpr std::string_view kQwen = "qwen2_5/1.5B";

// Settings of the runtime's command that a job can't change.
constexpr std::array<std::string_view, 4> kImmutable{"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir",
                                                     "tokenizer.merges_file"};

struct Recipe {
  std::string_view recipe;
  std::string_view config_suffix;
};

std::string_view before_equals(std::string_view text) { return text.substr(0, text.find('=')); }

bool is_immutable(std::string_view setting) {
  return std::ranges::find(kImmutable, before_equals(setting)) != kImmutable.end();
}

std::vector<std::string_view> arguments(const RuntimeInfo& info) {
  std::vector<std::string_view> words;
  const Node* args = info.job->trainer->args;
  if (!args) return words;
  for (const Node* word : args->items()) words.push_back(word->text());
  return words;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_true(std::string_view text) {
  constexpr std::string_view kTrue = "true";
  return text.size() == kTrue.size() && std::ranges::equal(text, kTrue, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
         });
}

// Whether an argument key=value switches `item` on.
bool is_enabled(const std::vector<std::string_view>& args, std::string_view item) {
  return std::ranges::any_of(args, [&](std::string_view arg) {
    const size_t equals = arg.find('=');
    return equals != std::string_view::npos && arg.substr(0, equals).find(item) != std::string_view::npos &&
           is_true(trimmed(arg.substr(equals + 1)));
  });
}

bool uses_lora(const std::vector<std::string_view>& args) {
  return std::ranges::any_of(
      args, [](std::string_view arg) { return arg.find("model.lora_attn_modules") != std::string_view::npos; });
}

// DoRA switches QLoRA off.
bool uses_qlora(const std::vector<std::string_view>& args) {
  return !is_enabled(args, "model.use_dora") && is_enabled(args, "model.quantize_base");
}

Recipe choose_recipe(int64_t num_nodes, const ProcPerNode& processes, int64_t gpus,
                     const std::vector<std::string_view>& args) {
  if (num_nodes > 1) return {"full_finetune_distributed", "_full_multinode"};
  if (num_nodes != 1) return {"full_finetune_distributed", "_full"};
  const bool single_device = processes.number == 1 || gpus == 1;
  if (uses_qlora(args)) {
    return single_device ? Recipe{"lora_finetune_single_device", "_qlora_single_device"}
                         : Recipe{"lora_finetune_distributed", "_qlora"};
  }
  if (uses_lora(args)) {
    return single_device ? Recipe{"lora_finetune_single_device", "_lora_single_device"}
                         : Recipe{"lora_finetune_distributed", "_lora"};
  }
  return single_device ? Recipe{"full_finetune_single_device", "_full_single_device"}
                       : Recipe{"full_finetune_distributed", "_full"};
}

// torchtune-llama3.2-1b -> llama3_2/1B; "" where the name hasn't three parts.
std::string model_of(std::string_view runtime_name) {
  const size_t first = runtime_name.find('-');
  const size_t second = first == std::string_view::npos ? first : runtime_name.find('-', first + 1);
  if (second == std::string_view::npos || runtime_name.find('-', second + 1) != std::string_view::npos) return "";
  std::string family(runtime_name.substr(first + 1, second - first - 1));
  std::string size(runtime_name.substr(second + 1));
  std::ranges::replace(family, '.', '_');
  std::ranges::transform(size, size.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return family + "/" + size;
}

bool is_known_model(std::string_view model) { return std::ranges::find(kModels, model) != kModels.end(); }

void check_nodes(PluginContext& context, const std::string& model, int64_t num_nodes) {
  if (num_nodes <= 1) return;
  const Node* where = context.info.job->trainer->num_nodes->node;
  if (model != kMultiNodeModel) {
    context.findings.error("input/torchtune-nodes", "spec.trainer.numNodes",
                           fmt::format("torchtune runs model {} on one node only",
                                       model.empty() ? std::string("\"\"") : model),
                           where, "write 1");
  }
  const auto args = arguments(context.info);
  if (uses_lora(args) || uses_qlora(args)) {
    context.findings.error("input/torchtune-nodes", "spec.trainer.numNodes",
                           "torchtune fine-tunes with LoRA on one node only", where, "write 1, or drop the LoRA arguments");
  }
}

void check_qlora(PluginContext& context, const std::string& model, const std::string& config,
                 const ProcPerNode& processes) {
  if (config.find("_qlora") == std::string::npos) return;
  const RuntimeInfo& info = context.info;
  if (model == kQwen) {
    context.findings.error("input/torchtune-qlora", "spec.runtimeRef.name",
                           fmt::format("torchtune has no QLoRA recipe for model {}", model),
                           info.job->runtime_ref.name.node);
  }
  const bool single_device = config.find("_qlora_single_device") != std::string::npos;
  if (single_device || (model != kModels[0] && model != kModels[1])) return;
  const Node* given = info.job->trainer->num_proc_per_node;
  const Node* resources = info.job->trainer->resources_per_node;
  context.findings.error("input/torchtune-qlora", "spec.trainer.numProcPerNode",
                         fmt::format("QLoRA of model {} runs in one process, not {}", model, processes.text()),
                         given ? given : info.job->trainer->node, "write 1, or ask for one GPU");
  context.findings.error("input/torchtune-qlora", "spec.trainer.resourcesPerNode",
                         fmt::format("QLoRA of model {} needs exactly one GPU a node", model),
                         resources ? resources : info.job->trainer->node, "limits: {nvidia.com/gpu: 1}");
}

void check_arguments(PluginContext& context) {
  const Node* args = context.info.job->trainer->args;
  if (!args) return;
  size_t index = 0;
  for (const Node* word : args->items()) {
    if (is_immutable(word->text())) {
      context.findings.error("input/torchtune-immutable-argument", fmt::format("spec.trainer.args[{}]", index),
                             fmt::format("{} is set by the runtime and can't be changed by a job",
                                         before_equals(word->text())),
                             word, "remove it, or use another runtime");
    }
    ++index;
  }
}

// The webhook knows no CPUs: without a number it reckons with "auto".
ProcPerNode webhook_processes(const RuntimeInfo& info) {
  ProcPerNode processes;
  processes.source = info.job->trainer->num_proc_per_node;
  if (processes.source) processes.number = processes.source->as_int();
  return processes;
}

// The settings in the runtime's own command that stay; only its trainer containers count.
NodeList runtime_settings(const RuntimeInfo& info) {
  NodeList settings;
  for (const PodSet& set : info.pod_sets) {
    if (set.ancestor != model::kTrainer) continue;
    for (const Container& container : set.containers) {
      const Node* command = container.name == model::kNode ? container.node->get("command") : nullptr;
      if (!command) continue;
      for (const Node* word : command->items()) {
        if (is_immutable(word->text())) settings.push_back(word);
      }
    }
  }
  return settings;
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
  if (!is_known_model(model)) {
    context.findings.error("input/torchtune-model", "spec.runtimeRef.name",
                           fmt::format("no torchtune model follows from the runtime's name \"{}\"", runtime.value),
                           runtime.node, "the name must be of the form torchtune-llama3.2-1b");
  }
  const int64_t num_nodes = info.job->trainer->num_nodes ? info.job->trainer->num_nodes->value : 1;
  const ProcPerNode processes = webhook_processes(info);
  const Recipe recipe =
      choose_recipe(num_nodes, processes, gpus_per_node(resources_per_node(info)), arguments(info));
  check_qlora(context, model, model + std::string(recipe.config_suffix), processes);
  check_nodes(context, model, num_nodes);
  check_arguments(context);
}

void expand_torchtune(PluginContext& context, int64_t num_nodes, const ProcPerNode& processes) {
  RuntimeInfo& info = context.info;
  const yaml::Maker& make = context.make;
  const Node* command = info.job->trainer->command;
  const yaml::Origin origin = make.made("torch/torchtune", {command});
  const int64_t gpus = gpus_per_node(resources_per_node(info));
  NodeList words(command->items().begin(), command->items().end());
  const bool distributed = num_nodes > 1 || (processes.number ? *processes.number > 1 : gpus > 1);
  if (distributed) {
    words.push_back(make.copied(
        fmt::format("--rdzv_endpoint={}:{}", first_node_address(info), model::kTrainerPort), origin));
  }
  const Recipe recipe = choose_recipe(num_nodes, processes, gpus, arguments(info));
  words.push_back(make.string(recipe.recipe, origin));
  words.push_back(make.string("--config", origin));
  words.push_back(
      make.copied(fmt::format("{}{}", model_of(info.job->runtime_ref.name.value), recipe.config_suffix), origin));
  const NodeList settings = runtime_settings(info);
  words.insert(words.end(), settings.begin(), settings.end());
  info.trainer_command = make.list(words, command->origin());
}

}  // namespace trainjobc::policy::torch
