// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "features/cluster/live.h"
#include "model/runtime.h"
#include "model/trainer_names.h"

namespace trainjobc::cluster {
namespace {

using base::Diagnostic;

// The name under which an object's diagnostics are reported: the file's if the object is unreadable.
std::string object_of(const Diagnostic& diagnostic) {
  if (!diagnostic.object.empty()) return diagnostic.object;
  return diagnostic.location.file ? diagnostic.location.file->name() : "";
}

// The identity of a refusal.
auto content_of(const Diagnostic& d) {
  return std::tuple(std::string(d.rule), d.field, d.message, d.location.line, d.location.column);
}

std::string train_job_of(const Object& job_set) {
  return object_id(model::kTrainJob, job_set.ns, job_set.name);
}

std::set<std::string> rendered_jobs(const Compilation& compiled) {
  std::set<std::string> jobs;
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet") jobs.insert(train_job_of(object));
  }
  return jobs;
}

// What one version says about the inputs.
class VersionVerdicts {
 public:
  explicit VersionVerdicts(const Compilation& compiled) : jobs_(rendered_jobs(compiled)) {
    for (const Diagnostic& diagnostic : compiled.diagnostics.items()) {
      if (base::is_refusal(diagnostic)) refusals_[object_of(diagnostic)].push_back(diagnostic);
    }
  }

  bool takes(const std::string& object) const {
    return object.starts_with("TrainJob/") ? jobs_.contains(object) : !refusals_.contains(object);
  }
  std::vector<Diagnostic> refusals_of(const std::string& object) const {
    const auto found = refusals_.find(object);
    return found != refusals_.end() ? found->second : std::vector<Diagnostic>();
  }
  const std::map<std::string, std::vector<Diagnostic>>& refusals() const { return refusals_; }

 private:
  std::set<std::string> jobs_;
  std::map<std::string, std::vector<Diagnostic>> refusals_;
};

// A job without findings.
std::string cause_of(const LintedObject& object) {
  const model::ObjectId runtime = model::runtime_of(*object.root, "");
  return fmt::format("its runtime, {} {}, is not accepted", runtime.kind, runtime.name);
}

class VerdictCollector {
 public:
  VerdictCollector(const Compilation& old_version, const Compilation& new_version)
      : before_(old_version), after_(new_version) {}

  void add(const std::string& object, const LintedObject* linted) {
    if (!seen_.insert(object).second) return;
    const bool before = before_.takes(object);
    const bool after = after_.takes(object);
    if (before && after) return;
    Acceptance acceptance;
    acceptance.object = object;
    acceptance.verdict = before ? Verdict::NoLonger : after ? Verdict::Newly : Verdict::Never;
    if (!before) acceptance.refusals = before_.refusals_of(object);
    if (!after) {
      std::set<decltype(content_of({}))> known;
      for (const Diagnostic& diagnostic : acceptance.refusals) known.insert(content_of(diagnostic));
      for (Diagnostic& diagnostic : after_.refusals_of(object)) {
        if (known.insert(content_of(diagnostic)).second) acceptance.refusals.push_back(std::move(diagnostic));
      }
    }
    if (acceptance.refusals.empty() && linted) {
      acceptance.cause = cause_of(*linted);
      acceptance.location = yaml::locate(*linted->root);
    }
    found_.push_back(std::move(acceptance));
  }

  void add_rest() {
    for (const VersionVerdicts* side : {&before_, &after_}) {
      for (const auto& [object, refusals] : side->refusals()) add(object, nullptr);
    }
  }

  std::vector<Acceptance> take() { return std::move(found_); }

 private:
  VersionVerdicts before_;
  VersionVerdicts after_;
  std::set<std::string> seen_;
  std::vector<Acceptance> found_;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::NoLonger: return "no longer accepted";
    case Verdict::Newly: return "newly accepted";
    case Verdict::Never: return "never accepted";
  }
  return "";
}

std::string Acceptance::title() const {
  const size_t kind_end = object.find('/');
  static constexpr std::string_view kKinds[] = {model::kTrainJob, model::kTrainingRuntime,
                                                model::kClusterTrainingRuntime};
  if (std::ranges::find(kKinds, std::string_view(object).substr(0, kind_end)) == std::end(kKinds))
    return object;
  const size_t name = object[kind_end + 1] == '/' ? kind_end + 2 : kind_end + 1;
  return fmt::format("{} {}", object.substr(0, kind_end), object.substr(name));
}

std::vector<Acceptance> compare_acceptance(const Compilation& old_version, const Compilation& new_version) {
  VerdictCollector collector(old_version, new_version);
  for (const LintedObject& linted : new_version.linted) collector.add(linted.object, &linted);
  collector.add_rest();
  return collector.take();
}

Compilation rendered_by_both(const Compilation& compiled, const Compilation& other) {
  const std::set<std::string> jobs = rendered_jobs(other);
  Compilation kept = compiled;
  kept.objects.clear();
  std::vector<Object> of_job;  // the JobSet is the last object of its TrainJob
  for (const Object& object : compiled.objects) {
    of_job.push_back(object);
    if (object.kind != "JobSet") continue;
    if (jobs.contains(train_job_of(object))) std::ranges::copy(of_job, std::back_inserter(kept.objects));
    of_job.clear();
  }
  return kept;
}

}  // namespace trainjobc::cluster
