// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/command_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "secret/secret.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice {
namespace {

using Words = std::vector<std::string>;

bool is_shell(std::string_view program) {
  constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ash", "zsh"};
  return base::contains(kShells, base_name(program));
}

bool is_python(std::string_view program) {
  return base_name(program).starts_with("python");
}

// -c, and a shell's -ec or -lc.
bool takes_script(std::string_view flag) {
  return flag.size() >= 2 && flag.size() <= 6 && flag.front() == '-' && flag[1] != '-' && flag.ends_with('c');
}

// Splits a script at its line breaks, ;, && and |, and drops redirections. Gives up on scripts with more
// syntax.
class ScriptSplitter {
 public:
  explicit ScriptSplitter(std::string_view script) : script_(script) {}

  std::vector<Words> split() {
    for (at_ = 0; at_ < script_.size() && known_; ++at_) take(script_[at_]);
    end_program();
    return known_ && quote_ == 0 ? programs_ : std::vector<Words>();
  }

 private:
  void take(char c) {
    if (quote_ != 0) {
      take_quoted(c);
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
    } else if (c == '\\' && at_ + 1 < script_.size() && script_[at_ + 1] == '\n') {
      ++at_;
    } else if (c == '#' && !in_word_) {
      at_ = std::min(script_.find('\n', at_), script_.size()) - 1;
    } else if (c == '&' && next() == '>') {
      // of &>
    } else if (c == '\n' || c == ';' || c == '&' || c == '|') {
      if (next() == c) ++at_;
      end_program();
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if ((c == '>' || c == '<') && next() != '(' && !script_.substr(at_).starts_with("<<")) {
      redirect();
    } else if (std::string_view("`<>(){}\\").find(c) != std::string_view::npos) {
      known_ = is_variable(c);
      add(c);
    } else {
      add(c);
    }
  }

  char next() const { return at_ + 1 < script_.size() ? script_[at_ + 1] : '\0'; }

  // > file, >> file, 2>&1
  void redirect() {
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear(), in_word_ = false;
    end_word();
    while (next() == '>' || next() == '&') ++at_;
    while (next() == ' ') ++at_;
    is_target_ = true;
  }

  // ${NAME}
  bool is_variable(char c) {
    if (c == '{' && at_ > 0 && script_[at_ - 1] == '$') return in_variable_ = true;
    return c == '}' && std::exchange(in_variable_, false);
  }

  void take_quoted(char c) {
    if (c == quote_) {
      quote_ = 0;
    } else {
      if (quote_ == '"' && (c == '`' || (c == '(' && at_ > 0 && script_[at_ - 1] == '$'))) known_ = false;
      add(c);
    }
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_ && !std::exchange(is_target_, false)) program_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  void end_program() {
    end_word();
    if (!program_.empty()) programs_.push_back(std::move(program_));
    program_.clear();
    is_target_ = false;
  }

  std::string_view script_;
  size_t at_ = 0;
  bool known_ = true;
  char quote_ = 0;
  bool in_word_ = false;
  bool in_variable_ = false;
  bool is_target_ = false;  // of a redirection
  std::string word_;
  Words program_;
  std::vector<Words> programs_;
};

// Whether the word is a NAME=value before a program.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) { return base::is_alnum(c) || c == '_'; });
}

// Drops words that only prepare the start of a program.
void drop_prefix(Words& program) {
  while (!program.empty() &&
         (program.front() == "exec" || program.front() == "env" || is_assignment(program.front()))) {
    program.erase(program.begin());
  }
}

}  // namespace

std::vector<std::string_view> words_of(const CommandLine& line) {
  std::vector<std::string_view> words;
  for (const yaml::Node* list : {line.command, line.args}) {
    for (const yaml::Node* word : yaml::items_of(list)) words.push_back(word->text());
  }
  return words;
}

WordPlace place_of_word(const CommandLine& line, size_t index) {
  const size_t of_command = line.command ? line.command->size() : 0;
  const bool in_args = index >= of_command;
  const size_t item = in_args ? index - of_command : index;
  return {in_args, item, (in_args ? line.args : line.command)->items()[item]};
}

bool is_tune_run(const yaml::Node* command) {
  return command && command->size() == 2 && command->items()[0]->text() == "tune" &&
         command->items()[1]->text() == "run";
}

