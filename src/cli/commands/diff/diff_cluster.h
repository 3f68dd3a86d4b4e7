// SPDX-License-Identifier: Apache-2.0

// trainjobc diff with the cluster that kubectl uses.
#pragma once

#include <optional>

#include "cli/commands/diff/diff_command.h"
#include "features/cluster/compare.h"

namespace trainjobc::cli {

// nullopt if the cluster does not respond, which has been reported. `options` have no dry run.
std::optional<cluster::Report> compare_with_cluster(Console& console, const DiffFlags& flags,
                                                    const Compilation& compiled,
                                                    cluster::CompareOptions options,
                                                    base::ProcessRunner& runner);

}  // namespace trainjobc::cli
