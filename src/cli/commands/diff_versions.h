// trainjobc diff --from-version A --to-version B: what an upgrade of Trainer changes.
#pragma once

#include <optional>

#include "cli/commands/diff_command.h"
#include "tools/diff/difference.h"

namespace trainjobc::cli {

// Compiles the inputs for both versions. nullopt if they can't be loaded, which has been reported. `options`
// is how to compile them.
std::optional<diff::Report> compare_versions(Console& console, const DiffFlags& flags,
                                             const Options& options);

// What no report of this format says of the objects that a version refuses, on stderr.
void print_acceptances(Console& console, const diff::Report& report, const DiffFlags& flags);

}  // namespace trainjobc::cli
