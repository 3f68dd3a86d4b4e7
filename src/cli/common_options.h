// The flags that several commands share.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::cli {

// What to read and how to compile it.
struct InputFlags {
  std::vector<std::string> paths;      // positional
  std::vector<std::string> filenames;  // -f
  std::vector<std::string> runtimes;
  bool recurse = false;
  bool no_catalogue = false;
  std::string trainer_version = "auto";
  std::string ns;
  std::string name_suffix;
  unsigned threads = 0;

  void add_to(CLI::App& command);
};

struct ColourFlag {
  std::string choice = "auto";

  void add_to(CLI::App& command);
  ColourChoice value() const;
};

// The sources of a command, or the exit status and nothing where they can't be had, which has been said.
struct LoadedInputs {
  std::vector<Source> inputs;
  std::vector<Source> runtimes;
};
std::optional<LoadedInputs> load_inputs(Console& console, const InputFlags& flags);

// The compiler's options as far as these flags say.
Options to_options(const InputFlags& flags);

// Prints diagnostics to stderr. `job_errors_warn` shows errors of stage job as warnings.
void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn);

}  // namespace trainjobc::cli
