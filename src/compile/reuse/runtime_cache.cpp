// SPDX-License-Identifier: Apache-2.0

#include "compile/reuse/runtime_cache.h"

namespace trainjobc::compile {

template <class T>
T RuntimeCache::find(Generations<T>& in, const InputObject& runtime, const model::Behaviours& behaviours) {
  if (runtime.reading == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const Key key{runtime.reading, runtime.root, &behaviours};
  if (const auto found = in.used.find(key); found != in.used.end()) return found->second;
  const auto found = in.old.find(key);
  return found != in.old.end() ? in.used.emplace(key, found->second).first->second : nullptr;
}

template <class T>
void RuntimeCache::put(Generations<T>& in, const InputObject& runtime, const model::Behaviours& behaviours,
                       T value) {
  if (runtime.reading == 0) return;
  const std::lock_guard lock(mutex_);
  in.used.insert_or_assign(Key{runtime.reading, runtime.root, &behaviours}, std::move(value));
}

RuntimeCache::Admission RuntimeCache::find_admission(const InputObject& runtime,
                                                     const model::Behaviours& behaviours) {
  return find(admissions_, runtime, behaviours);
}

void RuntimeCache::add(const InputObject& runtime, const model::Behaviours& behaviours, Admission admission) {
  put(admissions_, runtime, behaviours, std::move(admission));
}

RuntimeCache::Findings RuntimeCache::find_trial(const InputObject& runtime,
                                                const model::Behaviours& behaviours) {
  return find(trials_, runtime, behaviours);
}

void RuntimeCache::add(const InputObject& runtime, const model::Behaviours& behaviours, Findings of_trial) {
  put(trials_, runtime, behaviours, std::move(of_trial));
}

void RuntimeCache::forget_unused() {
  const std::lock_guard lock(mutex_);
  admissions_.old = std::exchange(admissions_.used, {});
  trials_.old = std::exchange(trials_.used, {});
}

}  // namespace trainjobc::compile