size_t script_index(const std::vector<std::string_view>& words) {
  if (words.empty() || !(is_shell(words.front()) || is_python(words.front()))) return words.size();
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (takes_script(words[i])) return i + 1;
    if (!words[i].starts_with('-')) break;  // a file, and its arguments
  }
  return words.size();
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<Words> programs_of(const std::vector<std::string_view>& words) {
  if (words.empty()) return {};
  std::vector<Words> programs;
  if (!is_shell(words.front())) {
    programs.push_back(Words(words.begin(), words.end()));
  } else if (const size_t script = script_index(words); script < words.size()) {
    programs = ScriptSplitter(words[script]).split();
  }
  for (Words& program : programs) drop_prefix(program);
  std::erase_if(programs, [](const Words& program) { return program.empty(); });
  return programs;
}

namespace {

// The place of a part of a script, if it is there once and as a word or words of its own.
std::optional<size_t> find_only(std::string_view script, std::string_view part) {
  constexpr std::string_view kBetween = " \t\n;&|()";
  std::optional<size_t> found;
  for (size_t at = script.find(part); at != std::string_view::npos; at = script.find(part, at + 1)) {
    const size_t end = at + part.size();
    const bool is_apart =
        (at == 0 || part.front() == ' ' || kBetween.find(script[at - 1]) != std::string_view::npos) &&
        (end == script.size() || kBetween.find(script[end]) != std::string_view::npos);
    if (!is_apart) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

// The place of a part of a word; the whole word's if that is not known.
base::Location locate_part(const yaml::Node& word, std::string_view part) {
  const auto at = part.empty() ? std::nullopt : find_only(word.text(), part);
  return at ? yaml::WrittenText(word).place_or_all(*at, part.size()) : yaml::locate(word);
}

}  // namespace

JobCommand::JobCommand(const AdviceContext& context, const yaml::Node& container)
    : context_(context),
      line_{container.get("command"), container.get("args")},
      words_(words_of(line_)),
      script_(script_index(words_)) {}

const yaml::Node* JobCommand::own_list(const WordPlace& place) const {
  const model::Trainer& trainer = *context_.job.trainer;
  const yaml::Node* own = place.in_args ? trainer.args : trainer.command;
  return own && own->size() > 0 ? own : nullptr;
}

base::Diagnostic& JobCommand::report(std::string_view rule, size_t index, std::string message,
                                     std::string hint, Advisor& advisor, std::string_view part) const {
  const WordPlace place = place_of_word(line_, index);
  if (!own_list(place)) {
    base::Diagnostic& found =
        advisor.warn(rule, "spec.runtimeRef.name", std::move(message),
                     yaml::locate(*context_.job.runtime_ref.name.node), std::move(hint));
    add_note(found, "the runtime's command", place.word);
    return found;
  }
  base::Diagnostic& found = advisor.warn(
      rule, fmt::format("spec.trainer.{}[{}]", place.in_args ? "args" : "command", place.item),
      std::move(message), locate_part(*place.word, index == script_ ? part : ""), std::move(hint));
  found.hide_source = secret::may_hold_secret(place.word->text());
  return found;
}

// Trainer completes some commands: the words after the job's own are not in its list.
const yaml::Node* JobCommand::own_word(size_t index) const {
  const WordPlace place = place_of_word(line_, index);
  const yaml::Node* own = own_list(place);
  return own && place.item < own->size() ? own->items()[place.item] : nullptr;
}

std::vector<base::Edit> JobCommand::without(size_t index, size_t count, std::string_view part) const {
  if (index == script_) return with(index, fmt::format(" {}", part), "");
  if (!own_word(index)) return {};
  const WordPlace place = place_of_word(line_, index);
  return yaml::remove_items(*own_list(place), place.item, count);
}

std::vector<base::Edit> JobCommand::with(size_t index, std::string_view part, std::string_view by) const {
  const yaml::Node* script = own_word(index);
  const auto at = script ? find_only(script->text(), part) : std::nullopt;
  if (!at) return {};
  // Of the blanks around what is removed, those after it stay.
  const size_t before = script->text().find_last_not_of(' ', *at);
  const size_t begin = by.empty() && before != std::string_view::npos && before < *at ? before + 1 : *at;
  return yaml::WrittenText(*script).replace(begin, *at + part.size() - begin, by);
}

bool is_launcher(std::string_view program) {
  return std::ranges::any_of(policy::registry(), [&](const policy::Plugin* plugin) {
    return base::contains(plugin->framework.launchers, program, &policy::Launcher::program);
  });
}

namespace {

using policy::Framework;
using policy::Launcher;
using Kind = Launch::Kind;

constexpr std::string_view kJoin = "init_process_group";

bool is_module_flag(std::string_view word) {
  return word == "-m" || word == "--module";
}

std::string with_dashes(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.begin() + std::min(word.find('='), word.size()), '_', '-');
  return text;
}

// The launcher that the words from `at` on start, and how many of them name it.
struct Match {
  const Launcher* launcher = nullptr;
  size_t words = 0;
};

Match match_launcher(const Words& words, size_t at, const Framework& framework) {
  const std::string_view name = base_name(words[at]);
  size_t module = words.size();
  if (is_python(name)) {
    module = at + 1;
    while (module < words.size() && words[module].starts_with('-') && words[module] != "-m") ++module;
    module = module < words.size() && words[module] == "-m" ? module + 1 : words.size();
  }
  for (const Launcher& launcher : framework.launchers) {
    if (module < words.size() && words[module] == launcher.module) return {&launcher, module + 1 - at};
    if (launcher.program.empty() || name != launcher.program) continue;
    if (launcher.subcommand.empty()) return {&launcher, 1};
    if (at + 1 < words.size() && words[at + 1] == launcher.subcommand) return {&launcher, 2};
  }
  return {};
}

// source venv/bin/activate, conda activate train
bool activates(const Words& program) {
  if (program.size() < 2) return false;
  const std::string_view name = base_name(program[1]);
  if (program.front() == "source" || program.front() == ".") return name == "activate" || name == "conda.sh";
  return name == "activate" && program.front().ends_with("conda");
}

// Words that only prepare what follows in a script, or the shell's own.
bool starts_nothing(const Words& program) {
  if (activates(program)) return true;
  constexpr std::array<std::string_view, 28> kNames{
      "apt",    "apt-get", "cat", "cd",       "chmod", "cp",    "curl", "date",       "df",  "echo",
      "env",    "export",  "git", "hostname", "ls",    "mkdir", "mv",   "nvidia-smi", "pip", "pip3",
      "printf", "pwd",     "rm",  "set",      "sleep", "tee",   "true", "wget"};
  return base::contains(kNames, base_name(program.front()));
}

// Programs that run the one that follows them.
bool wraps(std::string_view program) {
  constexpr std::array<std::string_view, 16> kNames{
      "conda", "exec", "nohup",   "nice", "nsys",       "numactl", "poetry", "stdbuf",
      "sudo",  "time", "timeout", "uv",   "micromamba", "ncu",     "tini",   "dumb-init"};
  return base::contains(kNames, base_name(program));
}

// A part of a compound command: what it runs may not run.
bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 13> kWords{
      "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function"};
  return base::contains(kWords, word);
}

// The words before the script, and the script itself.
void take_program(const Words& words, size_t at, size_t named, Launch& launch) {
  launch.program.assign(words.begin() + static_cast<ptrdiff_t>(at),
                        words.begin() + static_cast<ptrdiff_t>(at + named));
  for (size_t i = at + named; i < words.size(); ++i) {
    const bool is_module = is_module_flag(words[i]) && i + 1 < words.size();
    if (is_module || words[i].ends_with(".py")) {
      launch.script = words[is_module ? i + 1 : i];
      return;
    }
    launch.program.push_back(words[i]);
  }
}

bool has_any(std::string_view text, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

// Code after -c that may start processes, or read what it is told.
bool may_start_others(std::string_view code) {
  constexpr std::array<std::string_view, 6> kNames{"subprocess", "multiprocessing", "spawn",
                                                   "environ",    "getenv",          "system("};
  return has_any(code, kNames);
}

// Code that meets the other processes by RANK and MASTER_ADDR, and can't have them from elsewhere.
bool meets_by_environment(std::string_view code) {
  constexpr std::array<std::string_view, 8> kElsewhere{"rank=", "store=", "init_method", "://",
                                                       "mpi",   "MPI",    "Store",       "putenv"};
  return code.find(kJoin) != std::string_view::npos && !may_start_others(code) && !has_any(code, kElsewhere);
}

// "" if there is no code after -c.
std::string_view code_of(const Words& program, size_t at) {
  const auto flag = std::ranges::find(program.begin() + static_cast<ptrdiff_t>(at), program.end(), "-c");
  return flag != program.end() && flag + 1 != program.end() ? std::string_view(*(flag + 1)) : "";
}

Kind kind_of_python(const Words& program, size_t at) {
  const std::string_view code = code_of(program, at);
  if (meets_by_environment(code)) return Kind::OneProcess;
  if (may_start_others(code) || code.find("distributed") != std::string_view::npos) return Kind::Unknown;
  // launch.py may well launch.
  const bool launches = std::ranges::any_of(program, [](const std::string& word) {
    return base::lower_case(word).find("launch") != std::string::npos;
  });
  return launches ? Kind::Unknown : Kind::OneProcess;
}

Launch launch_of_program(const Words& words, const Framework& framework) {
  Launch launch;
  if (words.front().find(' ') != std::string::npos) return launch;  // no program has such a name
  const size_t last = wraps(words.front()) ? words.size() : 1;
  for (size_t at = 0; at < last; ++at) {
    const std::string_view name = base_name(words[at]);
    if (const Match match = match_launcher(words, at, framework); match.launcher) {
      launch.kind = Kind::Launcher;
      launch.launcher = match.launcher;
      launch.word = at;
      take_program(words, at, match.words, launch);
      return launch;
    }
    if (is_python(name) || name.ends_with(".py")) {
      launch.kind = kind_of_python(words, at);
      if (meets_by_environment(code_of(words, at))) launch.needs_ranks = kJoin;
      take_program(words, at, is_python(name) ? 1 : 0, launch);
      if (launch.program.empty()) launch.program.push_back(words[at]);
      launch.word = at;
      return launch;
    }
  }
  if (starts_nothing(words)) {
    launch.kind = Kind::OneProcess;
    launch.program = words;
  }
  return launch;
}

// How much a program says about its container: a launcher more than a script that can't be seen, and that
// more than one process.
int weight(const Launch& launch) {
  if (launch.kind == Kind::Launcher) return launch.launcher->reads_env ? 5 : 4;
  if (launch.kind == Kind::Unknown) return 3;
  return launch.is_python() ? 2 : 1;
}

// The line of a script with other syntax that starts a launcher.
Words launcher_line(std::string_view script, const Framework& framework) {
  for (const std::string_view line : base::Lines(script)) {
    Words words;
    for (size_t at = 0; at < line.size();) {
      const size_t begin = line.find_first_not_of(" \t;&|(){}\"'", at);
      if (begin == std::string_view::npos) break;
      at = std::min(line.find_first_of(" \t;&|(){}\"'", begin), line.size());
      words.emplace_back(line.substr(begin, at - begin));
    }
    for (size_t at = 0; at < words.size(); ++at) {
      if (words[at].starts_with('#')) break;
      if (match_launcher(words, at, framework).launcher)
        return {words.begin() + static_cast<ptrdiff_t>(at), words.end()};
    }
  }
  return {};
}

}  // namespace

bool Launch::is_python() const {
  return !program.empty() &&
         (trainjobc::compile::advice::is_python(program.front()) || program.front().ends_with(".py"));
}

std::optional<Launch::Flag> Launch::flag(std::string_view name) const {
  for (size_t i = 1; i < program.size(); ++i) {
    const std::string given = with_dashes(program[i]);
    const size_t at = in_script ? word : word + i;
    if (given == name) {
      const bool has_value = i + 1 < program.size() && !program[i + 1].starts_with("--");
      return Flag{program[i], has_value ? program[i + 1] : "", at, has_value ? size_t{2} : size_t{1}};
    }
    if (given.starts_with(name) && given.substr(name.size()).starts_with('='))
      return Flag{program[i], given.substr(name.size() + 1), at, 1};
  }
  return std::nullopt;
}

Launch launch_of(const std::vector<std::string_view>& words, const Framework& framework) {
  Launch best;
  if (words.empty()) {
    best.kind = Kind::Image;
    return best;
  }
  const size_t script = is_python(words.front()) ? words.size() : script_index(words);
  std::vector<Words> programs = programs_of(words);
  if (programs.empty() && script < words.size()) {
    Words line = launcher_line(words[script], framework);
    if (!line.empty()) programs.push_back(std::move(line));
  }
  bool is_compound = false;
  int found = 0;
  for (Words& program : programs) {
    while (!program.empty() && is_keyword(program.front())) {
      is_compound = true;
      program.erase(program.begin());
    }
    if (program.empty()) continue;
    Launch launch = launch_of_program(program, framework);
    if (weight(launch) <= found) continue;
    found = weight(launch);
    best = std::move(launch);
    best.word += words.size() - std::min(words.size(), program.size());  // those before it
  }
  if (is_compound && best.kind == Kind::OneProcess) return {};
  best.in_script = script < words.size();
  if (best.in_script) best.word = script;
  return best;
}

std::string flag_for(const Framework& framework, std::string_view variable) {
  const size_t prefix = framework.env_family.find('*');
  if (!framework.has_flags || prefix == std::string_view::npos || variable.size() <= prefix) return "";
  return with_dashes("--" + base::lower_case(variable.substr(prefix)));
}

std::optional<Mpirun> mpirun_of(const std::vector<std::string_view>& words) {
  constexpr std::array<std::string_view, 5> kNumbers{"-np", "--np", "-n", "--n", "-c"};
  constexpr std::array<std::string_view, 4> kHosts{"-H", "-host", "--host", "-hosts"};
  constexpr std::array<std::string_view, 12> kPlacements{"--map-by", "-map-by", "--rank-by", "-rank-by",
                                                         "--bynode", "-bynode", "-npernode", "--npernode",
                                                         "-pernode", "-ppn",    "-perhost",  "--rankfile"};
  const size_t script = script_index(words);
  for (const Words& program : programs_of(words)) {
    const std::string_view name = base_name(program.front());
    if (!name.starts_with("mpirun") && !name.starts_with("mpiexec")) continue;
    Mpirun run;
    // The index of the program's word: that of the script which has it.
    const auto index_of = [&](size_t i) {
      return script < words.size() ? script : words.size() - program.size() + i;
    };
    for (size_t i = 1; i < program.size(); ++i) {
      const std::string& word = program[i];
      if (base::contains(kPlacements, word)) run.is_in_order = false;
      if (word.find("oversubscribe") != std::string::npos) run.may_exceed_slots = true;
      if (i + 1 == program.size()) break;
      const std::string& value = program[i + 1];
      if (base::contains(kNumbers, word) && !run.processes) {
        run.processes = base::read_integer(value);
        run.processes_word = index_of(i + 1);
      }
      if (base::contains(kHosts, word) && run.hosts.empty()) {
        run.hosts_flag = word;
        run.hosts_word = index_of(i);
        for (const std::string_view host : base::split(value, ",")) run.hosts.emplace_back(host);
      }
    }
    return run;
  }
  return std::nullopt;
}

namespace {

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
    const auto value = base::read_integer(label.substr(dash + 1));
    if (!value) return std::nullopt;
    number = *value;
    label = label.substr(0, dash);
  }
  return PodName{label, numbers[1], numbers[0]};
}

}  // namespace

bool is_own_pod(const k8s::jobset::JobSetView& job_set, std::string_view host) {
  const auto name = pod_name(host);
  return name && std::ranges::any_of(job_set.jobs, [&](const k8s::jobset::ReplicatedJob& job) {
           const int64_t pods = std::max(job.completions.value_or(1), job.parallelism.value_or(1));
           return name->prefix == fmt::format("{}-{}", job_set.name, job.name) &&
                  name->job_index < job.replicas && name->pod < pods;
         });
}

bool is_foreign_pod(const k8s::jobset::JobSetView& job_set, std::string_view host) {
  if (host.find('$') != std::string_view::npos || host.find('.') == std::string_view::npos) return false;
  return pod_name(host) && !job_set.name.empty() && !is_own_pod(job_set, host);
}

}  // namespace trainjobc::compile::advice
