// render --output-dir: one file an object.
#pragma once

#include <span>
#include <string>

#include "cli/console.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::cli {

// Names the files that the last run with --prune-output wrote, a line each. Begins with a dot: trainjobc,
// kustomize and kubectl don't read it as a manifest.
inline constexpr std::string_view kOutputList = ".trainjobc-output";

// Writes each object to `directory`, those of several namespaces into a folder each; Secrets for their owner
// only. With `prune`, removes what the list of the last such run names and this one does not write, nothing
// else, and writes the list anew. Returns the exit status; what failed has been said.
int write_directory(Console& console, const std::string& directory, std::span<const Object> objects,
                    bool prune);

}  // namespace trainjobc::cli
