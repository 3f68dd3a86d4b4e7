// SPDX-License-Identifier: Apache-2.0

// KUBECTL_EXTERNAL_DIFF: a diff program of the user's choice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "features/cluster/compare.h"
#include "features/diff/format.h"

namespace trainjobc::diff {

// The program and its arguments, split as kubectl does: at spaces; as in kubectl, arguments with characters
// other than letters, digits, - and = are dropped.
std::vector<std::string> split_external(std::string_view variable);

// Writes the objects that differ to two folders, named LIVE-… and MERGED-… as in kubectl or after the sides,
// and runs the program on them: first the folders, then its arguments. Removes the folders afterwards.
base::IoResult<base::ProcessResult> run_external(const cluster::Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner);

}  // namespace trainjobc::diff
