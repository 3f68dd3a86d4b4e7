// SPDX-License-Identifier: Apache-2.0

// Completion of a command line for all shells: what is possible at the cursor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace trainjobc::cli {

// What a shell does besides offering the words; the numbers are those of Cobra, which kubectl and its plugins
// use.
enum class FileCompletion {
  Any = 0,
  NoSpace = 2,
  None = 4,
  NoneNoSpace = 6,
  Extensions = 8,
  Directories = 16
};

struct Candidate {
  std::string word;
  std::string description;
};

struct Completion {
  std::vector<Candidate> candidates;  // for Extensions, the file name extensions
  FileCompletion files = FileCompletion::None;
};

// `words` are those after the program's name up to the cursor; the last one, which may be "", is being typed.
Completion complete(const Command& root, std::span<const std::string> words, Console& console);

// Prints a completion: "word<TAB>description" lines, then ":<number>".
int print_completion(const Command& root, std::span<const std::string> words, Console& console);

}  // namespace trainjobc::cli
