// SPDX-License-Identifier: Apache-2.0

// trainjobc diff; tests can replace the programs that it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/revisions.h"
#include "features/cluster/compare.h"

namespace trainjobc::cli {

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
  std::string context;
  std::string kubeconfig;
  std::string field_manager = "trainjobc";
  unsigned timeout = kCallTimeout;  // seconds
  bool server_side = false;
  bool show_ignored = false;
};

// Comparisons without a cluster: of two sets of files, of two revisions, of one for two versions of Trainer.
// nullopt if the inputs can't be loaded, which has been reported; the report has what is wrong in them.

std::optional<cluster::Report> compare_files(Console& console, const DiffFlags& flags, const InputFlags& before,
                                             const InputFlags& after);
std::optional<cluster::Report> compare_revisions(Console& console, const DiffFlags& flags,
                                                 base::ProcessRunner& runner);
std::optional<cluster::Report> compare_versions(Console& console, const DiffFlags& flags);

// How diff compiles.
Options options_of(const DiffFlags& flags);

// 0: the same, 1: different, above 1: an error.
int run_diff(Console& console, const DiffFlags& flags, base::ProcessRunner& runner);

}  // namespace trainjobc::cli
