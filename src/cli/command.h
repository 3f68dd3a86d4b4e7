// SPDX-License-Identifier: Apache-2.0

// Commands are described once: help, manual pages, completion and the parser (cli/parse.cpp) read the
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

namespace trainjobc::platform {
struct TeamRule;
}

namespace trainjobc::cli {

// A flag or a positional argument.
struct Flag {
  // Where the value is stored: a switch, a text, the texts of a flag that can be repeated, or a number.
  // Nothing for --help and --version.
  using Target = std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*, unsigned*>;
  // Returns the value that a text means; nullopt if the text is not valid.
  using Reader = std::function<std::optional<std::string>(const std::string& text)>;

  std::vector<std::string> names;      // "-f", "--filename"; for a positional, its name: "PATH"
  std::vector<std::string> old_names;  // still accepted, but not shown
  std::string value;                   // "PATH"; "" for a switch
  std::vector<std::string> choices;    // all values, if there are few
  std::string default_value;           // shown in help
  std::string bare;  // the value if the flag is given without one; a value must follow a "="
  std::string description;
  std::vector<std::string> needed;    // flags that must be given too
  std::vector<std::string> excluded;  // flags that must not be given
  Reader reader;
  std::string expected;  // completes "--timeout 5x is not …" if the reader rejects the text
  Target target;
  bool positional = false;
  bool repeats = false;
  bool after_dashes = false;  // for a positional: takes the words after "--", whatever they look like
  bool value_optional = false;
  bool required = false;
  bool of_inputs = false;  // which files are read, and how: many commands have it
  bool given = false;      // set by the parser

  Flag& takes(std::string value_name);
  Flag& one_of(std::vector<std::string> values);
  Flag& means(std::string without_value);
  Flag& reads(Reader read, std::string what);
  Flag& shows_default();
  Flag& needs(std::string flag);
  Flag& excludes(std::string flag);
  Flag& was(std::string old_name);

  bool has_name(std::string_view name) const;
  // "--format"; for a positional, its name.
  const std::string& long_name() const;
  // What help shows after the name: " yaml|json|name", or the name of the value; in brackets, "[=all]", if it
  // is optional.
  std::string value_text() const;
  // Whether the word after the flag is its value.
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

  // `names` is "-o,--format", or the name of a positional. References to flags and commands stay valid.
  Flag& add(std::string_view names, Flag::Target target, std::string description);
  Command& add_command(std::string name, std::string summary);

  const Flag* find_flag(std::string_view name) const;
  const Command* find_command(std::string_view name) const;
  // The names from the root: "trainjobc render".
  std::string full_name() const;
  // Such as "trainjobc render [FLAGS] [PATH...]".
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
  std::vector<Variable> variables;       // environment variables
  bool chosen = false;                   // set by the parser
  std::vector<const Flag*> given_flags;  // in the order of the command line, set by the parser
  // Called after the parser has set these.
  std::vector<std::function<void(std::span<const Flag* const> given)>> when_parsed;
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
// Hidden entry points for shells and the build, which the page doesn't have. nullopt: the arguments ask for
// something else.
std::optional<int> run_internal(const Command& root, const std::vector<std::string>& arguments,
                                Console& console);

// Parses command lines according to the descriptions of the commands.

enum class Wanted { Run, Help, Version, Nothing };

struct ParsedLine {
  Wanted wanted = Wanted::Nothing;
  const Command* command = nullptr;  // the innermost command on the line, or the root
  std::string error;                 // "" if there is none
};

// Parses the line into the flags' targets. Returns the command to run, or the error.
ParsedLine parse(Command& root, const std::vector<std::string>& arguments);

// Help, and short help.

// `terminal` is the number of its columns; 0 if there is no terminal.
std::string help_text(const Command& command, size_t terminal);

// What the program prints without a command.
std::string short_help(const Command& command, size_t terminal);

// Manual pages, generated from the same descriptions as --help.

// One page in man(7)'s language: trainjobc(1) for the root, trainjobc-render(1) for a command.
std::string man_page(const Command& command);

// Writes all pages into a directory. Returns the exit status.
int write_man_pages(const Command& root, const std::string& directory, Console& console);

// What `lint --list-rules` and `lint --explain` print.

// One rule per line: id, severity, summary. For a terminal with that many columns; 0: not a terminal.
std::string list_rules(size_t width, std::span<const platform::TeamRule* const> team);

// Prints a rule's explanation; an unknown rule is a usage error with a suggestion. Returns the exit status.
int explain_rule(Console& console, const std::string& id);

// The JSON Schemas, which are installed.

// Writes a file for each kind of each Trainer version. Returns the exit status; errors have been reported.
int write_schemas(const std::string& directory, Console& console);

// Completion for all shells: what can be written at the cursor.

// What a shell does besides offering words. The numbers are those of Cobra, which kubectl and its plugins
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

// `words` are those between the program's name and the cursor; the last one, which may be "", is being typed.
Completion complete(const Command& root, std::span<const std::string> words, Console& console);

// Prints a completion: "word<TAB>description" lines, then ":<number>".
int print_completion(const Command& root, std::span<const std::string> words, Console& console);

// The command line as a function.

// Parses the arguments (without the program's name), runs the command, prints its output through `console`.
// Returns the exit status.
int run(const std::vector<std::string>& arguments, Console& console);

}  // namespace trainjobc::cli
