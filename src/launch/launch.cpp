// SPDX-License-Identifier: Apache-2.0

#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "launch/words.h"

namespace trainjobc::launch {

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
         (trainjobc::launch::is_python(program.front()) || program.front().ends_with(".py"));
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

}  // namespace trainjobc::launch
