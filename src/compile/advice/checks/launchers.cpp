// SPDX-License-Identifier: Apache-2.0

// Whether what a container starts trains: as the processes that the job has, and all of them together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/job_command.h"
#include "k8s/jobset/jobset.h"
#include "launch/launch.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::launchers {
namespace {

using launch::base_name;
using launch::flag_for;
using launch::Launch;
using launch::launch_of;
using launch::script_index;
using policy::Framework;
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
  JobCommand command;
  int64_t nodes = 1;
  Launch launch;  // by the framework's launchers

  const std::vector<std::string_view>& words() const { return command.words(); }
  bool has_launchers() const { return framework && !framework->launchers.empty(); }
};

std::optional<Trained> trained_of(const AdviceContext& context) {
  if (!context.job.trainer || context.merged.is_mpi()) return std::nullopt;
  const TrainerPlace trainer = trainer_of(context.merged);
  const Node* container = trainer.set ? rendered_node(context.admitted_job_set, trainer.set->name) : nullptr;
  if (!container) return std::nullopt;
  Trained trained{context, policy::framework_of(context.merged), container, {context, *container}, 1, {}};
  if (trained.framework) {
    trained.nodes = rendered_number(context.admitted_job_set, trained.framework->nodes).value_or(1);
    trained.launch = launch_of(trained.words(), *trained.framework);
  }
  return trained;
}

