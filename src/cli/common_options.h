// The flags that several commands share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"
#include "cli/config.h"
#include "cli/console.h"
#include "schema/schema.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::cli {

// The values of flags that name a Trainer version: "2.0", …
std::vector<std::string> trainer_versions();

// --timeout: `what` it limits.
void add_timeout(CLI::App& command, unsigned& seconds, std::string_view what);

// What to read and how to compile it.
struct InputFlags {
  std::vector<std::string> paths;      // positional
  std::vector<std::string> filenames;  // -f
  std::vector<std::string> runtimes;
  std::vector<std::string> jobs;  // TrainJobs to look at; empty: all
  bool recurse = false;
  bool needs_objects = false;
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

// Reads the configuration that these flags ask for, and fills in what no flag says: from
// TRAINJOBC_TRAINER_VERSION and TRAINJOBC_RUNTIMES, then from the configuration. Nothing where it can't be
// used, which has been said.
std::optional<Config> configure(Console& console, InputFlags& flags);

// A flag's value, else the environment's, else the configuration's, else the default.
std::string setting(const Console& console, const std::string& flag, const char* variable,
                    const std::optional<std::string>& configured, std::string_view otherwise);

// The sources of a command, or the exit status and nothing where they can't be had, which has been said.
struct LoadedInputs {
  std::vector<Source> inputs;
  std::vector<Source> runtimes;
};
std::optional<LoadedInputs> load_inputs(Console& console, const InputFlags& flags);

// The compiler's options as far as these flags say.
Options to_options(const InputFlags& flags);

// Whether the inputs held every --job, and something for --fail-if-no-objects-found; what they lack has been
// said.
bool check_jobs(Console& console, const InputFlags& flags, const Compilation& compiled);

// Says that the inputs hold none of `what`, and which flag may have been forgotten.
void note_nothing_found(Console& console, const InputFlags& flags, std::string_view what);

// The schemas that it was compiled with; the newest where its inputs go with several versions.
const schema::VersionSchemas& schemas_of(const Compilation& compiled);

// Prints diagnostics to stderr. `job_errors_warn` shows errors of stage job as warnings.
void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn);

// Says on stderr which Trainer version `auto` chose, if not the newest, and the line that decided it.
void note_trainer_version(Console& console, const Compilation& compiled);

}  // namespace trainjobc::cli
