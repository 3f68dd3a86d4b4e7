// SPDX-License-Identifier: Apache-2.0

// trainjobc new
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "base/text/layout.h"
#include "base/text/printable.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "features/create/create.h"
#include "features/create/script.h"
#include "inputs/groups.h"
#include "inputs/known_runtimes.h"
#include "k8s/name_syntax.h"
#include "launch/programs.h"
#include "lint/lint.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"

namespace trainjobc::cli {
namespace {

using create::JobRequest;
using create::NewFramework;
using create::RuntimeFacts;

struct NewFlags {
  std::string framework;
  std::string from_runtime;
  std::string from_script;
  std::string launcher;
  JobRequest request;  // all but the command
  std::string command;
  std::vector<std::string> words;  // after "--"
  bool own_runtime = false;
  std::vector<std::string> runtimes;
  std::string trainer_version;
  std::string output;
  const Command* line = nullptr;  // knows which flags were given
};

// The name without a suffix: "llamafactory" for "llamafactory-cli".
std::string_view name_of(const launch::Program& launcher) {
  constexpr std::string_view kSuffix = "-cli";
  std::string_view name = launcher.name;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

// The launchers for which `new` has a command.
std::vector<std::string_view> launcher_names() {
  std::vector<std::string_view> names;
  for (const launch::Program& launcher : launch::programs()) {
    if (!launcher.new_command.empty()) names.push_back(name_of(launcher));
  }
  return names;
}

const launch::Program* find_launcher(std::string_view name) {
  const auto is_meant = [&](const launch::Program& one) {
    return !one.new_command.empty() && (name_of(one) == name || one.name == name);
  };
  const auto found = std::ranges::find_if(launch::programs(), is_meant);
  return found != launch::programs().end() ? &*found : nullptr;
}

std::vector<std::string> framework_names() {
  std::vector<std::string> names;
  for (const NewFramework& one : create::frameworks()) names.emplace_back(one.name);
  return names;
}

// Creates the documents from the flags and, on a terminal, the answers to questions about the rest.
constexpr size_t kRemarkColumns = 98;  // without "# "

class NewJob {
 public:
  NewJob(Console& console, const NewFlags& flags)
      : console_(console),
        flags_(flags),
        wanted_(flags.request),
        configurations_(console.files(), console.environment("TRAINJOBC_CONFIG"), false),
        asks_(console.stdin_is_terminal() && console.stderr_is_terminal()) {}

  int run() {
    for (const auto& step :
         {&NewJob::check_flags, &NewJob::read_script, &NewJob::choose_framework, &NewJob::find_runtime}) {
      if (!(this->*step)()) return kFailed;
    }
    while (true) {
      if (!ask_rest()) return kFailed;
      const create::Draft draft =
          is_own_ ? create::draft_with_runtime(wanted_, *framework_) : create::draft_job(wanted_, facts_);
      if (!check_text(draft)) return kFailed;
      const std::set<std::string> wrong = check(draft);
      if (wrong.empty()) return write(draft.text());
      if (!take_back(wrong)) return kRejected;
    }
  }

 private:
  bool refuse(std::string_view message) const {
    fail(console_, message);
    return false;
  }

  bool check_flags() {
    if (!flags_.output.empty() && flags_.output != "-" && console_.files().exists(flags_.output))
      return refuse(fmt::format("{} exists, and is not overwritten", flags_.output));
    for (const Flag* flag : flags_.line->given_flags) {
      const auto* text = std::get_if<std::string*>(&flag->target);
      if (text && (*text)->empty()) return refuse(fmt::format("{} is empty", flag->long_name()));
    }
    if (!flags_.framework.empty() && !create::find_framework(flags_.framework))
      return refuse(no_framework(flags_.framework));
    if (!flags_.from_runtime.empty() && !flags_.framework.empty())
      return refuse("--from-runtime: the runtime decides on the framework; leave out one of them");
    if (!flags_.command.empty() && !flags_.words.empty()) {
      return refuse(fmt::format("--command: the words after \"--\" are {}; leave out one of them",
                                flags_.from_script.empty() ? "a command, too" : "for the script's command"));
    }
    return check_launcher() && check_names() && check_amounts();
  }

  bool check_launcher() const {
    if (flags_.launcher.empty()) return true;
    if (!find_launcher(flags_.launcher))
      return refuse(fmt::format("--launcher: there is no command for \"{}\", only for {}", flags_.launcher,
                                fmt::join(launcher_names(), ", ")));
    if (!flags_.command.empty() || !flags_.from_script.empty())
      return refuse("--launcher decides on the command; leave out --command and --from-script");
    if (flags_.framework != "torch" && !flags_.framework.empty())
      return refuse(fmt::format("--launcher: launchers are for torch, not for {}", flags_.framework));
    return true;
  }

  static std::string no_framework(const std::string& name) {
    const std::vector<std::string> names = framework_names();
    const auto meant = base::closest(name, std::vector<std::string_view>(names.begin(), names.end()));
    return fmt::format("there is no framework \"{}\", only {}{}", name, fmt::join(names, ", "),
                       meant ? fmt::format("; did you mean \"{}\"?", *meant) : "");
  }

  // Checks names of objects that are looked up when the pods start: nothing checks them before.
  bool check_names() const {
    constexpr k8s::Form kForm = k8s::Form::DnsSubdomain;
    for (const auto& [flag, name] : {std::pair("--claim", &flags_.request.claim),
                                     std::pair("--dataset-secret", &flags_.request.dataset_secret),
                                     std::pair("--model-secret", &flags_.request.model_secret)}) {
      if (name->empty() || k8s::has_form(kForm, *name)) continue;
      const std::string better = k8s::improved(kForm, *name);
      return refuse(fmt::format("{}: \"{}\" {}{}", flag, *name, k8s::complaint(kForm, *name),
                                better.empty() ? "" : fmt::format("; such as \"{}\"", better)));
    }
    return true;
  }

  // Kubernetes takes a limit of 0 for no limit.
  bool check_amounts() const {
    if (create::is_zero(flags_.request.processes)) return refuse("--processes: a node needs at least one");
    for (const auto& [flag, amount] :
         {std::pair("--cpu", &flags_.request.cpu), std::pair("--memory", &flags_.request.memory),
          std::pair("--shared-memory", &flags_.request.shared_memory)}) {
      if (create::is_zero(*amount))
        return refuse(fmt::format("{}: {} sets no limit; leave out the flag", flag, *amount));
    }
    return true;
  }

  bool read_script() {
    if (flags_.from_script.empty()) return true;
    if (flags_.from_script.ends_with(".ipynb"))
      return refuse(fmt::format("{} is a notebook: jupyter nbconvert --to script makes a script of it",
                                flags_.from_script));
    const auto text = got(console_, console_.files().read(flags_.from_script));
    if (text) script_ = create::read_script(*text);
    return text.has_value();
  }

  bool choose_framework() {
    if (!flags_.from_runtime.empty()) return true;
    std::string name = flags_.framework;
    if (name.empty()) name = script_.framework;
    if (flags_.framework.empty() && !name.empty()) {
      note(console_, fmt::format("{}:{}: imports {}: the framework is {}{}", flags_.from_script, script_.line,
                                 script_.module, name, script_.why.empty() ? "" : ": " + script_.why));
    }
    const std::string names = fmt::format("{}", fmt::join(framework_names(), ", "));
    while (!create::find_framework(name)) {
      if (!name.empty()) fail(console_, no_framework(name));
      const std::string unknown =
          flags_.from_script.empty()
              ? ""
              : fmt::format("{} imports no framework that is known here; ", flags_.from_script);
      if (!asks_) return refuse(fmt::format("{}name the framework ({}) or --from-runtime", unknown, names));
      if (!ask(fmt::format("{}framework ({})", unknown, names), "torch", name)) return false;
    }
    framework_ = create::find_framework(name);
    if (!script_.framework.empty() && script_.framework != name) {
      note(console_, fmt::format("{}:{}: imports {}, but the framework is {}", flags_.from_script,
                                 script_.line, script_.module, name));
    }
    return true;
  }

  // A job's image is only used for MPI's launcher: its nodes get theirs from the runtime.
  bool needs_own_runtime() const {
    return flags_.own_runtime || framework_->runtime.empty() ||
           (framework_->policy == "mpi" && !wanted_.image.empty());
  }

  bool find_runtime() {
    if (framework_ && needs_own_runtime()) return start_own_runtime();
    if (flags_.own_runtime)
      return refuse("--runtime: --from-runtime names another one; leave out one of them");
    if (!wanted_.gang.empty())
      return refuse("--gang: a runtime decides on gangs; add --runtime to write one");
    if (!check_patches()) return false;
    const std::string name = framework_ ? std::string(framework_->runtime) : flags_.from_runtime;
    for (const std::vector<std::string>& paths :
         {std::vector<std::string>(), std::vector<std::string>{"."}}) {
      auto found = inputs::known_runtimes(console_.files(), configurations_,
                                          {paths, flags_.runtimes, {}, flags_.trainer_version});
      if (const auto& error = configurations_.error()) {
        print(console_, *error);
        return false;
      }
      auto known = got(console_, std::move(found));
      if (!known) return false;
      known_ = std::move(known->runtimes);
      if (take_runtime(name)) return check_initializers();
    }
    return refuse(fmt::format("{}there is no runtime \"{}\"{}", framework_ ? "" : "--from-runtime: ", name,
                              base::did_you_mean(name, known_, &inputs::KnownRuntime::name)));
  }

  // Volumes need patches of the runtime, which are other fields in older versions.
  bool check_patches() const {
    const std::string_view flag = !wanted_.claim.empty()           ? "--claim"
                                  : !wanted_.shared_memory.empty() ? "--shared-memory"
                                                                   : "";
    const model::Behaviours* behaviours = model::find_behaviours(flags_.trainer_version);
    if (flag.empty() || !behaviours || behaviours->overrides >= model::OverrideStyle::JobTemplates)
      return true;
    return refuse(fmt::format(
        "{}: Trainer {} has no runtimePatches; {}", flag, flags_.trainer_version,
        framework_ ? "add --runtime to write a runtime that mounts it" : "mount it in the runtime"));
  }

  bool take_runtime(const std::string& name) {
    const auto is_it = [&](const inputs::KnownRuntime& one) {
      return one.name == name && (wanted_.ns.empty() || one.ns.empty() || one.ns == wanted_.ns);
    };
    const auto runtime = std::ranges::find_if(known_, is_it);
    if (runtime == known_.end()) return false;
    auto facts = create::facts_of(runtime->text);
    if (!facts) return false;
    facts_ = std::move(*facts);
    facts_.is_framework_image = runtime->place.empty();
    if (!facts_.ns.empty()) wanted_.ns = facts_.ns;
    runtime_ = Source{runtime->place.empty() ? "catalogue/" + name : runtime->place, runtime->text};
    return true;
  }

  bool start_own_runtime() {
    is_own_ = true;
    if (framework_->command.empty())
      return refuse(fmt::format("--runtime: for {}, copy one of the catalogue: trainjobc runtimes --show {}",
                                framework_->name, framework_->runtime));
    facts_.nodes = create::own_nodes(*framework_);
    return true;
  }

  // A TrainJob's initializers run only if the runtime has a place for them.
  bool check_initializers() const {
    for (const auto& [flag, uri, job] :
         {std::tuple("--dataset", &wanted_.dataset, model::kDatasetInitializer),
          std::tuple("--model", &wanted_.model, model::kModelInitializer)}) {
      if (!uri->empty() && !facts_.steps.contains(job)) {
        return refuse(fmt::format("{}: {} has no {}{}", flag, facts_.name, job,
                                  framework_ ? "; add --runtime to write a runtime that has one" : ""));
      }
    }
    return true;
  }

  // Asks for what is missing; without a terminal, that is an error.
  bool ask_rest() {
    if (!ask_if(wanted_.name.empty(), "--name", "name", "my-job", wanted_.name)) return false;
    if (!find_image() || !find_command()) return false;
    const std::string nodes = std::to_string(facts_.nodes.value_or(1));
    if (asks_ && !ask_if(wanted_.nodes.empty(), "--nodes", "nodes", nodes, wanted_.nodes)) return false;
    const std::string gpus = std::to_string(facts_.gpus.value_or(0));
    if (asks_ && (!framework_ || framework_->uses_gpus) &&
        !ask_if(wanted_.gpus.empty(), "--gpus", "GPUs of each node", gpus, wanted_.gpus))
      return false;
    if (wanted_.gpus == gpus && flags_.request.gpus.empty()) wanted_.gpus.clear();
    return true;
  }

  // An answer that repeats the runtime's image leaves it as it is.
  bool find_image() {
    const std::string image = is_own_ ? "" : facts_.image;
    const std::string example = image.empty() ? "registry.example.com/train:1.0.0" : image;
    const bool is_open = is_own_ || framework_ || (facts_.is_framework_image && !facts_.is_mpi);
    if (is_own_ && wanted_.image.empty() && !asks_)
      return refuse("--image is missing: the runtime needs one");
    if (asks_ && is_open && !ask_if(wanted_.image.empty(), "--image", "image", example, wanted_.image))
      return false;
    if (wanted_.image == example && flags_.request.image.empty()) wanted_.image.clear();
    return is_own_ || !framework_ || !needs_own_runtime() || start_own_runtime();
  }

  bool find_command() {
    if (!wanted_.command.empty()) return true;
    if (!flags_.launcher.empty()) return take_launcher();
    if (!flags_.command.empty()) return take_command(flags_.command);
    if (!flags_.from_script.empty()) return take_script();
    if (!flags_.words.empty()) wanted_.command = flags_.words;
    if (!wanted_.command.empty() && wanted_.command.front().empty())
      return refuse("the command after \"--\" is empty");
    if ((!is_own_ && facts_.has_command) || !wanted_.command.empty()) return true;
    if (!asks_)
      return refuse(fmt::format("the command is missing; give it at the end: -- {}", example_command()));
    std::string answer;
    if (!ask_if(true, "--command", "command", example_command(), answer)) return false;
    return take_command(answer);
  }

  // Takes the launcher's command, with the words after "--" in place of its example's last word.
  bool take_launcher() {
    const auto command = find_launcher(flags_.launcher)->new_command;
    wanted_.command.assign(command.begin(), command.end() - (flags_.words.empty() ? 0 : 1));
    base::append(wanted_.command, flags_.words);
    wanted_.command_is_guess = flags_.words.empty();
    return true;
  }

  std::string example_command() const {
    if (framework_) return std::string(framework_->command);
    const std::string_view like = facts_.has_torch ? "torch" : facts_.is_mpi ? "mpi" : "plain";
    return std::string(create::find_framework(like)->command);
  }

  bool take_command(const std::string& line) {
    auto words = base::split_words(line);
    if (!words) return refuse("--command: a quotation mark has no counterpart");
    if (words->empty() || words->front().empty()) return refuse("--command is empty");
    wanted_.command = std::move(*words);
    return true;
  }

  // The options among the words, such as "--lr" for "--lr=1"; "" stands for other words.
  std::set<std::string_view> given_arguments() const {
    std::set<std::string_view> given;
    for (const std::string_view word : flags_.words)
      given.insert(word.starts_with('-') ? word.substr(0, word.find('=')) : "");
    return given;
  }

  // Composes the command: the framework's launcher, the script in the image, its arguments.
  bool take_script() {
    const std::string example = example_command();
    const std::string file = flags_.from_script.substr(flags_.from_script.rfind('/') + 1);
    auto words = base::split_words(example);
    if (!words || words->empty()) words = {"python", ""};
    words->back() = "/workspace/" + file;
    words->insert(words->end(), flags_.words.begin(), flags_.words.end());
    const std::set<std::string_view> given = given_arguments();
    std::vector<std::string> others;
    std::vector<std::string> missing;
    for (const create::ScriptArgument& argument : script_.arguments) {
      if (given.contains(argument.name.starts_with('-') ? argument.name : "")) continue;
      if (!argument.is_required) {
        others.push_back(argument.default_value.empty()
                             ? argument.name
                             : fmt::format("{} ({})", argument.name, argument.default_value));
      } else if (!asks_) {
        missing.push_back(argument.name);
      } else if (!ask_argument(argument, file, *words)) {
        return false;
      }
    }
    if (!missing.empty())
      return refuse(fmt::format("{} needs {}: give {} after \"--\"", file, fmt::join(missing, ", "),
                                missing.size() == 1 ? "it" : "them"));
    wanted_.command = std::move(*words);
    wanted_.command_is_guess = true;
    if (!others.empty()) {
      const std::string line = base::one_line(fmt::format("{} also takes {}", file, fmt::join(others, ", ")));
      const std::string lines = base::wrap(line, kRemarkColumns, 0);
      for (const std::string_view part : base::Lines(lines)) wanted_.remarks.emplace_back(part);
    }
    return true;
  }

  bool ask_argument(const create::ScriptArgument& argument, const std::string& file,
                    std::vector<std::string>& words) {
    std::string value;
    while (value.empty()) {
      if (!ask(fmt::format("{} of {}", argument.name, file), "", value)) return false;
    }
    const bool is_long = argument.name.starts_with("--");
    if (argument.name.starts_with('-') && !is_long) words.push_back(argument.name);
    words.push_back(is_long ? argument.name + "=" + value : value);
    return true;
  }

  // False if there is no answer, which has been reported.
  bool ask(const std::string& question, const std::string& otherwise, std::string& answer) {
    console_.write_stderr(otherwise.empty() ? fmt::format("{}: ", question)
                                            : fmt::format("{} [{}]: ", question, otherwise));
    const auto line = console_.read_line();
    if (!line) {
      console_.write_stderr("\n");
      return refuse("no answer: nothing is written");
    }
    answer = line->empty() ? otherwise : *line;
    return true;
  }

  bool ask_if(bool is_missing, std::string_view flag, const std::string& question,
              const std::string& otherwise, std::string& answer) {
    if (!is_missing || answered_.contains(flag)) return true;
    if (!asks_) return refuse(fmt::format("{} is missing", flag));
    answered_.emplace(flag);
    return ask(question, otherwise, answer);
  }

  // Clears wrong answers, so that ask_rest asks again; false if anything else is wrong.
  bool take_back(const std::set<std::string>& wrong) {
    if (!std::ranges::includes(answered_, wrong)) return false;
    for (const auto& [flag, answer] :
         {std::pair("--name", &wanted_.name), std::pair("--image", &wanted_.image),
          std::pair("--nodes", &wanted_.nodes), std::pair("--gpus", &wanted_.gpus)}) {
      if (wrong.contains(flag)) answer->clear();
    }
    if (wrong.contains("--command")) wanted_.command.clear();
    for (const std::string& flag : wrong) answered_.erase(flag);
    return true;
  }

  bool check_text(const create::Draft& draft) const {
    const auto line = std::ranges::find_if(
        draft.lines, [](const create::DraftLine& one) { return base::to_valid_utf8(one.text) != one.text; });
    return line == draft.lines.end() ||
           refuse(
               fmt::format("{}: its text is not UTF-8", line->flag.empty() ? "--from-script" : line->flag));
  }

  // The flags at fault, by name; "" for findings without one.
  std::set<std::string> check(const create::Draft& draft) {
    std::vector<inputs::InputGroup> groups(1);
    inputs::InputGroup& group = groups.front();
    const std::string file = flags_.output.empty() ? "job.yaml" : flags_.output;
    group.config = configurations_.of_file(file);
    group.inputs.push_back({file, draft.text()});
    if (!is_own_) group.runtimes.push_back(runtime_);
    group.use_catalogue = false;
    if (!flags_.trainer_version.empty()) group.trainer_version = flags_.trainer_version;
    Options options;
    options.render = false;
    const inputs::GroupedCompilation compiled = inputs::find_in_groups(std::move(groups), options);
    const base::Diagnostics found = lint::apply_configs(compiled.governed);
    std::set<std::string> wrong;
    std::set<std::pair<std::string_view, std::string_view>> said;
    for (const base::Diagnostic& one : found.items()) {
      if (one.severity == base::Severity::Info) continue;
      const bool is_here = one.location.file && one.location.file->name() == file;
      const std::string_view flag = is_here ? draft.flag_at(one.location.line) : std::string_view();
      wrong.emplace(flag);
      if (!flag.empty() && !said.emplace(flag, one.rule).second)
        continue;  // already said for the other document
      say(one, flag);
    }
    return wrong;
  }

  void say(const base::Diagnostic& found, std::string_view flag) {
    if (flag.empty()) {
      console_.write_stderr(base::format_text(found, {false, console_.stderr_width()}));
      return;
    }
    const std::string hint = found.hint.empty() ? "" : fmt::format("; {}", found.hint);
    fail(console_, fmt::format("{}: {}{} [{}]", flag, found.message, hint, found.rule));
  }

  // Notes what can't be seen in the script.
  void note_script() const {
    if (!script_.unread.empty() && flags_.words.empty() && flags_.command.empty()) {
      note(console_,
           fmt::format("{}: {}: its arguments are not known here; give them after \"--\"", flags_.from_script,
                       script_.unread == "subcommands" ? "it has subcommands" : "imports " + script_.unread));
    }
    constexpr std::string_view kAlone[] = {"", "0", "1"};
    const bool is_alone = std::ranges::all_of(
        std::array{&wanted_.nodes, &wanted_.gpus, &wanted_.processes},
        [&](const std::string* number) { return std::ranges::count(kAlone, *number) > 0; });
    if (script_.module == "torch" && !is_alone)
      note(console_, fmt::format("{} does not import torch.distributed: unless another module of yours does, "
                                 "each process trains alone",
                                 flags_.from_script));
  }

  int write(const std::string& text) {
    note_script();
    if (!is_own_ && !asks_ && facts_.is_mpi && facts_.is_framework_image) {
      note(console_, fmt::format("the nodes run {}, the image of {}; --image writes a runtime with yours",
                                 facts_.image, facts_.name));
    }
    if (flags_.output.empty() || flags_.output == "-") return print_manifests(console_, text);
    if (const auto error = console_.files().write(flags_.output, text, 0666))
      return fail(console_, error->message);
    note(console_, fmt::format("{} is written", flags_.output));
    return kOk;
  }

  Console& console_;
  const NewFlags& flags_;
  JobRequest wanted_;
  inputs::Configurations configurations_;
  bool asks_;
  std::set<std::string, std::less<>> answered_;  // flags that were asked for
  create::ScriptFacts script_;
  const NewFramework* framework_ = nullptr;  // nullptr if the runtime decides
  bool is_own_ = false;                      // a runtime is written too
  std::vector<inputs::KnownRuntime> known_;
  RuntimeFacts facts_;
  Source runtime_;
};

void add_resource_flags(Command& command, NewFlags& flags) {
  command.add("--nodes", &flags.request.nodes, "Number of nodes").takes("NUMBER");
  command.add("--gpus", &flags.request.gpus, "NVIDIA GPUs of each node; 0 for none").takes("NUMBER");
  command.add("--processes", &flags.request.processes, "Processes of each node, if not one for each GPU")
      .takes("NUMBER");
  command.add("--cpu", &flags.request.cpu, "CPUs of each node").takes("QUANTITY");
  command.add("--memory", &flags.request.memory, "Memory of each node").takes("QUANTITY");
  command.add("--shared-memory", &flags.request.shared_memory, "Size of /dev/shm, for data loaders")
      .takes("QUANTITY");
}

std::optional<std::string> read_path(const std::string& text) {
  return text.starts_with('/') && text != "/" ? std::optional(text) : std::nullopt;
}

void add_data_flags(Command& command, NewFlags& flags) {
  command
      .add("--dataset", &flags.request.dataset, "Fetch this dataset first: hf://ORG/NAME, s3://BUCKET/PATH")
      .takes("URI");
  command.add("--dataset-secret", &flags.request.dataset_secret, "Secret with the credentials for it")
      .takes("NAME")
      .needs("--dataset");
  command.add("--model", &flags.request.model, "Fetch this model first").takes("URI");
  command.add("--model-secret", &flags.request.model_secret, "Secret with the credentials for it")
      .takes("NAME")
      .needs("--model");
  command.add("--claim", &flags.request.claim, "PersistentVolumeClaim for checkpoints").takes("NAME");
  command.add("--claim-path", &flags.request.claim_path, "Where it is mounted")
      .takes("DIR")
      .reads(read_path, "an absolute path")
      .needs("--claim")
      .shows_default();
}

void add_runtime_flags(Command& command, NewFlags& flags) {
  command
      .add("--runtime", &flags.own_runtime,
           "Write a runtime, too: a TrainingRuntime if there is a namespace, otherwise a "
           "ClusterTrainingRuntime")
      .excludes("--from-runtime");
  command.add("--gang", &flags.request.gang, "Start all pods or none; needs --runtime")
      .one_of({"coscheduling", "volcano"});
  command.add("--runtimes", &flags.runtimes, "File or directory with runtimes that --from-runtime can name")
      .takes("PATH");
  add_version_flag(command, "--trainer-version", flags.trainer_version, "Trainer version of the cluster",
                   false);
}

}  // namespace

std::function<int(Console&)> setup_new(Command& command) {
  auto flags = std::make_shared<NewFlags>();
  command.add("FRAMEWORK", &flags->framework, fmt::format("{}", fmt::join(framework_names(), ", ")))
      .takes("FRAMEWORK");
  Flag& words = command.add("WORD", &flags->words, "The command; with --from-script, the script's arguments");
  words.after_dashes = true;
  command.add("--name", &flags->request.name, "Name of the TrainJob").takes("NAME");
  command.add("-n,--namespace", &flags->request.ns, "Its namespace").takes("NAME");
  command.add("--image", &flags->request.image, "Image with the training code").takes("IMAGE");
  command.add("--command", &flags->command, "The command in one word, split as a shell would")
      .takes("COMMAND");
  command.add("--from-runtime", &flags->from_runtime, "Use this runtime of the workspace or the catalogue")
      .takes("RUNTIME");
  command
      .add("--from-script", &flags->from_script,
           "Choose framework and command by what this Python script imports; it is read, not run")
      .takes("FILE");
  command
      .add("--launcher", &flags->launcher,
           fmt::format("Start one of {}; the words after \"--\" are its own",
                       fmt::join(launcher_names(), ", ")))
      .takes("NAME");
  add_resource_flags(command, *flags);
  command.add("--queue", &flags->request.queue, "Kueue's LocalQueue").takes("NAME");
  add_data_flags(command, *flags);
  add_runtime_flags(command, *flags);
  command
      .add("-o,--output", &flags->output, "File to write to, which must not exist; default: standard output")
      .takes("FILE");
  command.details = {
      "On a terminal, asks for what the flags leave open. Elsewhere --name, and the command if the runtime "
      "has none, must be given.",
      "What lint would report is reported against the flag that caused it, and nothing is written. Comments "
      "in the output "
      "are at values to look at."};
  command.variables = {{std::string(kConfigVariable), "The configuration file."}};
  command.exit_statuses = {{0, "written"}, {1, "lint would report a finding"}, {2, "usage or I/O error"}};
  command.examples = {
      "trainjobc new torch --name bert --nodes 4 --gpus 8 -- torchrun train.py",
      "trainjobc new --from-runtime torch-h100 -o jobs/bert.yaml --name bert --gpus 8 -- torchrun train.py",
      "trainjobc new torch --launcher llamafactory --name sft --gpus 8 -- /workspace/sft.yaml",
      "trainjobc new --from-script train.py --name first"};
  flags->line = &command;
  return [flags](Console& console) { return NewJob(console, *flags).run(); };
}

}  // namespace trainjobc::cli
