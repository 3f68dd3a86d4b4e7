// KUBECTL_EXTERNAL_DIFF: a diff program of the user's choice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "tools/diff/difference.h"
#include "tools/diff/format/formats.h"

namespace trainjobc::diff {

// The program and its arguments, split as kubectl does: at spaces; arguments of other characters than
// letters, digits, - and = are dropped, no matter who set them.
std::vector<std::string> split_external(std::string_view variable);

// Writes what differs to two folders, LIVE-… and MERGED-… as kubectl does, or what else the sides are called,
// and runs the program on them: first the folders, then its arguments. The folders are removed afterwards.
base::IoResult<base::ProcessResult> run_external(const Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner);

}  // namespace trainjobc::diff
