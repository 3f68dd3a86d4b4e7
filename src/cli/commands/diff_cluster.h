// trainjobc diff with the cluster of kubectl.
#pragma once

#include <optional>

#include "cli/commands/diff_command.h"
#include "tools/diff/compare_objects.h"

namespace trainjobc::cli {

// nullopt if the cluster gives no answer, which has been reported. `options` say nothing of a dry run.
std::optional<diff::Report> compare_with_cluster(Console& console, const DiffFlags& flags,
                                                 const Compilation& compiled, diff::CompareOptions options,
                                                 base::ProcessRunner& runner);

}  // namespace trainjobc::cli
