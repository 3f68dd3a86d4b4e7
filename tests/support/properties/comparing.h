// SPDX-License-Identifier: Apache-2.0

// What must hold of diff, whatever the inputs and a cluster's objects contain.
#pragma once

#include <string>

namespace trainjobc::test {

// A word that no report may contain if only secret values contain it.
inline constexpr const char* kSecretWord = "s3cr3t";

// The TrainJobs that wrong_with_live compares with; see tests/fuzz/seeds/diff for what they render to.
std::string compared_jobs();

// Each returns what is wrong, or "".
// The text as objects of a cluster, and maybe as the result of a dry run, compared with compared_jobs(): a
// report in each format, without secrets.
std::string wrong_with_live(const std::string& text, bool is_dry_run);
// The text as inputs: what they render to does not differ from itself.
std::string wrong_with_diff_of_itself(const std::string& text);

}  // namespace trainjobc::test
