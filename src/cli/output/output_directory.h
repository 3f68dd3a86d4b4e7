// SPDX-License-Identifier: Apache-2.0

// render --output-dir: one file per object.
#pragma once

#include <span>
#include <string>

#include "cli/output/console.h"
#include "cli/output/printed_jobs.h"

namespace trainjobc::cli {

// Names the files that the last run with --prune-output wrote, one per line. Begins with a dot: trainjobc,
// kustomize and kubectl don't read it as a manifest.
inline constexpr std::string_view kOutputList = ".trainjobc-output";

enum class Prune {
  No,
  Later,  // only record what the next run may remove: some objects could not be rendered
  Now,
};

// Writes each object to `directory`, those of several namespaces into a folder each; Secrets for their owner
// only. Prune::Now removes what the list of the last such run names and this one does not write, if it is the
// manifest of the object that it is named after, and nothing else. No symbolic link below the directory is
// followed. Returns the exit status; what failed has been reported.
int write_directory(Console& console, const std::string& directory,
                    std::span<const PrintedObject* const> objects, Prune prune);

}  // namespace trainjobc::cli
