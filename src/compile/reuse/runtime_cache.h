// SPDX-License-Identifier: Apache-2.0

// What the passes found in runtimes, for a later run that reads the same ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "compile/input/input.h"
#include "compile/target.h"
#include "model/runtime.h"

namespace trainjobc::compile {

// An admitted runtime, in memory of its own. Its nodes refer to those of the runtime's document.
struct AdmittedRuntime {
  base::Arena arena;
  base::Diagnostics diagnostics;
  model::Runtime runtime;               // decoded if accepted by the schema
  const yaml::Node* encoded = nullptr;  // as Go would encode it; the same
  bool accepted = false;                // no rule is violated
};

// By runtime and version. Threads may use it side by side. `find` returns nullptr for an object that is not
// known, or in no ReadCache.
class RuntimeCache {
 public:
  using Admission = std::shared_ptr<const AdmittedRuntime>;
  using Findings = std::shared_ptr<const base::Diagnostics>;

  Admission find_admission(const InputObject& runtime, const model::Behaviours& behaviours);
  void add(const InputObject& runtime, const model::Behaviours& behaviours, Admission admission);

  // Of its trial.
  Findings find_trial(const InputObject& runtime, const model::Behaviours& behaviours);
  void add(const InputObject& runtime, const model::Behaviours& behaviours, Findings of_trial);

  // Forgets what nobody has asked for since the last call.
  void forget_unused();

 private:
  using Key = std::tuple<uint64_t, const void*, const void*>;  // file, root, behaviours

  template <class T>
  struct Generations {
    std::map<Key, T> old;
    std::map<Key, T> used;
  };

  template <class T>
  T find(Generations<T>& in, const InputObject& runtime, const model::Behaviours& behaviours);
  template <class T>
  void put(Generations<T>& in, const InputObject& runtime, const model::Behaviours& behaviours, T value);

  std::mutex mutex_;
  Generations<Admission> admissions_;
  Generations<Findings> trials_;
};

}  // namespace trainjobc::compile
