// What two Trainer versions refuse of the same inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"

namespace trainjobc::diff {

enum class Verdict {
  NoLonger,  // only the old version accepts it
  Newly,     // only the new one
  Never,     // neither
};

std::string_view to_string(Verdict verdict);

// A TrainJob or runtime that not both versions accept, or a file that can't be read.
struct Acceptance {
  std::string object;  // "TrainJob/team-a/llama"; a file's name
  Verdict verdict = Verdict::Never;
  // Of the version that refuses it; of both versions where both do, what they share once.
  std::vector<base::Diagnostic> refusals;
  std::string cause;        // why there are none: "its runtime ClusterTrainingRuntime torch is not accepted"
  base::Location location;  // of the object, where `cause` is given

  // "TrainJob team-a/llama", "ClusterTrainingRuntime torch"
  std::string title() const;
};

// The objects of the inputs that a version refuses, in the order of the inputs. A TrainJob is accepted if its
// JobSet is, anything else if nothing is reported against it.
std::vector<Acceptance> compare_acceptance(const Compilation& old_version, const Compilation& new_version);

// `compiled` with the objects of those TrainJobs alone that `other` renders too.
Compilation rendered_by_both(const Compilation& compiled, const Compilation& other);

}  // namespace trainjobc::diff
