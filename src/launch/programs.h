// SPDX-License-Identifier: Apache-2.0

// The launchers, and what words of command lines and scripts are: launchers/, compiled in by tools/launchgen.
// launchers/README.md describes the fields.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace trainjobc::launch {

// What a launcher must know.
enum class Setting {
  Nodes,
  Processes,  // of a node
  Total,      // of the job if Nodes is a flag, otherwise of a node
  World,      // of the job
  Rank,       // of the node
  Address,    // of the first node
  Port,
  Backend,
  Endpoint,
  Config,  // a file with the others
};
inline constexpr size_t kSettingCount = 10;

// Where a launcher gets a setting from.
struct Source {
  enum class Kind { Flag, Variable, Value, Gpus };
  Kind kind = Kind::Value;
  std::string_view name;   // of a flag with its dashes; a value's text
  bool above_one = false;  // counts only if its number is above 1
};

struct Condition {
  enum class Kind { Flag, Variable, Setting, Gpus, Flags, Yaml, Many };
  Kind kind = Kind::Flag;
  std::string_view name;
  std::string_view value;  // "" if any will do
  launch::Setting setting = launch::Setting::Nodes;
  bool above_one = false;
  bool is_negated = false;
};

// What becomes of several nodes.
enum class Result {
  World,   // they are one
  One,     // one process on each, alone
  Alone,   // several on each, alone
  Waits,   // they never meet
  Fails,   // an error
  Driver,  // a program of Ray, which must run once
  Told,    // something else than the manifest decides
};

struct Case {
  std::span<const Condition> conditions;
  Result result = Result::Told;
  std::string_view because;  // with {nodes}, {name}, {backend}; "" for what the result says
  std::string_view blame;    // a flag, a variable ($NAME) or a setting; "": the program
  std::string_view hint;
  bool is_removable = false;  // without what is to blame, all nodes are one world
  bool is_uncountable = false;
};

struct Program {
  std::string_view name;
  std::span<const std::string_view> programs;
  std::span<const std::string_view> modules;   // of python -m
  std::span<const std::string_view> commands;  // subcommands that train; empty if there are none
  std::span<const Condition> when;             // without which a later row counts
  std::string_view version;                    // on which all this was seen
  std::string_view family;                     // "PET": reads torch's variables
  bool has_script = false;
  bool is_ray = false;
  bool is_like_torchrun = false;               // torchrun can start its scripts as they are
  std::span<const std::string_view> switches;  // its flags without a value
  std::array<std::span<const Source>, kSettingCount> settings;
  std::span<const Case> cases;
  std::string_view hint;
  std::string_view instead;                       // a module for torchrun, which does the same
  std::span<const std::string_view> new_command;  // what `new --launcher` writes; empty if it can't
  std::string_view page;                          // of the site

  bool reads_family() const { return !family.empty(); }
  std::span<const Source> sources(Setting setting) const { return settings[static_cast<size_t>(setting)]; }
};

std::span<const Program> programs();

// A program that runs the one that follows it.
struct Wrapper {
  std::span<const std::string_view> programs;
  std::span<const std::string_view> modules;  // its names after python -m
  std::string_view subcommand;                // without which it is something else
  std::span<const std::string_view> values;   // flags that take a word
  size_t own = 0;                             // words of its own before the program
  std::string_view module;                    // its flag for python -m
};

struct Shell {
  std::span<const Wrapper> wrappers;
  std::span<const Wrapper> tracers;  // debuggers and profilers, which run Python's scripts and modules only
  std::span<const std::string_view> shells;
  std::span<const std::string_view> harmless;       // programs that start no others
  std::span<const std::string_view> keywords;       // around the programs of a compound command
  std::span<const std::string_view> heads;          // of a compound command; what follows is not a program
  std::span<const std::string_view> starts_others;  // parts of words that start programs on other nodes
};

const Shell& shell();

}  // namespace trainjobc::launch
