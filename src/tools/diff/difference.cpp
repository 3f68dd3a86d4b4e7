#include "tools/diff/difference.h"

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
  return std::ranges::any_of(objects, &ObjectDiff::differs);
}

size_t Report::differing_jobs() const {
  std::set<size_t> differing;
  for (const ObjectDiff& object : objects) {
    if (object.differs() && object.job < jobs) differing.insert(object.job);
  }
  return differing.size();
}

size_t Report::orphans() const {
  return static_cast<size_t>(
      std::ranges::count_if(objects, [](const ObjectDiff& object) { return !object.merged; }));
}

}  // namespace trainjobc::diff
