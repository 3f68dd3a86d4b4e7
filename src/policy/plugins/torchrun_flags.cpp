// SPDX-License-Identifier: Apache-2.0

// --torchrun flags: for images whose torchrun ignores the environment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "policy/plugins/torch.h"
#include "policy/plugins/torch_elastic.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

// Before 2.0 torchrun knows --nproc_per_node only, since then --nproc-per-node, too.
struct Flag {
  std::string name;
  std::string value;

  std::string with_dashes() const {
    std::string other = name;
    std::ranges::replace(other, '_', '-');
    return other;
  }
};

std::vector<Flag> flags_of(const RuntimeInfo& info, const Container& container, const PodCount& nodes,
                           const ProcPerNode& processes) {
  std::vector<Flag> flags{{"--nnodes", node_range(info, nodes.value)},
                          {"--nproc_per_node", processes.text()},
                          {"--node_rank", "$(PET_NODE_RANK)"},
                          {"--master_addr", first_node_address(info)},
                          {"--master_port", std::to_string(model::kTrainerPort)}};
  for (const ElasticSetting& setting : elastic_settings(info, container))
    flags.push_back({setting.flag(), setting.value});
  return flags;
}

bool is_torchrun(const Node* command) {
  if (!command || command->size() == 0) return false;
  const std::string_view program = command->items().front()->text();
  return program == "torchrun" || program.ends_with("/torchrun");
}

bool sets_flag(const Node& word, const Flag& flag) {
  for (const std::string& name : {flag.name, flag.with_dashes()}) {
    if (word.text() == name) return true;
    if (word.text().starts_with(name) && word.text().substr(name.size()).starts_with('=')) return true;
  }
  return false;
}

// The flags of torchrun that take no value. Source: torch/distributed/run.py.
constexpr std::array<std::string_view, 11> kSwitches{"-h",
                                                     "--help",
                                                     "-m",
                                                     "--module",
                                                     "--standalone",
                                                     "--no-python",
                                                     "--no_python",
                                                     "--run-path",
                                                     "--run_path",
                                                     "--virtual-local-rank",
                                                     "--virtual_local_rank"};

// How many words a flag of torchrun takes; 0 for the script, or what is before it.
size_t words_of_flag(std::string_view word) {
  if (!word.starts_with('-') || word == "-" || word == "--") return 0;
  const bool is_joined = !word.starts_with("--") && word.size() > 2;  // -r3
  const bool has_value = is_joined || word.find('=') != std::string_view::npos;
  return has_value || std::ranges::find(kSwitches, word) != kSwitches.end() ? 1 : 2;
}

}  // namespace

std::vector<const Node*> torchrun_words(const Node* command, const Node* args) {
  if (!is_torchrun(command)) return {};
  NodeList words(command->items().begin(), command->items().end());
  if (args) words.insert(words.end(), args->items().begin(), args->items().end());
  size_t count = 1;
  while (count < words.size()) {
    const size_t taken = words_of_flag(words[count]->text());
    if (taken == 0) break;
    count += taken;
  }
  words.resize(std::min(count, words.size()));
  return words;
}

void write_torchrun_flags(PluginContext& context, const Container& container, const PodCount& nodes,
                          const ProcPerNode& processes) {
  RuntimeInfo& info = context.info;
  const Node* command = info.trainer_command ? info.trainer_command : container.command;
  const Node* args = info.trainer_args ? info.trainer_args : container.node->get("args");
  if (!is_torchrun(command)) {
    context.findings.add("advice/torchrun-flags", "spec.trainer.command",
                         "the command doesn't begin with torchrun, so --torchrun flags changes nothing here",
                         command ? command : info.job->trainer->node);
    return;
  }
  const NodeList own = torchrun_words(command, args);
  NodeList words{command->items().front()};
  for (const Flag& flag : flags_of(info, container, nodes, processes)) {
    const auto given = std::ranges::find_if(own, [&](const Node* word) { return sets_flag(*word, flag); });
    if (given != own.end()) {
      context.findings.add("advice/torchrun-flags", "spec.trainer.command",
                           fmt::format("{} is already set and stays unchanged; the controller's value is {}",
                                       flag.name, flag.value),
                           *given);
      continue;
    }
    words.push_back(context.make.copied(fmt::format("{}={}", flag.name, flag.value),
                                        context.make.made("torch/flags", {command})));
  }
  words.insert(words.end(), command->items().begin() + 1, command->items().end());
  info.trainer_command = context.make.list(words, command->origin());
}

}  // namespace trainjobc::policy::torch
