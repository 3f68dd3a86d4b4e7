#include "compile/checked.h"

#include <algorithm>
#include <map>
#include <set>

namespace trainjobc::compile {
namespace {

using yaml::Node;

std::set<const base::SourceFile*> broken_files(const base::Diagnostics& diagnostics) {
  std::set<const base::SourceFile*> files;
  for (const base::Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.stage == base::Stage::Yaml && diagnostic.severity == base::Severity::Error)
      files.insert(diagnostic.location.file);
  }
  return files;
}

// The units' TrainJobs, as read.
std::map<const Node*, const JobUnit*> units_by_root(const InputSet& inputs,
                                                    const std::deque<JobUnit>& units) {
  std::map<const Node*, const JobUnit*> out;
  auto unit = units.begin();
  for (const InputObject& input : inputs.objects) {
    if (input.kind == InputKind::TrainJob) out.emplace(input.root, &*unit++);
  }
  return out;
}

}  // namespace

std::vector<CheckedDocument> checked_documents(const std::vector<InputObject>& all, const InputSet& inputs,
                                               const std::deque<JobUnit>& units,
                                               const base::Diagnostics& diagnostics) {
  const std::set<const base::SourceFile*> broken = broken_files(diagnostics);
  const std::map<const Node*, const JobUnit*> unit_of = units_by_root(inputs, units);
  // Most findings in a runtime come from checking its jobs, and a rejected job may be one of them.
  std::set<const Node*> runtimes;
  for (const JobUnit& unit : units) {
    if (unit.runtime) runtimes.insert(unit.runtime->object.root);
  }
  const auto is_complete_job = [&](const InputObject& object) {
    const auto unit = unit_of.find(object.root);
    return unit != unit_of.end() && unit->second->complete;
  };
  const bool all_jobs = std::ranges::all_of(all, [&](const InputObject& object) {
    return object.kind != InputKind::TrainJob || is_complete_job(object);
  });
  const auto is_complete = [&](const InputObject& object) {
    if (object.kind == InputKind::Foreign) return true;
    if (object.kind == InputKind::TrainJob) return is_complete_job(object);
    return all_jobs && runtimes.contains(object.root);
  };
  std::vector<CheckedDocument> out;
  for (const base::SourceFile* file : broken) out.push_back({file, 0, false});
  for (const InputObject& object : all) {
    const base::Location at = yaml::locate(*object.root);
    out.push_back({at.file, at.line, !broken.contains(at.file) && is_complete(object)});
  }
  return out;
}

}  // namespace trainjobc::compile
