// SPDX-License-Identifier: Apache-2.0

#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::launch {

bool is_launcher(std::string_view program) {
  return std::ranges::any_of(programs(),
                             [&](const Program& one) { return base::contains(one.programs, program); });
}

namespace {

using Kind = Launch::Kind;

constexpr std::string_view kJoin = "init_process_group";

bool is_module_flag(std::string_view word) {
  return word == "-m" || word == "--module";
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !base::is_digit(word[1]);
}

std::string with_dashes(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.begin() + std::min(word.find('='), word.size()), '_', '-');
  return text;
}

// The index of the word after a flag of Python, and after its value if it takes one.
size_t after_python_flag(const Words& words, size_t at) {
  return at + (words[at] == "-W" || words[at] == "-X" ? 2 : 1);
}

// The program or module that the words from `at` on name.
struct Name {
  std::string_view program;  // "" for a module
  std::string_view module;
  size_t words = 1;
};

Name name_at(const Words& words, size_t at) {
  if (!is_python(words[at]) && words[at] != "-m") return {base_name(words[at]), "", 1};
  size_t i = words[at] == "-m" ? at : at + 1;
  while (i < words.size() && is_flag(words[i]) && words[i] != "-m" && words[i] != "-c")
    i = after_python_flag(words, i);
  if (i + 1 < words.size() && words[i] == "-m") return {"", words[i + 1], i + 2 - at};
  // python /usr/local/bin/torchrun
  if (i < words.size() && !is_flag(words[i])) return {base_name(words[i]), "", i + 1 - at};
  return {};
}

// The launcher that the words from `at` on start, and how many words name it.
struct Match {
  const Program* launcher = nullptr;
  size_t words = 0;
  bool trains = true;  // false if the subcommand is another one
};

// How many words lead to the subcommand: 1 in "yolo train", 2 in "yolo detect train" and "lightning run
// model"; 0 if it is another one.
size_t command_words(const Program& program, const Words& words, size_t at) {
  size_t count = 0;
  for (size_t i = at; i < std::min(at + 2, words.size()) && !is_flag(words[i]); ++i) {
    if (base::contains(program.commands, std::string_view(words[i]))) count = i + 1 - at;
  }
  return count;
}

bool meets(const Launch& launch, std::span<const Condition> when) {
  return std::ranges::all_of(when, [&](const Condition& condition) {
    const auto flag = launch.flag(condition.name);
    return flag && flag->value == condition.value;
  });
}

Match match_launcher(const Words& words, size_t at) {
  const Name name = name_at(words, at);
  if (name.program.empty() && name.module.empty()) return {};
  Match other;
  for (const Program& program : programs()) {
    const bool is_named = name.module.empty() ? base::contains(program.programs, name.program)
                                              : base::contains(program.modules, name.module);
    if (!is_named) continue;
    const size_t command = command_words(program, words, at + name.words);
    if (!program.commands.empty() && command == 0) {
      other = {&program, name.words, false};
      continue;
    }
    Launch flags;
    flags.program.assign(words.begin() + static_cast<ptrdiff_t>(at), words.end());
    if (meets(flags, program.when)) return {&program, name.words + command, true};
  }
  return other;
}

// Whether the command only activates an environment: source venv/bin/activate, conda activate train
bool activates(const Words& program) {
  if (program.size() < 2) return false;
  const std::string_view name = base_name(program[1]);
  if (program.front() == "source" || program.front() == ".") return name == "activate" || name == "conda.sh";
  return name == "activate" && (program.front().ends_with("conda") || program.front().ends_with("mamba"));
}

bool starts_nothing(const Words& program) {
  return activates(program) || is_harmless(program.front());
}

// How many words a flag takes, including its value.
size_t words_of_flag(const Program& launcher, const Words& words, size_t at) {
  const std::string& word = words[at];
  const bool is_joined = !word.starts_with("--") && word.size() > 2;  // -r3
  const bool has_value = is_joined || word.find('=') != std::string::npos;
  if (has_value || base::contains(launcher.switches, std::string_view(with_dashes(word)))) return 1;
  // The word after an unknown flag may be its value; only a .py file is taken for the script.
  return at + 1 < words.size() && !words[at + 1].ends_with(".py") ? 2 : 1;
}

void take_words(const Words& words, size_t begin, size_t end, Words& into) {
  into.insert(into.end(), words.begin() + static_cast<ptrdiff_t>(begin),
              words.begin() + static_cast<ptrdiff_t>(std::min(end, words.size())));
}

