// SPDX-License-Identifier: Apache-2.0

// Which of the same inputs two Trainer versions refuse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"

namespace trainjobc::cluster {

enum class Verdict {
  NoLonger,  // only the old version accepts it
  Newly,     // only the new one
  Never,     // neither
};

std::string_view to_string(Verdict verdict);

// A TrainJob or runtime that at least one version refuses, or a file that can't be read.
struct Acceptance {
  std::string object;  // "TrainJob/team-a/llama"; a file's name
  Verdict verdict = Verdict::Never;
  // From the version that refuses it; if both do, what they share once.
  std::vector<base::Diagnostic> refusals;
  std::string cause;        // why there are none: "its runtime ClusterTrainingRuntime torch is not accepted"
  base::Location location;  // of the object, if `cause` is given

  // "TrainJob team-a/llama", "ClusterTrainingRuntime torch"
  std::string title() const;
};

// The objects of the inputs that at least one version refuses, in the order of the inputs. A TrainJob is
// accepted if its JobSet is, anything else if it has no errors.
std::vector<Acceptance> compare_acceptance(const Compilation& old_version, const Compilation& new_version);

// `compiled` with only the objects of TrainJobs that `other` also renders.
Compilation rendered_by_both(const Compilation& compiled, const Compilation& other);

}  // namespace trainjobc::cluster
