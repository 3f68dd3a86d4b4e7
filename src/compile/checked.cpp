// SPDX-License-Identifier: Apache-2.0

#include "compile/checked.h"

#include <algorithm>
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

// The documents of the runtimes that jobs were resolved to: most findings in a runtime come from checking its
// jobs.
std::set<const Node*> used_runtimes(const std::vector<JobResult>& jobs) {
  std::set<const Node*> roots;
  for (const JobResult& job : jobs) {
    if (job.runtime) roots.insert(job.runtime->object.root);
  }
  return roots;
}

bool is_job(const JobResult& job) {
  return job.state == JobResult::State::Compiled || job.state == JobResult::State::LeftOut;
}

}  // namespace

std::vector<CheckedDocument> checked_documents(const InputSet& inputs, const std::vector<JobResult>& jobs,
                                               const base::Diagnostics& diagnostics) {
  const std::set<const base::SourceFile*> broken = broken_files(diagnostics);
  const std::set<const Node*> runtimes = used_runtimes(jobs);
  // A rejected job may be one of a runtime's.
  const bool all_jobs =
      std::ranges::all_of(jobs, [](const JobResult& job) { return !is_job(job) || job.complete; });
  std::vector<CheckedDocument> out;
  const auto add = [&](const base::Location& at, bool is_complete) {
    out.push_back({at.file, at.line, is_complete && !broken.contains(at.file)});
  };
  for (const base::SourceFile* file : broken) out.push_back({file, 0, false});
  auto job = jobs.begin();
  for (const InputObject& object : inputs.objects) {
    if (object.kind == InputKind::TrainJob) {
      if (is_job(*job)) add(job->location, job->complete);
      ++job;
    } else {
      const bool is_foreign = object.kind == InputKind::Foreign;
      add(object.location, is_foreign || (all_jobs && runtimes.contains(object.root)));
    }
  }
  return out;
}

}  // namespace trainjobc::compile