std::string joined(std::span<const std::string> words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// Jobs that say themselves which process is which.

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
  const auto env = yaml::items_at(*trained.container, "env");
  if (std::ranges::any_of(kVariables, [&](std::string_view name) { return yaml::find_named(env, name); }))
    return true;
  if (!yaml::items_at(*trained.container, "envFrom").empty()) return true;
  return std::ranges::any_of(trained.words(),
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

// The program as a script has it, up to its own script.
std::string written_program(const Launch& launch) {
  std::vector<std::string> words = launch.program;
  if (!launch.script.empty() && launch.program.front() != launch.script) {
    const auto script = script_words(launch);
    words.insert(words.end(), script.begin(), script.end());
  }
  return joined(words);
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
    return trained.command.with(launch.word, joined(was), joined(by));
  }
  const Node* word = trained.command.own_word(launch.word);
  if (!word || word->text() != launch.program.front()) return {};
  if (is_script) return yaml::split_item(*word, {reader, launch.script});
  auto edits = yaml::replace_text(*word, reader);
  const size_t others = launch.program.size() - 1;
  if (edits.empty() || others == 0) return edits;
  const auto removed = trained.command.without(launch.word + 1, others);
  edits.insert(edits.end(), removed.begin(), removed.end());
  return removed.empty() ? std::vector<base::Edit>() : edits;
}

// Puts torchrun before the Python that runs code of the command line.
std::vector<base::Edit> start_code_with_reader(const Trained& trained, const Launch& launch) {
  const std::string& python = launch.program.front();
  const std::vector<std::string> words{std::string(trained.framework->env_reader), "--no_python", python};
  if (launch.in_script) return trained.command.with(launch.word, python + " -c", joined(words) + " -c");
  const Node* word = trained.command.own_word(launch.word);
  return word ? yaml::split_item(*word, words) : std::vector<base::Edit>();
}

// Reports that the program should be started with the framework's own launcher.
base::Diagnostic& report_no_launcher(const Trained& trained, std::string message, Advisor& advisor) {
  const Launch& launch = trained.launch;
  const Framework& framework = *trained.framework;
  return trained.command.report(
      kNoLauncher, launch.word, std::move(message),
      fmt::format("start it with {}: {}", framework.env_reader, words_for(framework, launch)), advisor,
      written_program(launch));
}

void report_nodes_alone(const Trained& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  const std::string_view name = launch.launcher && !launch.launcher->program.empty()
                                    ? launch.launcher->program
                                    : base_name(launch.program.front());
  const std::string what = launch.launcher ? fmt::format("{} starts processes on its own node only", name)
                                           : fmt::format("{} starts one process on each node", name);
  base::Diagnostic& found =
      report_no_launcher(trained,
                         fmt::format("{}, and does not read {}: the {} nodes train alone, each the whole job",
                                     what, trained.framework->env_family, trained.nodes),
                         advisor);
  base::suggest_fix(found, start_with_reader(trained, launch));
}

void report_one_process(const Trained& trained, int64_t wanted, Advisor& advisor) {
  base::Diagnostic& found = report_no_launcher(
      trained,
      fmt::format("{} is one process, and the node is to run {}, unless the script starts the others",
                  base_name(trained.launch.program.front()), wanted),
      advisor);
  base::suggest_fix(found, start_with_reader(trained, trained.launch));
  rules::except(found);
}

void report_no_ranks(const Trained& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  base::Diagnostic& found = report_no_launcher(
      trained,
      fmt::format("{} does not read {}: {} finds no RANK, and fails", base_name(launch.program.front()),
                  trained.framework->env_family, launch.needs_ranks),
      advisor);
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
  if (!launch.needs_ranks.empty()) return report_no_ranks(trained, advisor);
  if (trained.nodes > 1) return report_nodes_alone(trained, advisor);
  const auto wanted = wanted_per_node(trained);
  if (launch.kind == Kind::OneProcess && wanted.value_or(1) > 1)
    report_one_process(trained, *wanted, advisor);
}

// A program that can't be seen starts the processes of a job, or does not.
void check_unseen_script(const Trained& trained, Advisor& advisor) {
  if (script_index(trained.words()) < trained.words().size()) return;
  const auto file = std::ranges::find_if(trained.words(), [](std::string_view word) {
    return word.ends_with(".sh") || word.ends_with(".bash");
  });
  if (file == trained.words().end()) return;
  trained.command.report(kUnseenLauncher, static_cast<size_t>(file - trained.words().begin()),
                         fmt::format("whether {} starts {} on the {} nodes can't be seen here",
                                     base_name(*file), trained.framework->env_reader, trained.nodes),
                         "", advisor);
}

// The same of a launcher with a file of settings, or variables of its own.
void check_unseen_launcher(const Trained& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  const bool is_script = launch.kind == Kind::Unknown;
  const bool is_launcher =
      launch.kind == Kind::Launcher && launch.launcher->may_find_nodes && !knows_nodes(launch);
  if (trained.nodes < 2 || (!is_script && !is_launcher) || sets_ranks(trained)) return;
  if (is_script) return check_unseen_script(trained, advisor);
  trained.command.report(
      kUnseenLauncher, launch.word,
      fmt::format("whether {} finds the job's other nodes can't be seen here", launch.launcher->program), "",
      advisor, written_program(launch));
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
  return base::contains(kImages, repository_of(image));
}

void check_no_command(const Trained& trained, Advisor& advisor) {
  if (trained.command.line().command && trained.command.line().command->size() > 0) return;
  const std::string_view image = text_at(*trained.container, "image");
  if (!opens_shell(image)) return;
  if (trained.words().empty()) {
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
  } else if (trained.words().front().starts_with('-')) {
    trained.command.report(
        "advice/no-command", 0,
        fmt::format("args without a command: the container looks for a program called \"{}\", since "
                    "image \"{}\" starts none itself",
                    trained.words().front(), image),
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
  const auto least = base::read_integer(text.substr(0, colon));
  const auto most = colon == std::string_view::npos ? least : base::read_integer(text.substr(colon + 1));
  return least && most ? std::optional(NodeRange{*least, *most}) : std::nullopt;
}

bool is_this_host(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "0.0.0.0";
}

std::string_view host_in(std::string_view endpoint) {
  return endpoint.substr(0, endpoint.rfind(':'));
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
    const bool has_value = !is_switch && flag.words > 1;
    const std::string written = has_value ? fmt::format("{} {}", flag.name, flag.value) : flag.name;
    base::Diagnostic& found = trained_.command.report(
        kLauncherSetting, flag.word, std::move(message),
        fmt::format("remove it: {} reads {}", framework_.env_reader, variable), advisor_, written);
    base::suggest_fix(found, trained_.command.without(flag.word, has_value ? 2 : 1, written));
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
    const auto number = flag ? base::read_integer(flag->value) : std::nullopt;
    if (!wanted || !number || *wanted == *number) return;
    report(*flag, fmt::format("{} {} replaces the job's numProcPerNode: {}", name, flag->value, *wanted),
           framework_.processes);
  }

  void check_address() {
    const std::string name = flag_for(framework_, framework_.address);
    const auto flag = launch_.flag(name);
    if (!flag) return;
    const bool is_local = trained_.nodes > 1 && is_this_host(flag->value);
    if (!is_local && !k8s::jobset::is_foreign_pod(
                         k8s::jobset::view_job_set(trained_.context.admitted_job_set), flag->value))
      return;
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
    if (k8s::jobset::is_foreign_pod(k8s::jobset::view_job_set(trained.context.admitted_job_set), value))
      return foreign_pod(trained.context, value);
    return trained.nodes > 1 && is_this_host(value)
               ? fmt::format("{} is another host on each of the {} nodes: they never meet", value,
                             trained.nodes)
               : "";
  }
  const auto number = base::read_integer(value);
  if (!number || *number == trained.nodes) return "";
  const std::string nodes = base::counted(trained.nodes, "node");
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

// What the variable must be, where that is one value.
void suggest_value(const Trained& trained, std::string_view name, const Node& value,
                   base::Diagnostic& found) {
  const auto processes = wanted_per_node(trained);
  if (name == "WORLD_SIZE" && processes.value_or(0) > 1) {
    found.hint = fmt::format("write \"{}\" if it counts processes, \"{}\" if nodes",
                             trained.nodes * *processes, trained.nodes);
    return;
  }
  const std::string meant = name == "MASTER_ADDR" ? policy::first_node_address(trained.context.merged)
                                                  : std::to_string(trained.nodes);
  if (meant.empty() || (name == "WORLD_SIZE" && !processes)) return;
  found.hint = fmt::format("write {}", name == "MASTER_ADDR" ? meant : fmt::format("\"{}\"", meant));
  base::suggest_fix(found, yaml::replace_text(value, meant));
}

void check_env_numbers(const Trained& trained, Advisor& advisor) {
  constexpr std::array<std::string_view, 3> kNames{"WORLD_SIZE", "NNODES", "MASTER_ADDR"};
  const bool is_set_by_launcher = trained.launch.launcher && trained.launch.launcher->reads_env;
  const Node* own = trained.context.job.trainer->env;
  for (const Node* item : yaml::items_at(*trained.container, "env")) {
    const std::string_view name = text_at(*item, "name");
    const Node* value = item->get("value");
    if (!value || !base::contains(kNames, name)) continue;
    if (is_set_by_launcher && name != "NNODES") continue;  // torchrun replaces them
    const std::string message = wrong_value(trained, name, value->text());
    if (message.empty()) continue;
    const auto items = yaml::items_of(own);
    const auto at =
        std::ranges::find_if(items, [&](const Node* one) { return text_at(*one, "name") == name; });
    const bool is_own = at != items.end();
    base::Diagnostic& found = advisor.warn(
        kLauncherSetting,
        is_own ? fmt::format("spec.trainer.env[{}].value", at - items.begin()) : "spec.runtimeRef.name",
        fmt::format("{}: {}", name, message),
        yaml::locate(is_own ? *value : *trained.context.job.runtime_ref.name.node));
    if (is_own) {
      suggest_value(trained, name, *value, found);
    } else {
      add_note(found, "the runtime's variable", value);
    }
  }
}

void check_script_numbers(const Trained& trained, Advisor& advisor) {
  for (size_t i = 0; i < trained.words().size(); ++i) {
    std::string flag(trained.words()[i].substr(0, trained.words()[i].find('=')));
    std::ranges::replace(flag, '_', '-');
    if (flag != "--world-size") continue;
    const size_t equals = trained.words()[i].find('=');
    if (equals == std::string_view::npos && i + 1 == trained.words().size()) continue;
    const std::string_view value =
        equals == std::string_view::npos ? trained.words()[i + 1] : trained.words()[i].substr(equals + 1);
    const std::string message = wrong_value(trained, "WORLD_SIZE", value);
    if (!message.empty())
      trained.command.report(kLauncherSetting, i, fmt::format("{}: {}", flag, message), "", advisor);
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

}  // namespace

Checks checks() {
  return {.job = {check_trained}};
}

}  // namespace trainjobc::compile::advice::launchers
