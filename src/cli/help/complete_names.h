// Names that completion offers: rules, and the runtimes and jobs that the inputs on the line hold.
#pragma once

#include <string>
#include <vector>

#include "cli/help/complete.h"

namespace trainjobc::cli {

struct CompletionInputs {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  bool recurse = true;
};

std::vector<Candidate> rule_candidates();

// Of the inputs, --runtimes, the configuration and the catalogue; sorted. What can't be read is skipped.
std::vector<std::string> runtime_names(Console& console, const CompletionInputs& inputs);

// Of the inputs, or where the line names none, of the current folder's files; sorted.
std::vector<std::string> job_names(Console& console, const CompletionInputs& inputs);

}  // namespace trainjobc::cli
