// SPDX-License-Identifier: Apache-2.0

#include "features/objects/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/text.h"
#include "model/runtime.h"
#include "model/trainer_names.h"

namespace trainjobc::objects {
namespace {

std::string train_job_of(const Object& job_set) {
  return object_id(model::kTrainJob, job_set.ns, job_set.name);
}

}  // namespace

std::set<std::string> rendered_jobs(const Compilation& compiled) {
  std::set<std::string> jobs;
  for (const Object& object : compiled.objects) {
    if (object.kind == "JobSet") jobs.insert(train_job_of(object));
  }
  for (const CollectedJob& job : compiled.collected)
    jobs.insert(object_id(model::kTrainJob, job.ns, job.name));
  return jobs;
}

std::set<std::string> refused_jobs(const Compilation& compiled) {
  const std::set<std::string> rendered = rendered_jobs(compiled);
  std::set<std::string> refused;
  for (const LintedObject& linted : compiled.linted) {
    if (linted.object.starts_with("TrainJob/") && !rendered.contains(linted.object))
      refused.insert(linted.object);
  }
  return refused;
}

namespace {

using base::Diagnostic;

std::string without(std::string_view prefix, std::string_view name) {
  return std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
}

// The name under which an object's diagnostics are reported; if the object is unreadable, that of its file
// without the prefix.
std::string object_of(const Diagnostic& diagnostic, std::string_view prefix) {
  if (!diagnostic.object.empty()) return diagnostic.object;
  return diagnostic.location.file ? without(prefix, diagnostic.location.file->name()) : "";
}

// What identifies a refusal.
auto content_of(const Diagnostic& d) {
  return std::tuple(std::string(d.rule), d.field, d.message, d.location.line, d.location.column);
}

// The verdicts of one side on the inputs.
class SideVerdicts {
 public:
  // `prefix` is how file names begin.
  SideVerdicts(const Compilation& compiled, std::string_view prefix) : jobs_(rendered_jobs(compiled)) {
    for (const Diagnostic& diagnostic : compiled.diagnostics.items()) {
      if (base::is_refusal(diagnostic)) refusals_[object_of(diagnostic, prefix)].push_back(diagnostic);
    }
    for (const LintedObject& linted : compiled.linted) known_.insert(linted.object);
    for (const base::SourceFile* file : compiled.files) known_.insert(without(prefix, file->name()));
  }

  // Whether there is an object or a file of this name, accepted or not.
  bool has(const std::string& object) const { return known_.contains(object) || refusals_.contains(object); }

  // If a job is defined twice, the first one is rendered.
  bool takes(const std::string& object) const {
    return !refusals_.contains(object) && (!object.starts_with("TrainJob/") || jobs_.contains(object));
  }
  std::vector<Diagnostic> refusals_of(const std::string& object) const {
    return base::value_or(refusals_, object);
  }
  const std::map<std::string, std::vector<Diagnostic>>& refusals() const { return refusals_; }

 private:
  std::set<std::string> jobs_;
  std::set<std::string> known_;
  std::map<std::string, std::vector<Diagnostic>> refusals_;
};

class VerdictCollector {
 public:
  VerdictCollector(const Compilation& before, const Compilation& after,
                   const std::optional<FilePrefixes>& states)
      : before_(before, states ? states->before : ""),
        after_(after, states ? states->after : ""),
        are_states_(states.has_value()) {}

  void add(const std::string& object, const LintedObject* linted) {
    if (!seen_.insert(object).second) return;
    const bool before = before_.takes(object) && !lacks(before_, object);
    const bool after = after_.takes(object);
    if (after && (before || lacks(before_, object))) return;
    if (lacks(after_, object)) return;  // it was removed
    Acceptance acceptance;
    acceptance.object = object;
    acceptance.verdict = before ? Verdict::NoLonger : after ? Verdict::Newly : Verdict::Never;
    const bool is_settled = are_states_ && !after;  // then only the new state counts
    if (!before && !is_settled) acceptance.refusals = before_.refusals_of(object);
    if (!after) {
      std::set<decltype(content_of({}))> known;
      for (const Diagnostic& diagnostic : acceptance.refusals) known.insert(content_of(diagnostic));
      for (Diagnostic& diagnostic : after_.refusals_of(object)) {
        if (known.insert(content_of(diagnostic)).second) acceptance.refusals.push_back(std::move(diagnostic));
      }
    }
    if (acceptance.refusals.empty() && linted) {
      acceptance.cause = fmt::format("its runtime, {}, is not accepted", linted->runtime);
      acceptance.place = fmt::format("{}:{}", linted->file, linted->line);
    }
    found_.push_back(std::move(acceptance));
  }

  void add_rest() {
    for (const SideVerdicts* side : {&before_, &after_}) {
      for (const auto& [object, refusals] : side->refusals()) add(object, nullptr);
    }
  }

  std::vector<Acceptance> take() { return std::move(found_); }

 private:
  // Whether the sides are states of files, and this one has no such object.
  bool lacks(const SideVerdicts& side, const std::string& object) const {
    return are_states_ && !side.has(object);
  }

  SideVerdicts before_;
  SideVerdicts after_;
  bool are_states_;
  std::set<std::string> seen_;
  std::vector<Acceptance> found_;
};

}  // namespace

std::vector<Acceptance> compare_acceptance(const Compilation& before, const Compilation& after,
                                           const std::optional<FilePrefixes>& states) {
  VerdictCollector collector(before, after, states);
  for (const LintedObject& linted : after.linted) collector.add(linted.object, &linted);
  collector.add_rest();
  return collector.take();
}

Compilation rendered_by_both(const Compilation& compiled, const Compilation& other) {
  const std::set<std::string> jobs = rendered_jobs(other);
  Compilation kept = compiled;
  kept.objects.clear();
  std::vector<Object> of_job;  // the JobSet comes last
  for (const Object& object : compiled.objects) {
    of_job.push_back(object);
    if (object.kind != "JobSet") continue;
    if (jobs.contains(train_job_of(object))) std::ranges::copy(of_job, std::back_inserter(kept.objects));
    of_job.clear();
  }
  return kept;
}

}  // namespace trainjobc::objects
