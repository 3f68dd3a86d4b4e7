// SPDX-License-Identifier: Apache-2.0

// What starts the processes of a container, judging by its command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/programs.h"
#include "launch/words.h"

namespace trainjobc::launch {

struct Launch {
  enum class Kind {
    Image,       // the image's own command
    Launcher,    // a program of launchers/programs.yaml
    OneProcess,  // a program that is one process, unless it starts others itself
    Unknown,
  };
  Kind kind = Kind::Unknown;
  const Program* launcher = nullptr;
  Words program;           // its words, up to the script that it runs; empty for Image and Unknown
  size_t named = 1;        // how many of these words name it: 2 for "tune run"
  std::string script;      // what it runs: a file, or a module; "" if unknown
  bool is_module = false;  // `script` is a module
  Words script_arguments;
  size_t word = 0;          // the index of the word that names it, or of the shell's script
  bool in_script = false;   // a shell's script starts it
  std::string needs_ranks;  // a call in code after -c that fails without RANK; "" if none
  std::vector<std::pair<std::string, std::string>> variables;  // set for it, besides the container's
  bool has_more_variables = false;
  bool starts_ray = false;      // a program beside it starts Ray
  bool is_one_of_many = false;  // beside it, the script has other programs of Python

  bool is_python() const;
  // Its name in messages: "accelerate", "python3".
  std::string_view name() const;

  struct Flag {
    std::string name;   // as written: "--nproc_per_node", "--nnodes=2"
    std::string value;  // "" if it has none
    size_t word = 0;    // its index in the command line
    size_t words = 1;   // 2 if the value is a word of its own
  };
  // The program's flag with this name; nullopt if it is not given. `name` has dashes: "--nproc-per-node" also
  // finds --nproc_per_node.
  std::optional<Flag> flag(std::string_view name) const;
  bool has_flags() const;
};

// Whether a launcher has this name.
bool is_launcher(std::string_view program);

Launch launch_of(const std::vector<std::string_view>& words);

// The launcher that the script of another launcher is: `torchrun -m llamafactory.cli train` starts torchrun
// again. Its kind is Unknown if the script is not a launcher.
Launch launch_of_script(const Launch& launch);

}  // namespace trainjobc::launch
