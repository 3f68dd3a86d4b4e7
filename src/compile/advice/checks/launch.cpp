// SPDX-License-Identifier: Apache-2.0

// Whether what a container starts trains: as the processes that the job has, and all of them together.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/command_lines.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::launch {
namespace {

using policy::Framework;
using policy::Launcher;
using yaml::Node;
using Kind = Launch::Kind;

constexpr std::string_view kNoLauncher = "advice/no-launcher";
constexpr std::string_view kUnseenLauncher = "advice/unseen-launcher";
constexpr std::string_view kLauncherSetting = "advice/launcher-setting";

// A container that trains, as the JobSet runs it.
struct Trained {
  const AdviceContext& context;
  const Framework* framework = nullptr;  // nullptr if the runtime has none
  const Node* container = nullptr;
  CommandLine line;
  std::vector<std::string_view> words;
  int64_t nodes = 1;
  Launch launch;  // by the framework's launchers

  bool has_launchers() const { return framework && !framework->launchers.empty(); }
};

// The place of a word of the command line: in the job, or in the runtime that the job refers to.
struct WordPlace {
  base::Location where;
  std::string field;
  const Node* in_runtime = nullptr;
  bool has_secret = false;
};

WordPlace place_of_word(const Trained& trained, size_t index) {
  const size_t of_command = trained.line.command ? trained.line.command->size() : 0;
  const bool in_args = index >= of_command;
  const size_t item = in_args ? index - of_command : index;
  const Node& word = *(in_args ? trained.line.args : trained.line.command)->items()[item];
  const std::string_view key = in_args ? "args" : "command";
  const model::Trainer& trainer = *trained.context.job.trainer;
  const Node* own = in_args ? trainer.args : trainer.command;
  const bool hides = secret::may_hold_secret(word.text());
  if (own && own->size() > 0)
    return {yaml::locate(word), fmt::format("spec.trainer.{}[{}]", key, item), nullptr, hides};
  return {yaml::locate(*trained.context.job.runtime_ref.name.node), "spec.runtimeRef.name", &word, false};
}

base::Diagnostic& report_word(const Trained& trained, std::string_view rule, size_t index,
                              std::string message, std::string hint, Advisor& advisor) {
  WordPlace place = place_of_word(trained, index);
  base::Diagnostic& found =
      advisor.warn(rule, std::move(place.field), std::move(message), place.where, std::move(hint));
  found.hide_source = place.has_secret;
  add_note(found, "the runtime's command", place.in_runtime);
  return found;
}

// A word of the job's own command line.
struct OwnWord {
  const Node* list = nullptr;  // nullptr if it is the runtime's
  size_t item = 0;
};

OwnWord own_word(const Trained& trained, size_t index) {
  const size_t of_command = trained.line.command ? trained.line.command->size() : 0;
  const bool in_args = index >= of_command;
  const model::Trainer& trainer = *trained.context.job.trainer;
  const Node* list = in_args ? trainer.args : trainer.command;
  const size_t item = in_args ? index - of_command : index;
  return list && item < list->size() ? OwnWord{list, item} : OwnWord();
}

// The edits that remove words of the job's own command line.
std::vector<base::Edit> without_words(const Trained& trained, size_t index, size_t count) {
  const OwnWord word = own_word(trained, index);
  return word.list ? yaml::remove_items(*word.list, word.item, count) : std::vector<base::Edit>();
}

std::optional<Trained> trained_of(const AdviceContext& context) {
  if (!context.job.trainer || context.merged.is_mpi()) return std::nullopt;
  const TrainerPlace trainer = trainer_of(context.merged);
  const Node* container = trainer.set ? rendered_node(context.admitted_job_set, trainer.set->name) : nullptr;
  if (!container) return std::nullopt;
  Trained trained{context,   policy::framework_of(context.merged),
                  container, {container->get("command"), container->get("args")},
                  {},        1,
                  {}};
  trained.words = words_of(trained.line);
  if (trained.framework) {
    trained.nodes = rendered_number(context.admitted_job_set, trained.framework->nodes).value_or(1);
    trained.launch = launch_of(trained.words, *trained.framework);
  }
  return trained;
}

std::string joined(std::span<const std::string> words, std::string_view separator = " ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

// The edits that replace some words of the job's own script. Empty if the script doesn't have them once.
std::vector<base::Edit> in_script(const Trained& trained, std::string_view words, std::string_view by) {
  constexpr std::string_view kBetween = " \t\n;&|()";
  const OwnWord word = own_word(trained, trained.launch.word);
  if (!word.list) return {};
  const Node& script = *word.list->items()[word.item];
  const std::string_view text = script.text();
  const size_t at = text.find(words);
  if (at == std::string_view::npos || text.find(words, at + 1) != std::string_view::npos) return {};
  const size_t end = at + words.size();
  const bool is_apart =
      (at == 0 || words.front() == ' ' || kBetween.find(text[at - 1]) != std::string_view::npos) &&
      (end == text.size() || kBetween.find(text[end]) != std::string_view::npos);
  if (!is_apart) return {};
  return yaml::replace_script(script, fmt::format("{}{}{}", text.substr(0, at), by, text.substr(end)));
}

// Jobs that say themselves which process is which.

bool has_env(const Node& container, std::string_view name) {
  return std::ranges::any_of(yaml::items_at(container, "env"),
                             [&](const Node* item) { return text_at(*item, "name") == name; });
}

// Flags and variables by which a script learns its rank, or where the others are.
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

bool sets_ranks(const Trained& trained) {
  constexpr std::array<std::string_view, 4> kVariables{"RANK", "WORLD_SIZE", "MASTER_ADDR", "NODE_RANK"};
  if (std::ranges::any_of(kVariables,
                          [&](std::string_view name) { return has_env(*trained.container, name); }))
    return true;
  if (!yaml::items_at(*trained.container, "envFrom").empty()) return true;
  return std::ranges::any_of(trained.words,
                             [&](std::string_view word) { return mentions_ranks(word, *trained.framework); });
}

// Programs that start one process on each node, or those of their own node only.

// Several processes on a node only if the job asks for them, by a number or by GPUs.
std::optional<int64_t> wanted_per_node(const Trained& trained) {
  const policy::RuntimeInfo& info = trained.context.merged;
  const Node* given = trained.context.job.trainer->num_proc_per_node;
  if (!given) given = info.policy->node->at({trained.framework->field, "numProcPerNode"});
  if (const auto number = given ? given->as_int() : std::nullopt) return number;
  const int64_t gpus = policy::gpus_per_node({trained.container->at({"resources", "limits"}),
                                              trained.container->at({"resources", "requests"}), nullptr});
  return gpus > 0 ? std::optional(gpus) : std::nullopt;
}

// What follows the launcher, up to the script: -m, pkg.train.
std::vector<std::string> script_words(const Launch& launch) {
  if (launch.script.ends_with(".py")) return {launch.script};
  return {"-m", launch.script};
}

std::string words_for(const Framework& framework, const Launch& launch) {
  std::vector<std::string> words{std::string(framework.env_reader)};
  if (!launch.needs_ranks.empty()) {
    words.insert(words.end(), {"--no_python", std::string(base_name(launch.program.front())), "-c"});
  } else if (!launch.script.empty()) {
    const auto script = script_words(launch);
    words.insert(words.end(), script.begin(), script.end());
  }
  return launch.in_script ? fmt::format("{} …", joined(words)) : fmt::format("[{}, …]", joined(words, ", "));
}

// Whether the program is told nothing that torchrun does not do itself: torchrun starts Python with -u.
bool has_no_flags(const Launch& launch) {
  const std::string_view known = launch.is_python() ? "-u" : launch.launcher->subcommand;
  return std::all_of(launch.program.begin() + 1, launch.program.end(),
                     [&](const std::string& word) { return word == known; });
}

// Puts torchrun in the place of Python, or of another launcher.
std::vector<base::Edit> start_with_reader(const Trained& trained, const Launch& launch) {
  const std::string reader(trained.framework->env_reader);
  if (launch.script.empty() || !has_no_flags(launch)) return {};
  const bool is_script = launch.program.front() == launch.script;  // ./train.py
  if (launch.in_script) {
    std::vector<std::string> was = is_script ? std::vector<std::string>() : launch.program;
    std::vector<std::string> by{reader};
    for (const std::string& word : script_words(launch)) was.push_back(word), by.push_back(word);
    return in_script(trained, joined(was), joined(by));
  }
  const OwnWord word = own_word(trained, launch.word);
  if (!word.list || word.list->items()[word.item]->text() != launch.program.front()) return {};
  if (is_script) return yaml::split_item(*word.list->items()[word.item], {reader, launch.script});
  auto edits = yaml::replace_text(*word.list->items()[word.item], reader);
  const size_t others = launch.program.size() - 1;
  if (edits.empty() || others == 0) return edits;
  const auto removed = yaml::remove_items(*word.list, word.item + 1, others);
  edits.insert(edits.end(), removed.begin(), removed.end());
  return removed.empty() ? std::vector<base::Edit>() : edits;
}

// Puts torchrun before the Python that runs code of the command line.
std::vector<base::Edit> start_code_with_reader(const Trained& trained, const Launch& launch) {
  const std::string& python = launch.program.front();
  const std::vector<std::string> words{std::string(trained.framework->env_reader), "--no_python", python};
  if (launch.in_script) return in_script(trained, python + " -c", joined(words) + " -c");
  const OwnWord word = own_word(trained, launch.word);
  return word.list ? yaml::split_item(*word.list->items()[word.item], words) : std::vector<base::Edit>();
}

void report_nodes_alone(const Trained& trained, const Launch& launch, Advisor& advisor) {
  const Framework& framework = *trained.framework;
  const std::string_view name = launch.launcher && !launch.launcher->program.empty()
                                    ? launch.launcher->program
                                    : base_name(launch.program.front());
  const std::string what = launch.launcher ? fmt::format("{} starts processes on its own node only", name)
                                           : fmt::format("{} starts one process on each node", name);
  base::Diagnostic& found = report_word(
      trained, kNoLauncher, launch.word,
      fmt::format("{}, and does not read {}: the {} nodes train alone, each the whole job", what,
                  framework.env_family, trained.nodes),
      fmt::format("start it with {}: {}", framework.env_reader, words_for(framework, launch)), advisor);
  base::suggest_fix(found, start_with_reader(trained, launch));
}

void report_one_process(const Trained& trained, const Launch& launch, int64_t wanted, Advisor& advisor) {
  base::Diagnostic& found = report_word(
      trained, kNoLauncher, launch.word,
      fmt::format("{} is one process, and the node is to run {}, unless the script starts the others",
                  base_name(launch.program.front()), wanted),
      fmt::format("start it with {}: {}", trained.framework->env_reader,
                  words_for(*trained.framework, launch)),
      advisor);
  base::suggest_fix(found, start_with_reader(trained, launch));
  rules::except(found);
}

void report_no_ranks(const Trained& trained, const Launch& launch, Advisor& advisor) {
  const Framework& framework = *trained.framework;
  base::Diagnostic& found = report_word(
      trained, kNoLauncher, launch.word,
      fmt::format("{} does not read {}: {} finds no RANK, and fails", base_name(launch.program.front()),
                  framework.env_family, launch.needs_ranks),
      fmt::format("start it with {}: {}", framework.env_reader, words_for(framework, launch)), advisor);
  base::suggest_fix(found, start_code_with_reader(trained, launch));
}

// Code on the command line that has nothing to do with the framework trains nothing.
bool trains_nothing(const Launch& launch, const Framework& framework) {
  const auto flag = std::ranges::find(launch.program, "-c");
  return flag != launch.program.end() && flag + 1 != launch.program.end() &&
         (flag + 1)->find(framework.title) == std::string::npos;
}

// Whether the launcher knows the other nodes.
bool knows_nodes(const Launch& launch) {
  return launch.launcher->reads_env || std::ranges::any_of(launch.launcher->told, [&](std::string_view flag) {
           return launch.flag(flag).has_value();
         });
}

void check_launcher(const Trained& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  const bool is_alone =
      launch.kind == Kind::OneProcess
          ? launch.is_python()
          : launch.kind == Kind::Launcher && !launch.launcher->may_find_nodes && !knows_nodes(launch);
  if (!is_alone || trains_nothing(launch, *trained.framework) || sets_ranks(trained)) return;
  if (!launch.needs_ranks.empty()) return report_no_ranks(trained, launch, advisor);
  if (trained.nodes > 1) return report_nodes_alone(trained, launch, advisor);
  const auto wanted = wanted_per_node(trained);
  if (launch.kind == Kind::OneProcess && wanted.value_or(1) > 1)
    report_one_process(trained, launch, *wanted, advisor);
}

// A program that can't be seen starts the processes of a job, or does not.
void check_unseen_script(const Trained& trained, Advisor& advisor) {
  if (script_index(trained.words) < trained.words.size()) return;
  const auto file = std::ranges::find_if(
      trained.words, [](std::string_view word) { return word.ends_with(".sh") || word.ends_with(".bash"); });
  if (file == trained.words.end()) return;
  report_word(trained, kUnseenLauncher, static_cast<size_t>(file - trained.words.begin()),
              fmt::format("whether {} starts {} on the {} nodes can't be seen here", base_name(*file),
                          trained.framework->env_reader, trained.nodes),
              "", advisor);
}

// The same of a launcher with a file of settings, or variables of its own.
void check_unseen_launcher(const Trained& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  if (trained.nodes < 2 || sets_ranks(trained)) return;
  if (launch.kind == Kind::Unknown) return check_unseen_script(trained, advisor);
  if (launch.kind != Kind::Launcher || knows_nodes(launch) || !launch.launcher->may_find_nodes) return;
  report_word(
      trained, kUnseenLauncher, launch.word,
      fmt::format("whether {} finds the job's other nodes can't be seen here", launch.launcher->program), "",
      advisor);
}

// Containers that run no program of the user's.

// Images whose own command is a shell or an interpreter, which ends at once without a terminal.
bool opens_shell(std::string_view image) {
  constexpr std::array<std::string_view, 9> kImages{"pytorch/pytorch",
                                                    "python",
                                                    "nvcr.io/nvidia/pytorch",
                                                    "nvcr.io/nvidia/jax",
                                                    "nvcr.io/nvidia/cuda",
                                                    "nvidia/cuda",
                                                    "tensorflow/tensorflow",
                                                    "ubuntu",
                                                    "huggingface/transformers-pytorch-gpu"};
  return std::ranges::find(kImages, repository_of(image)) != kImages.end();
}

void check_no_command(const Trained& trained, Advisor& advisor) {
  if (trained.line.command && trained.line.command->size() > 0) return;
  const std::string_view image = text_at(*trained.container, "image");
  if (!opens_shell(image)) return;
  if (trained.words.empty()) {
    const model::TrainJob& job = trained.context.job;
    const base::Location section = locate_key_of(job.root->get("spec"), "trainer");
    advisor.warn("advice/no-command", "spec.trainer.command",
                 fmt::format("nothing trains: neither the job nor its runtime has a command, and image "
                             "\"{}\" only opens a shell or an interpreter",
                             image),
                 section.file ? section : yaml::locate(*job.runtime_ref.name.node),
                 trained.has_launchers() && !trained.framework->env_reader.empty()
                     ? fmt::format("add a command: [{}, train.py]", trained.framework->env_reader)
                     : "add a command");
  } else if (trained.words.front().starts_with('-')) {
    report_word(trained, "advice/no-command", 0,
                fmt::format("args without a command: the container looks for a program called \"{}\", since "
                            "image \"{}\" starts none itself",
                            trained.words.front(), image),
                "add a command", advisor);
  }
}

// What a launcher or a script is told, against the job.

// The numbers of nodes that "2" or "1:4" allows; nullopt for anything else.
struct NodeRange {
  int64_t least = 0;
  int64_t most = 0;
};
std::optional<NodeRange> node_range(std::string_view text) {
  const size_t colon = text.find(':');
  const auto least = to_number(text.substr(0, colon));
  const auto most = colon == std::string_view::npos ? least : to_number(text.substr(colon + 1));
  return least && most ? std::optional(NodeRange{*least, *most}) : std::nullopt;
}

bool is_this_host(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "0.0.0.0";
}

std::string_view host_in(std::string_view endpoint) {
  return endpoint.substr(0, endpoint.rfind(':'));
}

// A host name as JobSet gives them to pods: <jobset>-<replicatedJob>-<job index>-<pod index>.<subdomain>.
struct PodName {
  std::string_view prefix;  // <jobset>-<replicatedJob>
  int64_t job_index = 0;
  int64_t pod = 0;
};

std::optional<PodName> pod_name(std::string_view host) {
  std::string_view label = host.substr(0, host.find('.'));
  int64_t numbers[2] = {};
  for (int64_t& number : numbers) {
    const size_t dash = label.rfind('-');
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    const auto value = to_number(label.substr(dash + 1));
    if (!value) return std::nullopt;
    number = *value;
    label = label.substr(0, dash);
  }
  return PodName{label, numbers[1], numbers[0]};
}

// Whether the host is a pod of some JobSet, and not one of this. A name with $(JOBSET_NAME) follows the job.
bool is_foreign_pod(const Node& job_set, std::string_view host) {
  if (host.find('$') != std::string_view::npos) return false;
  const auto name = pod_name(host);
  if (!name || host.find('.') == std::string_view::npos) return false;
  const auto view = k8s::jobset::view_job_set(job_set);
  if (view.name.empty()) return false;
  return std::ranges::none_of(view.jobs, [&](const k8s::jobset::ReplicatedJob& job) {
    const int64_t pods = std::max(job.completions.value_or(1), job.parallelism.value_or(1));
    return name->prefix == fmt::format("{}-{}", view.name, job.name) && name->job_index < job.replicas &&
           name->pod < pods;
  });
}

std::string foreign_pod(const AdviceContext& context, std::string_view host) {
  return fmt::format("{} is not a pod of this job, whose first node is {}", host,
                     policy::first_node_address(context.merged));
}

class LauncherSettings {
 public:
  LauncherSettings(const Trained& trained, Advisor& advisor)
      : trained_(trained), framework_(*trained.framework), launch_(trained.launch), advisor_(advisor) {}

  void check() {
    if (trained_.nodes > 1 && !check_alone() && !check_nodes()) check_endpoint();
    check_processes();
    check_address();
  }

 private:
  // A flag that the launcher reads from the environment.
  void report(const Launch::Flag& flag, std::string message, std::string_view variable,
              bool is_switch = false) {
    base::Diagnostic& found =
        report_word(trained_, kLauncherSetting, flag.word, std::move(message),
                    fmt::format("remove it: {} reads {}", framework_.env_reader, variable), advisor_);
    const bool has_value = !is_switch && flag.words > 1;
    const std::string written = has_value ? fmt::format(" {} {}", flag.name, flag.value) : " " + flag.name;
    base::suggest_fix(found, launch_.in_script ? in_script(trained_, written, "")
                                               : without_words(trained_, flag.word, has_value ? 2 : 1));
  }

  bool check_alone() {
    const auto flag = launch_.flag(framework_.alone);
    if (!flag) return false;
    report(*flag,
           fmt::format("{} makes each of the {} nodes wait for itself: they never meet", framework_.alone,
                       trained_.nodes),
           framework_.env_family, true);
    return true;
  }

  bool check_nodes() {
    const std::string name = flag_for(framework_, framework_.nodes);
    const auto flag = launch_.flag(name);
    const auto range = flag ? node_range(flag->value) : std::nullopt;
    if (!range || (range->least <= trained_.nodes && trained_.nodes <= range->most)) return false;
    report(*flag,
           fmt::format("{} {} contradicts the job, which has {} nodes", name, flag->value, trained_.nodes),
           framework_.nodes);
    return true;
  }

  void check_endpoint() {
    const auto flag = launch_.flag(framework_.endpoint);
    if (!flag || !is_this_host(host_in(flag->value))) return;
    report(*flag,
           fmt::format("{} {} is another host on each of the {} nodes: they never meet", framework_.endpoint,
                       flag->value, trained_.nodes),
           framework_.address);
  }

  void check_processes() {
    const Node* given = trained_.context.job.trainer->num_proc_per_node;
    const auto wanted = given ? given->as_int() : std::nullopt;
    const std::string name = flag_for(framework_, framework_.processes);
    const auto flag = launch_.flag(name);
    const auto number = flag ? to_number(flag->value) : std::nullopt;
    if (!wanted || !number || *wanted == *number) return;
    report(*flag, fmt::format("{} {} replaces the job's numProcPerNode: {}", name, flag->value, *wanted),
           framework_.processes);
  }

  void check_address() {
    const std::string name = flag_for(framework_, framework_.address);
    const auto flag = launch_.flag(name);
    if (!flag) return;
    const bool is_local = trained_.nodes > 1 && is_this_host(flag->value);
    if (!is_local && !is_foreign_pod(trained_.context.admitted_job_set, flag->value)) return;
    report(*flag,
           is_local ? fmt::format("{} {} is another host on each of the {} nodes: they never meet", name,
                                  flag->value, trained_.nodes)
                    : foreign_pod(trained_.context, flag->value),
           framework_.address);
  }

  const Trained& trained_;
  const Framework& framework_;
  const Launch& launch_;
  Advisor& advisor_;
};

// Numbers and addresses that the job writes for a script of its own.

// What the value of a variable must be; "" if it may be what it is.
std::string wrong_value(const Trained& trained, std::string_view name, std::string_view value) {
  if (name == "MASTER_ADDR") {
    if (is_foreign_pod(trained.context.admitted_job_set, value)) return foreign_pod(trained.context, value);
    return trained.nodes > 1 && is_this_host(value)
               ? fmt::format("{} is another host on each of the {} nodes: they never meet", value,
                             trained.nodes)
               : "";
  }
  const auto number = to_number(value);
  if (!number || *number == trained.nodes) return "";
  const std::string nodes = fmt::format("{} node{}", trained.nodes, trained.nodes == 1 ? "" : "s");
  if (name == "NNODES") return fmt::format("{} contradicts the job, which has {}", value, nodes);
  // Some count nodes, some processes.
  const auto wanted = wanted_per_node(trained);
  if (!wanted)
    return *number % trained.nodes == 0 ? ""
                                        : fmt::format("{} is not a multiple of the job's {}", value, nodes);
  if (*number == trained.nodes * *wanted) return "";
  return fmt::format("{} is neither the job's {} nor its {} processes", value, nodes,
                     trained.nodes * *wanted);
}

void check_env_numbers(const Trained& trained, Advisor& advisor) {
  constexpr std::array<std::string_view, 3> kNames{"WORLD_SIZE", "NNODES", "MASTER_ADDR"};
  const bool is_set_by_launcher = trained.launch.launcher && trained.launch.launcher->reads_env;
  const Node* own = trained.context.job.trainer->env;
  for (const Node* item : yaml::items_at(*trained.container, "env")) {
    const std::string_view name = text_at(*item, "name");
    const Node* value = item->get("value");
    if (!value || std::ranges::find(kNames, name) == kNames.end()) continue;
    if (is_set_by_launcher && name != "NNODES") continue;  // torchrun replaces them
    const std::string message = wrong_value(trained, name, value->text());
    if (message.empty()) continue;
    const auto items = yaml::items_of(own);
    const auto at =
        std::ranges::find_if(items, [&](const Node* env) { return text_at(*env, "name") == name; });
    const bool is_own = at != items.end();
    base::Diagnostic& found = advisor.warn(
        kLauncherSetting,
        is_own ? fmt::format("spec.trainer.env[{}].value", at - items.begin()) : "spec.runtimeRef.name",
        fmt::format("{}: {}", name, message),
        yaml::locate(is_own ? *value : *trained.context.job.runtime_ref.name.node));
    if (!is_own) add_note(found, "the runtime's variable", value);
  }
}

void check_script_numbers(const Trained& trained, Advisor& advisor) {
  for (size_t i = 0; i < trained.words.size(); ++i) {
    std::string flag(trained.words[i].substr(0, trained.words[i].find('=')));
    std::ranges::replace(flag, '_', '-');
    if (flag != "--world-size") continue;
    const size_t equals = trained.words[i].find('=');
    if (equals == std::string_view::npos && i + 1 == trained.words.size()) continue;
    const std::string_view value =
        equals == std::string_view::npos ? trained.words[i + 1] : trained.words[i].substr(equals + 1);
    const std::string message = wrong_value(trained, "WORLD_SIZE", value);
    if (!message.empty())
      report_word(trained, kLauncherSetting, i, fmt::format("{}: {}", flag, message), "", advisor);
  }
}

void check_trained(const AdviceContext& context, Advisor& advisor) {
  const auto trained = trained_of(context);
  if (!trained) return;
  if (trained->has_launchers()) {
    check_launcher(*trained, advisor);
    check_unseen_launcher(*trained, advisor);
  }
  check_no_command(*trained, advisor);
  const policy::Launcher* launcher = trained->launch.launcher;
  if (launcher && launcher->reads_env && trained->framework->has_flags)
    LauncherSettings(*trained, advisor).check();
  if (trained->has_launchers()) {
    check_env_numbers(*trained, advisor);
    check_script_numbers(*trained, advisor);
  }
}

// mpirun.

// How many processes mpirun may start; nullopt if that is not known. Hydra, of MPICH and Intel MPI, starts
// more than there are slots.
std::optional<int64_t> slots_of(const AdviceContext& context) {
  const auto& implementation = context.merged.policy->mpi->implementation;
  if (implementation && implementation->value != "OpenMPI") return std::nullopt;
  int64_t slots = 0;
  for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(context.admitted_job_set).jobs) {
    const bool is_node = job.name == model::kNode ||
                         (context.merged.policy->mpi->run_launcher_as_node && job.name == model::kLauncher);
    if (is_node) slots += job.replicas * job.parallelism.value_or(1);
  }
  const policy::Framework& framework = *policy::framework_of(context.merged);
  const auto each =
      rendered_number(context.admitted_job_set, policy::processes_of(framework, context.merged));
  return each ? std::optional(slots * *each) : std::nullopt;
}

void check_mpirun(const AdviceContext& context, Advisor& advisor) {
  if (!context.merged.is_mpi() || !context.job.trainer) return;
  const Node* container = rendered_node(context.admitted_job_set, model::kLauncher);
  if (!container) return;
  Trained trained{context, nullptr, container, {container->get("command"), container->get("args")},
                  {},      1,       {}};
  trained.words = words_of(trained.line);
  const auto run = mpirun_of(trained.words);
  if (!run) return;
  for (const std::string& host : run->hosts) {
    const std::string_view name = std::string_view(host).substr(0, host.find(':'));
    if (!is_foreign_pod(context.admitted_job_set, name)) continue;
    report_word(trained, kLauncherSetting, 0, fmt::format("mpirun: {} is not a pod of this job", name),
                "remove it: mpirun reads the hostfile", advisor);
  }
  const auto slots = run->hosts.empty() ? slots_of(context) : std::nullopt;
  if (!run->processes || !slots || *run->processes <= *slots || run->may_exceed_slots) return;
  report_word(
      trained, kLauncherSetting, run->processes_word,
      fmt::format("mpirun refuses to start {} processes: the hostfile has {} slots", *run->processes, *slots),
      "remove the number, or raise numNodes or numProcPerNode", advisor);
}

constexpr JobCheck kJobChecks[] = {check_trained, check_mpirun};

}  // namespace

Checks checks() {
  return {.job = kJobChecks, .runtime = {}};
}

}  // namespace trainjobc::compile::advice::launch
