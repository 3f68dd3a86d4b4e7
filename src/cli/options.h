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

// Names the settings file; a command with this variable reads it.
inline constexpr std::string_view kConfigVariable = "TRAINJOBC_CONFIG";

// Which files of a directory to read, and what to report about the others.
struct DirectoryFlags {
  bool recursive = false;  // the default, if it was given explicitly
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
  std::vector<std::string> values;     // --values, for the --helm before each
  std::vector<std::string> names;      // --release, likewise
  std::vector<inputs::Root> releases;  // made of these three
  std::string error;                   // why they don't fit together; "" if they do

  void add_to(Command& command);
  bool is_empty() const { return kustomize.empty() && charts.empty(); }
  std::vector<inputs::Root> roots() const;

 private:
  void pair(std::span<const Flag* const> given);
};

// Which revisions of the inputs to compare.
struct RevisionFlags {
  std::string flag;             // the one that names the base: "--base"
  inputs::RevisionNames names;  // the base is "" if none was given

  // `description` is the flag's.
  void add_to(Command& command, const std::string& name, const std::string& description);
};

// How many seconds a call of kubectl may take unless --timeout says otherwise: a call that hangs is ended.
inline constexpr unsigned kCallTimeout = 600;

// Which cluster to query with kubectl, and for how long.
struct KubectlFlags {
  std::string context;
  std::string kubeconfig;
  unsigned timeout = kCallTimeout;  // seconds; 0 for no limit

  // `addition` completes the descriptions of the flags that name a cluster. They exclude the flag `rival`, if
  // there is one.
  void add_cluster_to(Command& command, std::string_view addition = "", const char* rival = nullptr);
  // Adds --timeout; `limited` names what it limits.
  void add_timeout_to(Command& command, std::string_view limited = "one kubectl call");

  // Whether a cluster is named.
  bool name_cluster() const { return !context.empty() || !kubeconfig.empty(); }
  // A call may take at most `limit` as well; 0 for no limit.
  kubectl::Settings settings(std::chrono::seconds limit) const;
};

// The shorter of two limits; 0 means no limit.
std::chrono::seconds shorter(std::chrono::seconds one, std::chrono::seconds other);

// The inputs and how to compile them.
struct InputFlags {
  std::vector<std::string> paths;      // positional arguments
  std::vector<std::string> filenames;  // -f
  std::vector<std::string> runtimes;
  std::vector<std::string> jobs;  // TrainJobs to compile; empty for all
  DirectoryFlags directories;
  bool needs_objects = false;
  bool verbose = false;
  bool no_catalogue = false;
  std::string trainer_version;  // "": not given
  std::vector<std::string> feature_gates;
  std::string kubernetes_version;  // "": not given
  std::string ns;
  std::string name_suffix;
  std::string config;  // the file; "" to search for it
  bool no_config = false;
  RootFlags roots;
  inputs::FoundRoots found_roots = inputs::FoundRoots::Named;
  bool deployed = false;        // --roots
  bool has_deployed = false;    // the command has --roots, and the settings may turn it on
  bool lists_deployed = false;  // lists the roots even without --verbose
  bool names_programs = false;  // asks what builds roots for its version even without --verbose
  unsigned threads = 0;

  void add_to(Command& command, bool has_trainer_version = true);
  // Adds --roots; `verb` says what the command does to the inputs: "Lint".
  Flag& add_deployed_to(Command& command, std::string_view verb, std::string_view more = "");

 private:
  void add_all_to(Command& command, bool has_trainer_version);
};

// How long a program may run: programTimeout of the working directory's settings, or `usual`. An error in the
// settings is reported when the inputs are read.
std::chrono::seconds program_timeout(Console& console, const InputFlags& flags,
                                     std::chrono::seconds usual = std::chrono::seconds(0));

struct ColourFlag {
  std::string choice = "auto";

  void add_to(Command& command);
  ColourChoice value() const;
};

// The text of standard input; nullptr if it is not an input.
const std::string* find_stdin(const std::vector<inputs::InputGroup>& groups);

// What to load according to the flags and the environment.
inputs::Request request_of(const Console& console, const InputFlags& flags);
inputs::Environment environment_of(const Console& console);

// Prints a message of the loader.
void print(Console& console, const inputs::Message& message);

// Loads the sources of a command with the settings that apply to them; standard input if there are no paths
// and roots. nullopt if that fails, which has been reported.
std::optional<inputs::Loaded> load_inputs(Console& console, const InputFlags& flags);
std::optional<inputs::Loaded> load_inputs(Console& console, inputs::Request request);
// The same for sources that were read already.
std::optional<inputs::Loaded> load_inputs(Console& console, const inputs::Request& request,
                                          std::vector<Source> sources);

// Loads the sources of paths, without settings and roots.
base::IoResult<inputs::FoundSources> load_sources(Console& console, const std::vector<std::string>& paths,
                                                  inputs::DiscoverOptions options);

// Builds the groups of -k and --helm, or, if there are paths, those of what objects of Flux and Argo CD there
// deploy. nullopt, after an error, if one can't be built.
std::optional<std::vector<inputs::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                           std::vector<std::string> deployed);

// Opens two states of the inputs, and loads one of them. nullopt if that fails, which has been reported.
std::optional<inputs::Revisions> open_revisions(Console& console, const RevisionFlags& flags,
                                                const InputFlags& input, std::chrono::milliseconds timeout);
std::optional<inputs::Loaded> load_state(Console& console, const inputs::Request& request,
                                         const inputs::State& state);

// The compiler's options that these flags set; the groups have the others.
Options to_options(const InputFlags& flags);

// Whether the inputs contain every --job, and no directory is empty; what is missing has been reported. With
// -v, prints what was skipped.
bool check_inputs(Console& console, const InputFlags& flags, const inputs::Loaded& loaded,
                  const Compilation& compiled);

// How a command compiles its inputs, and what it prints about them.
struct CompileStyle {
  inputs::SinkOfGroup sink_of = {};  // takes the objects, which are then not kept
  bool is_governed = false;          // with a sink: see inputs::compile_groups_into_sinks
  // The findings to print; by default all, with errors of stage job as warnings.
  std::function<base::Diagnostics(inputs::GroupedCompilation&)> shown = {};
  bool keeps_inputs = false;  // so that they can be compiled again
  bool notes_no_job = true;
};

struct CompiledInputs {
  Compilation all;
  inputs::Loaded loaded;  // without groups, unless the style keeps them
  bool rejected = false;  // an input has errors, or something that was to be printed

  int status() const { return rejected ? kRejected : kOk; }
};

// The first step of render, explain, plan, graph, diff and submit: loads and compiles the inputs, and prints
// the findings, the chosen version, and a note if there is no TrainJob. nullopt if the inputs can't be used,
// which has been reported.
std::optional<CompiledInputs> compile_inputs(Console& console, const InputFlags& flags,
                                             const ColourFlag& colour, const Options& options,
                                             const CompileStyle& style = {});

// Prints which Trainer version `auto` chose, unless it is the newest, and the line that decided it.
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

// Reports the inputs that are jobs which trainjobc doesn't read.
base::Diagnostics unread_jobs_of(const Compilation& compiled);

}  // namespace trainjobc::cli
