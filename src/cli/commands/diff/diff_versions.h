// SPDX-License-Identifier: Apache-2.0

// trainjobc diff --from-version A --to-version B: what an upgrade of Trainer changes.
#pragma once

#include <optional>

#include "cli/commands/diff/diff_command.h"
#include "features/cluster/compare.h"

namespace trainjobc::cli {

// Compiles the inputs for both versions. nullopt if they can't be loaded, which has been reported. `options`
// are those of the compilation.
std::optional<cluster::Report> compare_versions(Console& console, const DiffFlags& flags,
                                                const Options& options);

// Prints to stderr what the report in this format does not say about objects that a version refuses.
void print_acceptances(Console& console, const cluster::Report& report, const DiffFlags& flags);

}  // namespace trainjobc::cli
