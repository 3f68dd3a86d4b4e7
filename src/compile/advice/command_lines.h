// SPDX-License-Identifier: Apache-2.0

// What containers run, as far as their command lines tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::compile::advice {

struct CommandLine {
  const yaml::Node* command = nullptr;  // a list; nullptr: that of the image
  const yaml::Node* args = nullptr;     // a list, or nullptr
};

// The texts of both lists.
std::vector<std::string_view> words_of(const CommandLine& line);

// The index of the script given to a shell or Python with -c; the number of words if there is none.
size_t script_index(const std::vector<std::string_view>& words);

// Whether a job's command is exactly [tune, run], which Trainer completes.
bool is_tune_run(const yaml::Node* command);

// "python3" of "/usr/bin/python3".
std::string_view base_name(std::string_view path);

// The programs that the words start, each with its arguments; shell scripts are parsed. Empty if that is
// unknown.
std::vector<std::vector<std::string>> programs_of(const std::vector<std::string_view>& words);

}  // namespace trainjobc::compile::advice