void take_script(const Words& words, size_t at, Launch& launch) {
  if (at >= words.size()) return;
  launch.script = words[at];
  take_words(words, at + 1, words.size(), launch.script_arguments);
}

// Takes the words before the script, and the script itself.
void take_launcher(const Words& words, size_t at, const Match& match, Launch& launch) {
  launch.launcher = match.launcher;
  launch.named = match.words;
  take_words(words, at, at + match.words, launch.program);
  if (!match.launcher->has_script) return take_words(words, at + match.words, words.size(), launch.program);
  for (size_t i = at + match.words; i < words.size();) {
    if (words[i] == "--") return take_script(words, i + 1, launch);
    if (!is_flag(words[i])) return take_script(words, i, launch);
    if (is_module_flag(words[i])) {
      // For torchrun, -m is a switch, so other flags may follow it; they rarely do.
      launch.is_module = true;
      if (i + 1 < words.size() && !is_flag(words[i + 1])) return take_script(words, i + 1, launch);
    }
    const size_t taken = words_of_flag(*match.launcher, words, i);
    take_words(words, i, i + taken, launch.program);
    i += taken;
  }
}

void take_python(const Words& words, size_t at, Launch& launch) {
  if (!is_python(words[at]) && words[at] != "-m") {  // ./train.py
    launch.program.push_back(words[at]);
    return take_script(words, at, launch);
  }
  size_t i = words[at] == "-m" ? at : at + 1;
  take_words(words, at, i, launch.program);
  while (i < words.size()) {
    if (words[i] == "-c") return take_words(words, i, words.size(), launch.program);
    if (words[i] == "-m") {
      launch.is_module = true;
      if (launch.program.empty()) launch.program.push_back(words[i]);
      return take_script(words, i + 1, launch);
    }
    if (!is_flag(words[i])) return take_script(words, i, launch);
    const size_t next = after_python_flag(words, i);
    take_words(words, i, next, launch.program);
    i = next;
  }
}

bool has_any(std::string_view text, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

// Whether the code after -c may start processes, or read what it is told.
bool may_start_others(std::string_view code) {
  constexpr std::array<std::string_view, 6> kNames{"subprocess", "multiprocessing", "spawn",
                                                   "environ",    "getenv",          "system("};
  return has_any(code, kNames);
}

// Whether the code meets the other processes by RANK and MASTER_ADDR, and can't get these from elsewhere.
bool meets_by_environment(std::string_view code) {
  constexpr std::array<std::string_view, 10> kElsewhere{"rank=", "store=", "init_method", "://",   "\"mpi\"",
                                                        "'mpi'", "mpi4py", "MPI",         "Store", "putenv"};
  return code.find(kJoin) != std::string_view::npos && !may_start_others(code) && !has_any(code, kElsewhere);
}

// Returns "" if there is no code after -c.
std::string_view code_of(const Words& program, size_t at) {
  const auto flag = std::ranges::find(program.begin() + static_cast<ptrdiff_t>(at), program.end(), "-c");
  return flag != program.end() && flag + 1 != program.end() ? std::string_view(*(flag + 1)) : "";
}

Kind kind_of_python(const Words& program, size_t at) {
  const std::string_view code = code_of(program, at);
  if (meets_by_environment(code)) return Kind::OneProcess;
  if (may_start_others(code) || code.find("distributed") != std::string_view::npos) return Kind::Unknown;
  // A script with "launch" in its name may well be a launcher.
  const bool launches = std::ranges::any_of(program, [](const std::string& word) {
    return base::lower_case(word).find("launch") != std::string::npos;
  });
  return launches ? Kind::Unknown : Kind::OneProcess;
}

Launch launch_of_program(const Words& words) {
  Launch launch;
  if (words.front().find(' ') != std::string::npos) return launch;  // no program has such a name
  launch.word = after_tracer(words);
  Match match = match_launcher(words, launch.word);
  if (launch.word > 0 && !match.trains) match = match_launcher(words, launch.word = 0);
  if (match.launcher && match.trains) {
    launch.kind = Kind::Launcher;
    take_launcher(words, launch.word, match, launch);
  } else if (match.launcher) {
    launch.kind = Kind::OneProcess;
    launch.program = words;
  } else if (is_harmless(name_at(words, 0).module)) {  // python -m pip install
    launch.kind = Kind::OneProcess;
    take_words(words, name_at(words, 0).words - 1, words.size(), launch.program);
  } else if (is_python(words.front()) || words.front() == "-m" || words.front().ends_with(".py")) {
    launch.kind = kind_of_python(words, 0);
    if (meets_by_environment(code_of(words, 0))) launch.needs_ranks = kJoin;
    take_python(words, 0, launch);
  } else if (starts_nothing(words)) {
    launch.kind = Kind::OneProcess;
    launch.program = words;
  }
  return launch;
}

constexpr int kPythonScript = 3;

// How much a program says about its container: a launcher says more than an unknown script, and that more
// than a single process.
int weight(const Launch& launch) {
  if (launch.kind == Kind::Launcher)
    return launch.launcher->is_ray ? 5 : launch.launcher->reads_family() ? 7 : 6;
  if (launch.kind == Kind::Unknown) return 4;
  if (!launch.is_python()) return 1;
  return launch.script.empty() && launch.needs_ranks.empty() ? 2 : kPythonScript;
}

// The script with the lines that a backslash continues in one piece.
std::string with_whole_lines(std::string_view script) {
  std::string text(script);
  for (size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at))
    text.replace(at, 2, 2, ' ');
  return text;
}

