// SPDX-License-Identifier: Apache-2.0

// The flags that several commands share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "compile/compile.h"
#include "features/kubectl/kubectl.h"
#include "inputs/discover.h"
#include "inputs/groups.h"
#include "inputs/load.h"
#include "inputs/revisions.h"
#include "schema/schema.h"

namespace trainjobc::cli {

// A flag that takes a Trainer version, in any of its spellings.
Flag& add_version_flag(Command& command, std::string_view names, std::string& version,
                       const std::string& description, bool has_auto);

// Names the file of settings; a command with this variable reads them.
inline constexpr std::string_view kConfigVariable = "TRAINJOBC_CONFIG";

// Which files of a directory to read, and what to report about the others.
struct DirectoryFlags {
  bool recursive = false;  // the default, if given explicitly
  bool no_recursive = false;
  bool allow_empty = false;

  void add_to(Command& command);
  inputs::DiscoverOptions options() const;
};

// The kustomizations and charts to build.
struct RootFlags {
  std::vector<std::string> kustomize;  // -k
  bool allow_remote = false;
  bool no_cache = false;
  std::vector<std::string> charts;     // --helm
  std::vector<std::string> values;     // --values, of the --helm before each
  std::vector<std::string> names;      // --release, likewise
  std::vector<inputs::Root> releases;  // of these three
  std::string error;                   // why there are none; "" if nothing is wrong

  void add_to(Command& command);
  bool is_empty() const { return kustomize.empty() && charts.empty(); }
  std::vector<inputs::Root> roots() const;

 private:
  void pair(std::span<const Flag* const> given);
};

// Which revisions of the inputs are compared.
struct RevisionFlags {
  std::string flag;             // that names the base: "--base"
  inputs::RevisionNames names;  // without a base if none was given

  // `description` is that of the flag.
  void add_to(Command& command, const std::string& name, const std::string& description);
};

// The seconds that one call of kubectl may take unless --timeout says otherwise: a hung one ends.
inline constexpr unsigned kCallTimeout = 600;

// Which cluster kubectl asks, and for how long.
struct KubectlFlags {
  std::string context;
  std::string kubeconfig;
  unsigned timeout = kCallTimeout;  // seconds; 0: none

  // `addition` completes the descriptions of what names a cluster; with `rival`, only one of the two may be
  // given.
  void add_cluster_to(Command& command, std::string_view addition = "", const char* rival = nullptr);
  // --timeout; `limited` is what it limits.
  void add_timeout_to(Command& command, std::string_view limited = "one kubectl call");

  // Whether a cluster is named.
  bool name_cluster() const { return !context.empty() || !kubeconfig.empty(); }
  // A call has at most `limit`, too; 0: none.
  kubectl::Settings settings(std::chrono::seconds limit) const;
};

// The shorter one; 0 is endless.
std::chrono::seconds shorter(std::chrono::seconds one, std::chrono::seconds other);

// The inputs and how to compile them.
struct InputFlags {
  std::vector<std::string> paths;      // positional
  std::vector<std::string> filenames;  // -f
  std::vector<std::string> runtimes;
  std::vector<std::string> jobs;  // TrainJobs to compile; empty: all
  DirectoryFlags directories;
  bool needs_objects = false;
  bool verbose = false;
  bool no_catalogue = false;
  std::string trainer_version;  // "": not given
  std::vector<std::string> feature_gates;
  std::string kubernetes_version;  // "": not given
  std::string ns;
  std::string name_suffix;
  std::string config;  // the file; "": search for it
  bool no_config = false;
  RootFlags roots;
  inputs::FoundRoots found_roots = inputs::FoundRoots::Named;
  bool deployed = false;        // --roots
  bool has_deployed = false;    // the command has it, and the settings may ask for it
  bool lists_deployed = false;  // without --verbose, too
  unsigned threads = 0;

  void add_to(Command& command, bool has_trainer_version = true);
  // --roots; `verb` is what happens to the inputs: "Lint".
  Flag& add_deployed_to(Command& command, std::string_view verb, std::string_view more = "");

