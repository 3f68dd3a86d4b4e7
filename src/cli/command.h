// SPDX-License-Identifier: Apache-2.0

// A command is described once: help, manual pages, completion, and the parser (cli/parse.h) read its
// description.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/console.h"

namespace trainjobc::cli {

// A flag or a positional argument.
struct Flag {
  // Where its value goes: a switch, one text, texts of a flag that can be repeated, a number. Nothing for
  // --help and --version.
  using Target = std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*, unsigned*>;
  // The value that a text means; nullopt if it is none.
  using Reader = std::function<std::optional<std::string>(const std::string& text)>;

  std::vector<std::string> names;      // "-f", "--filename"; of a positional, its name: "PATH"
  std::vector<std::string> old_names;  // still read, but not shown
  std::string value;                   // "PATH"; "" for a switch
  std::vector<std::string> choices;    // all values, if there are only a few
  std::string default_value;           // shown in help
  std::string bare;  // what a flag means that may be given without its value, which follows a "="
  std::string description;
  std::vector<std::string> needed;    // flags that must be given, too
  std::vector<std::string> excluded;  // flags that must not
  Reader reader;
  std::string expected;  // completes "--timeout 5x is not …" if the reader refuses
  Target target;
  bool positional = false;
  bool repeats = false;
  bool after_dashes = false;  // of a positional: takes the words after "--", whatever they look like
  bool value_optional = false;
  bool required = false;
  bool given = false;  // set by the parser

  Flag& takes(std::string value_name);
  Flag& one_of(std::vector<std::string> values);
  Flag& means(std::string without_value);
  Flag& reads(Reader read, std::string what);
  Flag& shows_default();
  Flag& needs(std::string flag);
  Flag& excludes(std::string flag);
  Flag& was(std::string old_name);

  bool has_name(std::string_view name) const;
  // "--format"; of a positional, its name.
  const std::string& long_name() const;
  // What follows the name: " yaml|json|name", or what the value is called; "[=all]" if it may be left out.
  std::string value_text() const;
  // Whether the next word is its value.
  bool takes_word() const { return !positional && !value.empty() && bare.empty(); }
};

struct ExitStatus {
  int status = 0;
  std::string meaning;
};

struct Variable {
  std::string name;
  std::string meaning;
};

class Command {
 public:
  Command(std::string name, std::string summary, Command* parent = nullptr);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  // `names`: "-o,--format", or the name of a positional. Flags and commands stay where they are.
  Flag& add(std::string_view names, Flag::Target target, std::string description);
  Command& add_command(std::string name, std::string summary);

  const Flag* find_flag(std::string_view name) const;
  const Command* find_command(std::string_view name) const;
  // "trainjobc render": the names from the root.
  std::string full_name() const;
  // "trainjobc render [FLAGS] [PATH...]".
  std::string usage() const;

  std::string name;
  std::string summary;
  Command* parent = nullptr;
  std::deque<Flag> flags;
  std::deque<Command> commands;
  bool needs_command = false;
  std::vector<std::string> details;  // paragraphs below the flags
  std::vector<ExitStatus> exit_statuses;
  std::vector<std::string> examples;
  std::vector<Variable> variables;       // of the environment
  bool chosen = false;                   // set by the parser
  std::vector<const Flag*> given_flags;  // in the order of the command line, set by the parser
};

// Adds the command's flags and returns the function that runs it after they are parsed.
using Setup = std::function<int(Console&)> (*)(Command& command);

// One subcommand. The registry is the only list of them.
struct CommandEntry {
  std::string_view name;
  std::string_view summary;
  Setup setup;
};

std::span<const CommandEntry> commands();

}  // namespace trainjobc::cli