// The line that starts a launcher, in a script whose syntax can't be parsed.
Words launcher_line(const std::string& script) {
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
      const Match match = match_launcher(words, at);
      if (match.launcher && match.trains) return {words.begin() + static_cast<ptrdiff_t>(at), words.end()};
    }
  }
  return {};
}

std::vector<Invocation> all_invocations(const std::vector<std::string_view>& words, size_t script) {
  std::vector<Invocation> programs = invocations_of(words);
  if (!programs.empty() || script == words.size()) return programs;
  Invocation line;
  line.words = launcher_line(with_whole_lines(words[script]));
  line.has_more_variables = true;
  if (!line.words.empty()) programs.push_back(std::move(line));
  return programs;
}

}  // namespace

bool Launch::is_python() const {
  return !program.empty() &&
         (launch::is_python(program.front()) || program.front() == "-m" || program.front().ends_with(".py"));
}

std::string_view Launch::name() const {
  if (launcher) return launcher->name;
  if (program.empty()) return "";
  return program.front() == "-m" ? "python" : base_name(program.front());
}

std::optional<Launch::Flag> Launch::flag(std::string_view name) const {
  for (size_t i = 1; i < program.size(); ++i) {
    const std::string given = with_dashes(program[i]);
    const size_t at = in_script ? word : word + i;
    if (given == name) {
      const bool is_switch = launcher && base::contains(launcher->switches, name);
      const bool has_value = !is_switch && i + 1 < program.size() && !program[i + 1].starts_with("--");
      return Flag{program[i], has_value ? program[i + 1] : "", at, has_value ? size_t{2} : size_t{1}};
    }
    if (given.starts_with(name) && given.substr(name.size()).starts_with('='))
      return Flag{program[i], given.substr(name.size() + 1), at, 1};
  }
  return std::nullopt;
}

bool Launch::has_flags() const {
  return program.size() > named;
}

Launch launch_of(const std::vector<std::string_view>& words) {
  Launch best;
  if (words.empty()) {
    best.kind = Kind::Image;
    return best;
  }
  const size_t script = script_index(words);
  bool is_compound = false;
  bool starts_ray = false;
  int found = 0;
  for (const Invocation& program : all_invocations(words, script)) {
    Launch launch = launch_of_program(program.words);
    is_compound = is_compound || program.may_not_run;
    starts_ray = starts_ray || base_name(program.words.front()) == "ray";
    // What trains usually comes after what prepares it.
    const bool is_later_script = found == kPythonScript && weight(launch) == found;
    if (weight(launch) <= found && !is_later_script) continue;
    found = weight(launch);
    best = std::move(launch);
    best.is_one_of_many = is_later_script;
    best.word += program.at;
    best.variables = program.variables;
    best.has_more_variables = program.has_more_variables;
  }
  if (is_compound && best.kind == Kind::OneProcess) return {};
  best.starts_ray = starts_ray;
  best.in_script = script < words.size() && !is_python(words[best.word]);
  if (best.in_script) best.word = script;
  return best;
}

Launch launch_of_script(const Launch& launch) {
  Words words;
  if (launch.is_module) words.emplace_back("-m");
  words.push_back(launch.script);
  base::append(words, launch.script_arguments);
  const Match match = launch.script.empty() ? Match{} : match_launcher(words, 0);
  Launch script;
  if (!match.launcher || !match.trains) return script;
  script.kind = Kind::Launcher;
  take_launcher(words, 0, match, script);
  return script;
}

}  // namespace trainjobc::launch
