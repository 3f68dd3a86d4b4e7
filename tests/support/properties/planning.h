// SPDX-License-Identifier: Apache-2.0

// What must hold of `plan --quota` and of `graph`, whatever the inputs contain.
#pragma once

#include <string>

namespace trainjobc::test {

// Each returns what is wrong, or "".
// The text as Kueue's objects, for the jobs of queued_jobs(): a ClusterQueue can use what the rules say,
// written down once more without an index; a verdict has its reasons; each format is written.
std::string wrong_with_quota(const std::string& text);
// The text as manifests: arrows are between boxes, no two boxes are the same, and no label leaves its quotes.
std::string wrong_with_graph(const std::string& text);

// TrainJobs of namespace team: of the LocalQueue lq, of none, and of one that no one defines.
std::string queued_jobs();

}  // namespace trainjobc::test
