// SPDX-License-Identifier: Apache-2.0

// Finds out how a Python script wants to be run, by reading it, not running it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::create {

// An argument that argparse reads.
struct ScriptArgument {
  std::string name;           // "--lr", "data"
  std::string default_value;  // as written; "" unless it is a literal
  bool is_required = false;
};

struct ScriptFacts {
  std::string framework;  // of create::frameworks(); "" if the script doesn't tell
  std::string module;     // that tells: "torch.distributed"
  std::string why;        // why it is that framework; "" if the module's name says so
  size_t line = 0;        // where it is imported, from 1
  std::vector<ScriptArgument> arguments;
  std::string unread;  // what else may read arguments: "click", "subcommands"
};

ScriptFacts read_script(std::string_view text);

}  // namespace trainjobc::create
