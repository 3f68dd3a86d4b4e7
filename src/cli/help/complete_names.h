// SPDX-License-Identifier: Apache-2.0

// Names that completion offers: rules, and the runtimes and jobs in the inputs on the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/complete.h"

namespace trainjobc::cli {

struct CompletionInputs {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  bool recurse = true;
  std::string typed;  // of the value at the cursor
};

std::vector<Candidate> rule_candidates();

// The kinds that have a JSON Schema.
std::vector<std::string> schema_kinds();

// Names of fields that begin with what is typed; of a JSONPath, the paths that go on from it.
std::vector<std::string> field_names(std::string_view typed);

// Those in the inputs, --runtimes, the configuration and the catalogue; sorted. Files that can't be read are
// skipped.
std::vector<std::string> runtime_names(Console& console, const CompletionInputs& inputs);

// Those in the inputs or, if the line names none, in the files of the current folder; sorted.
std::vector<std::string> job_names(Console& console, const CompletionInputs& inputs);

}  // namespace trainjobc::cli
