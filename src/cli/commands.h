// SPDX-License-Identifier: Apache-2.0

// The commands: their setup functions, and those that tests run with flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/ssh_key.h"
#include "features/objects/differences.h"
#include "features/runtimes/runtimes.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_render(Command& command);
std::function<int(Console&)> setup_lint(Command& command);
std::function<int(Console&)> setup_explain(Command& command);
std::function<int(Console&)> setup_plan(Command& command);
std::function<int(Console&)> setup_graph(Command& command);
std::function<int(Console&)> setup_compose(Command& command);
std::function<int(Console&)> setup_diff(Command& command);
std::function<int(Console&)> setup_submit(Command& command);
std::function<int(Console&)> setup_migrate(Command& command);
std::function<int(Console&)> setup_new(Command& command);
std::function<int(Console&)> setup_function(Command& command);
std::function<int(Console&)> setup_runtimes(Command& command);
std::function<int(Console&)> setup_policies(Command& command);
std::function<int(Console&)> setup_kustomize_config(Command& command);
std::function<int(Console&)> setup_webhook(Command& command);
std::function<int(Console&)> setup_schema(Command& command);
std::function<int(Console&)> setup_completion(Command& command);
std::function<int(Console&)> setup_version(Command& command);

std::function<int(Console&)> setup_lsp(Command& command);

// trainjobc diff

struct DiffFlags {
  InputFlags input;
  ColourFlag colour;
  std::vector<std::string> live;
  std::vector<std::string> from;
  std::vector<std::string> from_runtimes;
  RevisionFlags revisions;
  std::string from_version;  // Trainer version; "" compares no versions
  std::string to_version;
  std::string format;  // "" for text, or KUBECTL_EXTERNAL_DIFF
  std::string orphans = "auto";
  KubectlFlags kubectl;
  std::string field_manager = "trainjobc";
  bool server_side = false;
  bool show_ignored = false;
};

// Comparisons without a cluster: of two sets of files, of two revisions, or of the same files for two Trainer
// versions. nullopt if the inputs can't be loaded, which has been reported; what is wrong in them is in the
// report.

std::optional<objects::Report> compare_files(Console& console, const DiffFlags& flags,
                                             const InputFlags& before, const InputFlags& after);
std::optional<objects::Report> compare_revisions(Console& console, const DiffFlags& flags);
std::optional<objects::Report> compare_versions(Console& console, const DiffFlags& flags);

// The compiler's options for diff.
Options options_of(const DiffFlags& flags);
// Whether a program of the user's shows the differences, and what the format shows of whole objects.
bool has_external_diff(const Console& console, const DiffFlags& flags);
objects::Manifests manifests_for(const Console& console, const DiffFlags& flags);

// Returns 0 if nothing differs, 1 if something does, above 1 after an error.
int run_diff(Console& console, const DiffFlags& flags);

// trainjobc runtimes pull and check

// How runtimes pull and check query a cluster.
struct RuntimeClusterFlags {
  KubectlFlags kubectl;
  std::string ns;  // "" for all namespaces

  void add_to(Command& command);
};

struct RuntimesPullFlags {
  RuntimeClusterFlags cluster;
  std::string directory;
  std::string trainer_version;
};

struct RuntimesCheckFlags {
  RuntimeClusterFlags cluster;
  std::vector<std::string> paths;
  DirectoryFlags directories;
  std::string trainer_version;
  std::string format = "text";
  bool ask_cluster = false;
};

// Returns 0 if the runtimes are written, 2 after an error of usage, I/O or kubectl.
int run_runtimes_pull(Console& console, const RuntimesPullFlags& flags);

// Writes files into the directory, prints their paths, and returns the exit status. `none` is a note for no
// files.
int write_pulled(Console& console, const std::string& directory,
                 const std::vector<runtimes::RuntimeFile>& pulled, std::string_view none);

// Returns 0 if none differs, 1 if one does, 2 after an error of usage, I/O or kubectl.
int run_runtimes_check(Console& console, const RuntimesCheckFlags& flags);

// trainjobc submit; tests can replace the clock.

struct SubmitFlags {
  InputFlags input;
  ColourFlag colour;
  SshKeyFlag ssh_key;
  KubectlFlags kubectl{.timeout = 0};  // for each call while it waits
  std::string dry_run;                 // "" for none, "client" or "server"
  bool force_conflicts = false;
  std::string as = "jobset";  // or "trainjob"
  bool replace = false;
  bool wait = false;
  bool cancel_on_interrupt = false;
};

// Returns 0 if everything is in place; 1 if an input was rejected, or with --wait a JobSet failed; 2 after an
// error of usage, I/O or kubectl, or a timeout; 128 + the number of an ignored signal that was received
// during --wait.
int run_submit(Console& console, SubmitFlags flags, base::Clock& clock);

}  // namespace trainjobc::cli
