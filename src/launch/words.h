// SPDX-License-Identifier: Apache-2.0

// The words of a container's command line, and the programs that they start.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::launch {

using Words = std::vector<std::string>;

struct CommandLine {
  const yaml::Node* command = nullptr;  // a list; nullptr: the image's own
  const yaml::Node* args = nullptr;     // a list, or nullptr
};

// The words of both lists.
std::vector<std::string_view> words_of(const CommandLine& line);

// The place of a word, given its index among the words of both lists.
struct WordPlace {
  bool in_args = false;
  size_t item = 0;
  const yaml::Node* word = nullptr;
};
WordPlace place_of_word(const CommandLine& line, size_t index);

// The index of the script after -c of a shell or Python, even if other programs run these; the number of
// words if there is none.
size_t script_index(const std::vector<std::string_view>& words);

// Whether a job's command is exactly [tune, run], which Trainer completes.
bool is_tune_run(const yaml::Node* command);

// "python3" for "/usr/bin/python3".
std::string_view base_name(std::string_view path);

bool is_shell(std::string_view program);
bool is_python(std::string_view program);

// A program that the words start, without wrappers such as nohup, env or conda run.
struct Invocation {
  Words words;  // the first one is the program; "-m" before a module of Python
  std::vector<std::pair<std::string, std::string>> variables;  // set for it, besides the container's
  size_t at = 0;                    // the index of the program's word; unspecified in a script
  bool may_not_run = false;         // part of a compound command
  bool has_more_variables = false;  // a file that can't be seen may set more
};

// The programs that the words start; shell scripts are parsed, without redirections. Empty if unknown.
std::vector<Invocation> invocations_of(const std::vector<std::string_view>& words);

// The index of what a debugger or profiler of Python runs, such as "-m" in `python -m cProfile -o out -m
// pkg.train`; 0 if the words start with no such program.
size_t after_tracer(const Words& words);

// The same without the variables.
std::vector<Words> programs_of(const std::vector<std::string_view>& words);

// Whether the program starts no others: it prepares a script, or is built into the shell.
bool is_harmless(std::string_view program);

}  // namespace trainjobc::launch