 private:
  void add_all_to(Command& command, bool has_trainer_version);
};

// How long a program may run: programTimeout of the working directory's settings, or `usual`. An error in the
// settings is reported where the inputs are read.
std::chrono::seconds program_timeout(Console& console, const InputFlags& flags,
                                     std::chrono::seconds usual = std::chrono::seconds(0));

struct ColourFlag {
  std::string choice = "auto";

  void add_to(Command& command);
  ColourChoice value() const;
};

// The text of standard input; nullptr if it is not among the inputs.
const std::string* find_stdin(const std::vector<inputs::InputGroup>& groups);

// What the flags and the environment ask for.
inputs::Request request_of(const Console& console, const InputFlags& flags);
inputs::Environment environment_of(const Console& console);

// Prints what loading has to say.
void print(Console& console, const inputs::Message& message);

// The sources of a command with the settings that apply to them; without paths and roots, standard input.
// nullopt if they can't be loaded, which has been reported.
std::optional<inputs::Loaded> load_inputs(Console& console, const InputFlags& flags);
std::optional<inputs::Loaded> load_inputs(Console& console, inputs::Request request);

// The sources of paths, without settings and roots.
base::IoResult<inputs::FoundSources> load_sources(Console& console, const std::vector<std::string>& paths,
                                                  inputs::DiscoverOptions options);

// The groups of -k and --helm alone, or of `deployed`: what objects of Flux and Argo CD in the working
// directory deploy. nullopt if one can't be built, which has been reported.
std::optional<std::vector<inputs::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                           bool deployed = false);

// Two states of the inputs, and each of them. nullopt if they can't be read, which has been reported.
std::optional<inputs::Revisions> open_revisions(Console& console, const RevisionFlags& flags,
                                                const InputFlags& input, std::chrono::milliseconds timeout);
std::optional<inputs::Loaded> load_state(Console& console, const inputs::Request& request,
                                         const inputs::State& state);

// The compiler's options from these flags; the groups have the others.
Options to_options(const InputFlags& flags);

// Whether the inputs contain every --job, and no directory is empty; what is missing has been reported. With
// -v, prints what was skipped.
bool check_inputs(Console& console, const InputFlags& flags, const inputs::Loaded& loaded,
                  const Compilation& compiled);

// How a command compiles its inputs, and what it prints about them.
struct CompileStyle {
  inputs::SinkOfGroup sink_of = {};  // if set, takes the objects, which are not kept
  // The findings to print; by default all, with errors of stage job as warnings.
  std::function<base::Diagnostics(inputs::GroupedCompilation&)> shown = {};
  bool keeps_inputs = false;  // to compile them again
  bool notes_no_job = true;
};

struct CompiledInputs {
  Compilation all;
  inputs::Loaded loaded;  // without groups, unless the style keeps them
  bool rejected = false;  // an input, or what was to be printed has errors

  int status() const { return rejected ? kRejected : kOk; }
};

// What render, explain, plan, graph, diff and submit begin with: loads and compiles the inputs, prints the
// findings, the version that was chosen and whether there is no TrainJob. nullopt if the inputs can't be
// used, which has been reported.
std::optional<CompiledInputs> compile_inputs(Console& console, const InputFlags& flags,
                                             const ColourFlag& colour, const Options& options,
                                             const CompileStyle& style = {});

// Prints which Trainer version `auto` chose, if not the newest, and the line that decided it.
void note_trainer_version(Console& console, const Compilation& compiled);

// Prints that the inputs contain no TrainJob.
void note_no_job(Console& console);

// Prints diagnostics to stderr. `job_errors_warn` shows errors of stage job as warnings.
void print_diagnostics(Console& console, const base::Diagnostics& diagnostics, ColourChoice colour,
                       bool job_errors_warn);

// A TrainJob that two scopes of the inputs define: "clusters/prod and clusters/staging both define TrainJob
// default/a"; "" if there is none. One cluster can have only one of them.
std::string shared_name(const Compilation& compiled);

// Prints to stderr which jobs another controller manages.
void note_other_managers(Console& console, const Compilation& compiled);

// Which inputs are jobs that trainjobc doesn't read.
base::Diagnostics unread_jobs_of(const Compilation& compiled);

}  // namespace trainjobc::cli
