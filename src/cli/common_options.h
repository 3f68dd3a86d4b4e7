// The flags that several commands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"
#include "cli/input/discover.h"
#include "cli/output/console.h"
#include "compile/compile.h"
#include "schema/schema.h"
#include "tools/lint/groups.h"

namespace trainjobc::cli {

// A flag that takes a Trainer version, in any of its spellings.
CLI::Option* add_version_flag(CLI::App& command, const std::string& names, std::string& version,
                              const std::string& description, bool has_auto);

// Which files of a directory to read, and what to say of the others.
struct DirectoryFlags {
  bool recursive = false;  // the default, given
  bool no_recursive = false;
  bool allow_empty = false;

  void add_to(CLI::App& command);
  DiscoverOptions options() const;
};

// --timeout: `what` it limits.
void add_timeout(CLI::App& command, unsigned& seconds, std::string_view what);

// What to read and how to compile it.
struct InputFlags {
  std::vector<std::string> paths;      // positional
  std::vector<std::string> filenames;  // -f
  std::vector<std::string> runtimes;
  std::vector<std::string> jobs;  // TrainJobs to look at; empty: all
  DirectoryFlags directories;
  bool needs_objects = false;
  bool verbose = false;
  bool no_catalogue = false;
  std::string trainer_version;  // "": not given
  std::string ns;
  std::string name_suffix;
  std::string config;  // the file; "": look for it
  bool no_config = false;
  unsigned threads = 0;

  void add_to(CLI::App& command);
};

struct ColourFlag {
  std::string choice = "auto";

  void add_to(CLI::App& command);
  ColourChoice value() const;
};

// A flag's value, else the environment's, else the configuration's, else the default.
std::string setting(const Console& console, const std::string& flag, const char* variable,
                    const std::optional<std::string>& configured, std::string_view otherwise);

// The sources of a command with the settings of their configurations: flags, then TRAINJOBC_TRAINER_VERSION
// and TRAINJOBC_RUNTIMES, then the configuration. Nothing if they can't be loaded, which has been reported.
std::optional<lint::LoadedInputs> load_inputs(Console& console, const InputFlags& flags);

// The compiler's options that these flags set; the groups have the others.
Options to_options(const InputFlags& flags);

// Whether the inputs held every --job, and each directory something; what they lack has been reported. With
// -v, says what was skipped.
bool check_inputs(Console& console, const InputFlags& flags, const lint::LoadedInputs& loaded,
                  const Compilation& compiled);

// Says that the inputs contain no TrainJob.
void note_no_job(Console& console);

// The schemas that it was compiled with; the newest if its inputs were compiled for several versions.
const schema::VersionSchemas& schemas_of(const Compilation& compiled);

// Prints diagnostics to stderr. `job_errors_warn` shows errors of stage job as warnings.
void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn);

// Notes on stderr which jobs another controller manages.
void note_other_managers(Console& console, const Compilation& compiled);

// Prints which inputs are jobs that trainjobc doesn't read, for commands that print only refusals.
void print_unread_jobs(Console& console, const Compilation& compiled, ColourChoice colour);

// Says on stderr which Trainer version `auto` chose, if not the newest, and the line that decided it.
void note_trainer_version(Console& console, const Compilation& compiled);

}  // namespace trainjobc::cli
