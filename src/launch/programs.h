// SPDX-License-Identifier: Apache-2.0

// The table of launchers, and the meaning of words in command lines and scripts, from the files of
// launchers/, which tools/launchgen compiles in. launchers/README.md describes the fields.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace trainjobc::launch {

// What a launcher needs to know.
enum class Setting {
  Nodes,
  Processes,  // per node
  Total,      // of the job if Nodes is a flag, otherwise per node
  World,      // number of processes of the job
  Rank,       // of the node
  Address,    // of the first node
  Port,
  Backend,
  Endpoint,
  Config,  // a file with the other settings
};
inline constexpr size_t kSettingCount = 10;

// Where a launcher takes a setting from.
struct Source {
  enum class Kind { Flag, Variable, Value, Gpus };
  Kind kind = Kind::Value;
  std::string_view name;   // of a flag, with its dashes; or a value's text
  bool above_one = false;  // counts only if its number is above 1
};

struct Condition {
  enum class Kind { Flag, Variable, Setting, Gpus, Flags, Yaml, Many };
  Kind kind = Kind::Flag;
  std::string_view name;
  std::string_view value;  // "" for any
  launch::Setting setting = launch::Setting::Nodes;
  bool above_one = false;
  bool is_negated = false;
};

// What happens to several nodes.
enum class Result {
  World,   // they work together
  One,     // one process on each node, alone
  Alone,   // several processes on each node, alone
  Waits,   // they wait for each other in vain
  Fails,   // an error
  Driver,  // a driver program of Ray, which must run only once
  Told,    // depends on something outside the manifest
};

struct Case {
  std::span<const Condition> conditions;
  Result result = Result::Told;
  std::string_view because;  // may contain {nodes}, {name}, {backend}; "" if the result says enough
  std::string_view blame;    // a flag, a variable ($NAME) or a setting; "" for the program
  std::string_view hint;
  bool is_removable = false;  // without `blame`, all nodes would work together
  bool is_uncountable = false;
};

struct Program {
  std::string_view name;
  std::span<const std::string_view> programs;
  std::span<const std::string_view> modules;   // names for python -m
  std::span<const std::string_view> commands;  // subcommands that train; empty if it has none
  std::span<const Condition> when;             // if they don't hold, a later row counts
  std::string_view version;                    // the version with which this row was verified
  std::string_view family;                     // "PET": it reads torch's variables
  bool has_script = false;
  bool is_ray = false;
  bool is_like_torchrun = false;               // torchrun can start its scripts as they are
  std::span<const std::string_view> switches;  // flags that take no value
  std::array<std::span<const Source>, kSettingCount> settings;
  std::span<const Case> cases;
  std::string_view hint;
  std::string_view instead;                       // a module that torchrun can start and that does the same
  std::span<const std::string_view> new_command;  // what `new --launcher` writes; empty if not supported
  std::string_view page;                          // page of the site

  bool reads_family() const { return !family.empty(); }
  std::span<const Source> sources(Setting setting) const { return settings[static_cast<size_t>(setting)]; }
};

std::span<const Program> programs();

// A program that runs the program after it, such as nohup.
struct Wrapper {
  std::span<const std::string_view> programs;
  std::span<const std::string_view> modules;  // its names after python -m
  std::string_view subcommand;                // the one that does so; "" if it has none
  std::span<const std::string_view> values;   // flags that take a value
  size_t own = 0;                             // number of its own words before the program
  std::string_view module;                    // its flag that works like python -m
};

struct Shell {
  std::span<const Wrapper> wrappers;
  std::span<const Wrapper> tracers;  // debuggers and profilers, which run Python's scripts and modules only
  std::span<const std::string_view> shells;
  std::span<const std::string_view> harmless;       // programs that start no others
  std::span<const std::string_view> keywords;       // they surround the programs of a compound command
  std::span<const std::string_view> heads;          // they begin a compound command; no program follows them
  std::span<const std::string_view> starts_others;  // parts of words that start programs on other nodes
};

const Shell& shell();

}  // namespace trainjobc::launch
