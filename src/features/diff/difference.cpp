// SPDX-License-Identifier: Apache-2.0

#include "features/diff/difference.h"

#include <algorithm>
#include <set>

namespace trainjobc::diff {

std::string_view to_string(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::Changed: return "changed";
    case DifferenceKind::Missing: return "missing";
    case DifferenceKind::Orphaned: return "orphaned";
    case DifferenceKind::Ignored: return "ignored";
  }
  return "";
}

bool ObjectDiff::differs() const {
  return std::ranges::any_of(differences,
                             [](const Difference& d) { return d.kind != DifferenceKind::Ignored; });
}

bool Report::differs() const {
  return std::ranges::any_of(objects, &ObjectDiff::differs) || count(Verdict::NoLonger, false) > 0 ||
         count(Verdict::Newly, false) > 0;
}

size_t Report::differing_jobs() const {
  std::set<size_t> differing;
  for (const ObjectDiff& object : objects) {
    if (object.differs() && object.job != kNoJob) differing.insert(object.job);
  }
  return differing.size();
}

size_t Report::orphans() const {
  return static_cast<size_t>(
      std::ranges::count_if(objects, [](const ObjectDiff& object) { return !object.merged; }));
}

size_t Report::count(Verdict verdict, bool jobs_only) const {
  return static_cast<size_t>(std::ranges::count_if(acceptances, [&](const Acceptance& acceptance) {
    return acceptance.verdict == verdict && (!jobs_only || acceptance.object.starts_with("TrainJob/"));
  }));
}

}  // namespace trainjobc::diff
