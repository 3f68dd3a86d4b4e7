// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/job_cache.h"

#include <algorithm>
#include <utility>

#include "compile/jobs.h"
#include "compile/reuse/moves.h"
#include "model/trainer_names.h"

namespace trainjobc::compile {
namespace {

using Outcome = Moves::Outcome;

Outcome move_survey(std::shared_ptr<const SurveyedObject>& survey, const Moves& moves) {
  if (!survey) return Outcome::Stays;
  SurveyedObject surveyed = *survey;
  Outcome outcome = Outcome::Stays;
  for (std::vector<Objection>& of_version : surveyed.objections) {
    for (Objection& objection : of_version) outcome = std::max(outcome, moves.move(objection.location));
  }
  if (outcome == Outcome::Moved) survey = std::make_shared<const SurveyedObject>(std::move(surveyed));
  return outcome;
}

Outcome move_result(JobResult& result, const Moves& moves) {
  Outcome outcome = moves.move(result.location);
  if (result.name_at) outcome = std::max(outcome, moves.move(*result.name_at));
  outcome = std::max(outcome, move_survey(result.planned.survey, moves));
  result.diagnostics.retain([&](base::Diagnostic& found) {
    outcome = std::max(outcome, moves.move(found));
    return true;
  });
  // These say the numbers of lines.
  const bool names_lines = !result.reading.empty() || !result.passed_over.empty();
  return names_lines ? Outcome::Gone : outcome;
}

}  // namespace

RuntimeQuestion RuntimeQuestion::of(const model::TrainJob& job) {
  const model::RuntimeRef& ref = job.runtime_ref;
  return {std::string(job.id.ns),     std::string(job.id.name), std::string(job.uid),
          std::string(ref.api_group), std::string(ref.kind),    std::string(ref.name.value)};
}

model::TrainJob RuntimeQuestion::job() const {
  model::TrainJob job;
  job.id = {.kind = model::kTrainJob, .ns = ns, .name = name};
  job.uid = uid;
  job.runtime_ref.api_group = runtime_group;
  job.runtime_ref.kind = runtime_kind;
  job.runtime_ref.name.value = runtime_name;
  return job;
}

RuntimeAnswer RuntimeAnswer::of(const Resolution& resolution) {
  RuntimeAnswer answer;
  if (const StoredRuntime* found = resolution.found) {
    answer.is_found = true;
    answer.document = found->object.document;
    answer.item = found->object.item;
    answer.accepted = found->accepted;
    answer.is_input = found->is_input;
    return answer;
  }
  if (resolution.meant) answer.meant = std::string(*resolution.meant);
  answer.elsewhere = resolution.elsewhere;
  answer.other_kind = resolution.other_kind;
  return answer;
}

bool RuntimeAnswer::is_same(const RuntimeAnswer& other) const {
  return *this == other && (!is_found || document != 0);
}

void KnownJob::index(const model::ObjectId& runtime) {
  index_kind_ = runtime.kind;
  index_ns_ = runtime.ns;
  index_name_ = runtime.name;
  index_namespaced_ = runtime.namespaced;
}

model::ObjectId KnownJob::indexed_runtime() const {
  return {index_kind_, index_ns_, index_name_, index_namespaced_};
}

JobCache::Key JobCache::key_of(const InputObject& job, const Target& target) {
  return {job.document, target.behaviours};
}

std::shared_ptr<const KnownJob> moved(std::shared_ptr<const KnownJob> known, const Moves& moves) {
  if (moves.empty()) return known;
  JobResult result = *known->result;
  switch (move_result(result, moves)) {
    case Moves::Outcome::Stays: return known;
    case Moves::Outcome::Gone: return nullptr;
    case Moves::Outcome::Moved: break;
  }
  auto again = std::make_shared<KnownJob>(*known);
  again->result = std::make_shared<const JobResult>(std::move(result));
  return again;
}

std::shared_ptr<const KnownJob> JobCache::find(const InputObject& job, const Target& target) const {
  for (const auto* jobs : {&added_, &jobs_}) {
    if (const auto found = jobs->find(key_of(job, target)); found != jobs->end()) return found->second;
  }
  return nullptr;
}

void JobCache::add(const InputObject& job, std::shared_ptr<const KnownJob> known) {
  const Key key = key_of(job, known->target);
  added_.insert_or_assign(key, std::move(known));
}

void JobCache::forget_unused() {
  jobs_ = std::exchange(added_, {});
}

}  // namespace trainjobc::compile
