// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/job_cache.h"

#include <utility>

#include "model/trainer_names.h"

namespace trainjobc::compile {

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
    answer.root = found->object.root;
    answer.reading = found->object.reading;
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
  return *this == other && (!is_found || reading != 0);
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
  return {job.reading, job.unread->first_line, target.behaviours};
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
