// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/trained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice {

using launch::base_name;
using launch::Launch;
using launch::launch_of;
using policy::Framework;
using yaml::Node;

namespace {

void add_starts(std::string_view replicated_job, TrainingContainer& trained) {
  const Node& admitted = trained.context.admitted_job_set;
  const k8s::jobset::JobSetView view = k8s::jobset::view_job_set(admitted);
  const auto job = std::ranges::find(view.jobs, replicated_job, &k8s::jobset::ReplicatedJob::name);
  if (job == view.jobs.end() || !job->job_spec) return;
  const bool has_more = !yaml::items_at(*trained.container, "envFrom").empty();
  for (size_t pod = 0; pod < trained.starts.size(); ++pod) {
    const launch::PodPlace place{text_at(admitted, {"metadata", "namespace"}), view.name, &*job, 0,
                                 static_cast<int64_t>(pod)};
    const auto env = launch::environment_of(*trained.container, place);
    trained.starts[pod] =
        launch::start_of(trained.launch, {env, has_more, launch::visible_gpus(*trained.container)});
  }
}

}  // namespace

std::optional<TrainingContainer> trained_of(const AdviceContext& context) {
  if (!context.job.trainer || context.merged.is_mpi()) return std::nullopt;
  const TrainerPlace trainer = trainer_of(context.merged);
  const Node* container = trainer.set ? rendered_node(context.admitted_job_set, trainer.set->name) : nullptr;
  if (!container) return std::nullopt;
  TrainingContainer trained{
      context, policy::framework_of(context.merged), container, {context, *container}, 1, {}, {}};
  if (trained.framework) {
    trained.nodes = rendered_number(context.admitted_job_set, trained.framework->nodes).value_or(1);
    trained.launch = launch_of(trained.words());
    if (trained.has_launchers() && trained.launch.launcher) add_starts(trainer.set->name, trained);
  }
  return trained;
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

namespace {

// Whether the word is, or contains, a flag or variable that tells a script its rank, or where the others are.
bool mentions_ranks(std::string_view word, const Framework& framework) {
  constexpr std::array<std::string_view, 6> kVariables{"RANK",   "WORLD_SIZE",           "MASTER_ADDR",
                                                       "NNODES", "JOB_COMPLETION_INDEX", "HOSTNAME"};
  constexpr std::array<std::string_view, 12> kFlags{
      "--rank",     "--node-rank", "--world-size", "--master-addr", "--master-address", "--init-method",
      "--dist-url", "--nnodes",    "--num-nodes",  "--dist-init",   "--machine-rank",   "--local-rank"};
  const std::string_view family = framework.env_family.substr(0, framework.env_family.find('*'));
  if (!family.empty() && word.find(family) != std::string_view::npos) return true;
  for (const std::string_view name : kVariables) {
    if (word.find(name) != std::string_view::npos) return true;
  }
  std::string text = base::lower_case(word);
  std::ranges::replace(text, '_', '-');
  return std::ranges::any_of(kFlags,
                             [&](std::string_view flag) { return text.find(flag) != std::string::npos; });
}

}  // namespace

bool sets_ranks(const TrainingContainer& trained) {
  constexpr std::array<std::string_view, 4> kVariables{"RANK", "WORLD_SIZE", "MASTER_ADDR", "NODE_RANK"};
  const auto env = yaml::items_at(*trained.container, "env");
  if (std::ranges::any_of(kVariables, [&](std::string_view name) { return yaml::find_named(env, name); }))
    return true;
  if (!yaml::items_at(*trained.container, "envFrom").empty()) return true;
  return std::ranges::any_of(trained.words(),
                             [&](std::string_view word) { return mentions_ranks(word, *trained.framework); });
}

std::optional<int64_t> wanted_per_node(const TrainingContainer& trained) {
  const policy::RuntimeInfo& info = trained.context.merged;
  const Node* given = trained.context.job.trainer->num_proc_per_node;
  if (!given) given = info.policy->node->at({trained.framework->field, "numProcPerNode"});
  if (const auto number = given ? given->as_int() : std::nullopt) return number;
  const int64_t gpus = policy::gpus_per_node({trained.container->at({"resources", "limits"}),
                                              trained.container->at({"resources", "requests"}), nullptr});
  return gpus > 0 ? std::optional(gpus) : std::nullopt;
}

namespace {

// The words after the launcher up to the script: -m, pkg.train.
std::vector<std::string> script_words(const Launch& launch) {
  if (!launch.is_module) return {launch.script};
  return {"-m", launch.script};
}

}  // namespace

std::string written_program(const Launch& launch) {
  std::vector<std::string> words = launch.program;
  if (words.front() == "-m") words.clear();  // uv run -m
  if (!launch.script.empty() && launch.program.front() != launch.script) {
    const auto script = script_words(launch);
    words.insert(words.end(), script.begin(), script.end());
  }
  return joined(words);
}

std::vector<std::string> words_instead(const Launch& launch) {
  constexpr std::string_view kCommand = " {command}";
  const std::string_view instead = launch.launcher->instead;
  if (!instead.ends_with(kCommand)) return {"-m", std::string(instead)};
  return {"-m", std::string(instead.substr(0, instead.size() - kCommand.size())),
          launch.program[launch.named - 1]};
}

std::string words_for(const Framework& framework, const Launch& launch) {
  std::vector<std::string> words{std::string(framework.env_reader)};
  if (!launch.needs_ranks.empty()) {
    words.insert(words.end(), {"--no_python", std::string(base_name(launch.program.front())), "-c"});
  } else if (launch.launcher && !launch.launcher->instead.empty()) {
    const auto instead = words_instead(launch);
    words.insert(words.end(), instead.begin(), instead.end());
  } else if (!launch.script.empty()) {
    const auto script = script_words(launch);
    words.insert(words.end(), script.begin(), script.end());
  }
  return launch.in_script ? fmt::format("{} …", joined(words)) : fmt::format("[{}, …]", joined(words, ", "));
}

namespace {

// Whether the program has no flags but those that torchrun sets as well: it starts Python with -u.
bool has_no_flags(const Launch& launch) {
  if (launch.launcher) return launch.launcher->is_like_torchrun && !launch.has_flags();
  return std::all_of(launch.program.begin() + 1, launch.program.end(),
                     [](const std::string& word) { return word == "-u"; });
}

}  // namespace

std::vector<base::Edit> start_with_reader(const TrainingContainer& trained, const Launch& launch) {
  const std::string reader(trained.framework->env_reader);
  if (launch.script.empty() || launch.is_one_of_many || !has_no_flags(launch)) return {};
  const bool is_script = launch.program.front() == launch.script;  // such as ./train.py
  const bool is_uv_run = launch.program.front() == "-m";
  if (launch.in_script) {
    std::vector<std::string> was = is_script || is_uv_run ? std::vector<std::string>() : launch.program;
    std::vector<std::string> by{reader};
    for (const std::string& word : script_words(launch)) was.push_back(word), by.push_back(word);
    return trained.command.with(launch.word, joined(was), joined(by));
  }
  const Node* word = trained.command.own_word(launch.word);
  if (!word || word->text() != launch.program.front()) return {};
  if (is_script || is_uv_run) return yaml::split_item(*word, {reader, launch.program.front()});
  auto edits = yaml::replace_text(*word, reader);
  const size_t others = launch.program.size() - 1;
  if (edits.empty() || others == 0) return edits;
  const auto removed = trained.command.without(launch.word + 1, others);
  edits.insert(edits.end(), removed.begin(), removed.end());
  return removed.empty() ? std::vector<base::Edit>() : edits;
}

std::vector<base::Edit> start_instead(const TrainingContainer& trained, const Launch& launch) {
  std::vector<std::string> words{std::string(trained.framework->env_reader)};
  base::append(words, words_instead(launch));
  const std::span<const std::string> named(launch.program.data(), launch.named);
  if (launch.in_script) return trained.command.with(launch.word, joined(named), joined(words));
  const Node* word = trained.command.own_word(launch.word);
  if (!word || word->text() != launch.program.front()) return {};
  auto edits = yaml::split_item(*word, words);
  if (edits.empty() || launch.named == 1) return edits;
  const auto removed = trained.command.without(launch.word + 1, launch.named - 1);
  base::append(edits, removed);
  return removed.empty() ? std::vector<base::Edit>() : edits;
}

std::vector<base::Edit> start_code_with_reader(const TrainingContainer& trained, const Launch& launch) {
  const std::string& python = launch.program.front();
  const std::vector<std::string> words{std::string(trained.framework->env_reader), "--no_python", python};
  if (launch.in_script) return trained.command.with(launch.word, python + " -c", joined(words) + " -c");
  const Node* word = trained.command.own_word(launch.word);
  return word ? yaml::split_item(*word, words) : std::vector<base::Edit>();
}

bool is_this_host(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "0.0.0.0";
}

std::string foreign_pod(const AdviceContext& context, std::string_view host) {
  return fmt::format("{} is not a pod of this job, whose first node is {}", host,
                     policy::first_node_address(context.merged));
}

}  // namespace trainjobc::compile::advice
