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
  std::string from_version;  // of Trainer; "": no comparison of versions
  std::string to_version;
  std::string format;  // "" is text, or KUBECTL_EXTERNAL_DIFF
  std::string orphans = "auto";
  KubectlFlags kubectl;
  std::string field_manager = "trainjobc";
  bool server_side = false;
  bool show_ignored = false;
};

// Comparisons without a cluster: of two sets of files, of two revisions, of one for two versions of Trainer.
// nullopt if the inputs can't be loaded, which has been reported; the report has what is wrong in them.

std::optional<objects::Report> compare_files(Console& console, const DiffFlags& flags,
                                             const InputFlags& before, const InputFlags& after);
std::optional<objects::Report> compare_revisions(Console& console, const DiffFlags& flags);
std::optional<objects::Report> compare_versions(Console& console, const DiffFlags& flags);

// How diff compiles.
Options options_of(const DiffFlags& flags);

// 0: the same, 1: different, above 1: an error.
int run_diff(Console& console, const DiffFlags& flags);

// trainjobc runtimes pull and check

// How runtimes pull and check ask a cluster.
struct RuntimeClusterFlags {
  KubectlFlags kubectl;
  std::string ns;  // "": all

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

// 0: written; 2: usage, I/O or kubectl.
int run_runtimes_pull(Console& console, const RuntimesPullFlags& flags);

// 0: none differs; 1: one does; 2: usage, I/O or kubectl.
int run_runtimes_check(Console& console, const RuntimesCheckFlags& flags);

// trainjobc submit; tests can replace the clock.

struct SubmitFlags {
  InputFlags input;
  ColourFlag colour;
  SshKeyFlag ssh_key;
  KubectlFlags kubectl{.timeout = 0};  // of the wait
  std::string dry_run;                 // "", "client" or "server"
  bool force_conflicts = false;
  std::string as = "jobset";  // or "trainjob"
  bool replace = false;
  bool wait = false;
  bool cancel_on_interrupt = false;
};

// 0: everything is in place; 1: an input was rejected, or with --wait a JobSet failed; 2: usage, I/O,
// kubectl, timeout; 128 + the number of an ignored signal that was received during --wait.
int run_submit(Console& console, SubmitFlags flags, base::Clock& clock);

}  // namespace trainjobc::cli
