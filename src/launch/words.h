// SPDX-License-Identifier: Apache-2.0

// The words of a container's command line, and the programs that they start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::launch {

using Words = std::vector<std::string>;

struct CommandLine {
  const yaml::Node* command = nullptr;  // a list; nullptr: that of the image
  const yaml::Node* args = nullptr;     // a list, or nullptr
};

// The texts of both lists.
std::vector<std::string_view> words_of(const CommandLine& line);

// Where a word is, by its index among the words of both lists.
struct WordPlace {
  bool in_args = false;
  size_t item = 0;
  const yaml::Node* word = nullptr;
};
WordPlace place_of_word(const CommandLine& line, size_t index);

// The index of the script given to a shell or Python with -c; the number of words if there is none.
size_t script_index(const std::vector<std::string_view>& words);

// Whether a job's command is exactly [tune, run], which Trainer completes.
bool is_tune_run(const yaml::Node* command);

// "python3" of "/usr/bin/python3".
std::string_view base_name(std::string_view path);

bool is_shell(std::string_view program);
bool is_python(std::string_view program);

// The programs that the words start, each with its arguments; shell scripts are parsed, their redirections
// dropped. Empty if that is unknown.
std::vector<Words> programs_of(const std::vector<std::string_view>& words);

}  // namespace trainjobc::launch
