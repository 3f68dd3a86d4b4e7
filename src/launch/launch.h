// SPDX-License-Identifier: Apache-2.0

// What starts the processes of a container, as far as its command line tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/plugin.h"

namespace trainjobc::launch {

// What starts the processes that train in a container.
struct Launch {
  enum class Kind {
    Image,       // the image's own command
    Launcher,    // a program of the framework's list
    OneProcess,  // a program that is one process, unless it starts others itself
    Unknown,
  };
  Kind kind = Kind::Unknown;
  const policy::Launcher* launcher = nullptr;
  std::vector<std::string> program;  // its words, up to the script that it runs; empty for Image and Unknown
  std::string script;                // what it runs: a file, or a module; "" if that is not known
  size_t word = 0;                   // the word of the command line that names it, or the shell's script
  bool in_script = false;            // of a shell
  std::string needs_ranks;           // a call in code after -c that fails without RANK; "" if there is none

  bool is_python() const;

  struct Flag {
    std::string name;   // as it is written: "--nproc_per_node", "--nnodes=2"
    std::string value;  // "" without
    size_t word = 0;    // of the command line
    size_t words = 1;   // 2: the value is a word of its own
  };
  // The program's own flag; nullopt if it is not given. `name` is written with dashes: "--nproc-per-node" is
  // also --nproc_per_node.
  std::optional<Flag> flag(std::string_view name) const;
};

// Whether a framework's launcher has this name.
bool is_launcher(std::string_view program);

Launch launch_of(const std::vector<std::string_view>& words, const policy::Framework& framework);

// "PET_NPROC_PER_NODE" of PET_*: "--nproc-per-node". "" if the framework has no flags.
std::string flag_for(const policy::Framework& framework, std::string_view variable);

}  // namespace trainjobc::launch
