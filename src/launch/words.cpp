// SPDX-License-Identifier: Apache-2.0

#include "launch/words.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "launch/programs.h"
#include "launch/script.h"

namespace trainjobc::launch {

bool is_shell(std::string_view program) {
  return base::contains(shell().shells, base_name(program));
}

bool is_python(std::string_view program) {
  return base_name(program).starts_with("python");
}

bool is_harmless(std::string_view program) {
  return base::contains(shell().harmless, base_name(program));
}

namespace {

// Whether the word is a NAME=value before a program.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos || base::is_digit(word.front())) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) { return base::is_alnum(c) || c == '_'; });
}

const Wrapper* find_wrapper(std::string_view program) {
  const auto runs = [&](const Wrapper& wrapper) {
    return base::contains(wrapper.programs, base_name(program));
  };
  const auto found = std::ranges::find_if(shell().wrappers, runs);
  return found != shell().wrappers.end() ? &*found : nullptr;
}

template <class Text>
void set_variable(const Text& assignment, Invocation& into) {
  const std::string_view text = assignment;
  const size_t equals = text.find('=');
  into.variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

// The index of what the wrapper at `at` runs; the number of words if it runs nothing, and `at` itself if its
// subcommand is another one.
template <class List>
size_t after_wrapper(const List& words, size_t at, const Wrapper& wrapper, Invocation& into) {
  size_t i = at + 1;
  if (!wrapper.subcommand.empty()) {
    if (i >= words.size() || std::string_view(words[i]) != wrapper.subcommand) return at;
    ++i;
  }
  for (; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!wrapper.module.empty() && word == wrapper.module) return i;
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() > 1 && word.starts_with('-')) {
      if (base::contains(wrapper.values, word)) ++i;
    } else if (base_name(words[at]) == "env" && is_assignment(word)) {
      set_variable(word, into);
    } else {
      break;
    }
  }
  return std::min(i + wrapper.own, words.size());
}

// The index of the program that the words from `at` on run in the end, past wrappers and assignments.
template <class List>
size_t program_index(const List& words, size_t at, Invocation& into) {
  while (at < words.size()) {
    if (is_assignment(words[at])) {
      set_variable(words[at++], into);
      continue;
    }
    const Wrapper* wrapper = find_wrapper(words[at]);
    const size_t next = wrapper ? after_wrapper(words, at, *wrapper, into) : at;
    if (next == at) return at;
    at = next;
  }
  return at;
}

// Whether a script follows the flag: -c, or a shell's -ec or -lc.
bool takes_script(std::string_view flag) {
  return flag.size() >= 2 && flag.size() <= 8 && flag[1] != '-' && flag.find('c') != std::string_view::npos;
}

// Whether the flag takes a value: -o pipefail, -euo pipefail; Python's -W and -X.
bool takes_word(std::string_view flag) {
  return flag == "--rcfile" || flag == "--init-file" || flag == "-W" || flag == "-X" ||
         (flag.size() <= 8 && flag[1] != '-' && (flag.ends_with('o') || flag.ends_with('O')));
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
  Invocation ignored;
  const size_t program = program_index(words, 0, ignored);
  if (program == words.size() || !(is_shell(words[program]) || is_python(words[program])))
    return words.size();
  bool is_script = false;
  for (size_t i = program + 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool is_flag = word.size() > 1 && (word.front() == '-' || word.front() == '+');
    if (!is_flag) return is_script ? i : words.size();  // a file instead, followed by its arguments
    is_script = is_script || takes_script(word);
    if (is_script && is_python(words[program])) return std::min(i + 1, words.size());
    if (takes_word(word)) ++i;
  }
  return words.size();
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

namespace {

// Keeps the variables that one line of a script sets for the following ones.
void keep_variables(const Invocation& line, Invocation& kept) {
  const std::string_view program = line.words.empty() ? "" : std::string_view(line.words.front());
  if (program.empty()) base::append(kept.variables, line.variables);
  if (program == "export" || program == "declare" || program == "readonly") {
    for (const std::string& word : line.words) {
      if (is_assignment(word)) set_variable(word, kept);
    }
  }
  if (program == "unset") {
    for (const std::string& name : line.words)
      std::erase_if(kept.variables, [&](const auto& variable) { return variable.first == name; });
  }
  if (program == "source" || program == "." || program == "eval") kept.has_more_variables = true;
}

std::vector<Invocation> invocations_in(std::string_view script) {
  std::vector<Invocation> programs;
  Invocation kept;
  bool is_compound = false;
  for (Words& words : split_script(script)) {
    while (!words.empty() && base::contains(shell().keywords, std::string_view(words.front()))) {
      is_compound = is_compound || base::is_alnum(words.front().front());
      words.erase(words.begin());
    }
    if (!words.empty() && base::contains(shell().heads, std::string_view(words.front()))) {
      is_compound = true;
      continue;
    }
    Invocation line;
    const size_t program = program_index(words, 0, line);
    line.words.assign(words.begin() + static_cast<ptrdiff_t>(program), words.end());
    keep_variables(line, kept);
    if (line.words.empty()) continue;
    line.variables.insert(line.variables.begin(), kept.variables.begin(), kept.variables.end());
    line.has_more_variables = kept.has_more_variables;
    line.may_not_run = is_compound;
    programs.push_back(std::move(line));
  }
  for (Invocation& program : programs) program.may_not_run = is_compound;
  return programs;
}

}  // namespace

size_t after_tracer(const Words& words) {
  size_t named = 0;
  const bool is_module = is_python(words.front());
  if (is_module) {
    for (++named; named < words.size() && words[named].starts_with('-') && words[named] != "-m"; ++named) {
    }
    if (named == words.size() || words[named++] != "-m" || named == words.size()) return 0;
  }
  for (const Wrapper& tracer : shell().tracers) {
    const auto& names = is_module ? tracer.modules : tracer.programs;
    if (!base::contains(names, base_name(words[named]))) continue;
    Invocation ignored;
    const size_t next = after_wrapper(words, named, tracer, ignored);
    return next == named || next == words.size() ? 0 : next;
  }
  return 0;
}

std::vector<Invocation> invocations_of(const std::vector<std::string_view>& words) {
  Invocation line;
  line.at = program_index(words, 0, line);
  if (line.at == words.size()) return {};
  if (!is_shell(words[line.at])) {
    line.words.assign(words.begin() + static_cast<ptrdiff_t>(line.at), words.end());
    return {std::move(line)};
  }
  const size_t script = script_index(words);
  if (script == words.size()) return {};
  std::vector<Invocation> programs = invocations_in(words[script]);
  for (Invocation& program : programs)
    program.variables.insert(program.variables.begin(), line.variables.begin(), line.variables.end());
  return programs;
}

std::vector<Words> programs_of(const std::vector<std::string_view>& words) {
  std::vector<Words> programs;
  for (Invocation& one : invocations_of(words)) programs.push_back(std::move(one.words));
  return programs;
}

}  // namespace trainjobc::launch
