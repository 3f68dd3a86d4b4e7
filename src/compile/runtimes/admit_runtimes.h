// SPDX-License-Identifier: Apache-2.0

// Pass 2 of the runtimes: admits those of the inputs, for each Trainer version in use.
#pragma once

#include <deque>
#include <memory>
#include <set>

#include "compile/compile.h"
#include "compile/input/input.h"
#include "compile/runtimes/runtime_store.h"
#include "compile/runtimes/trial.h"
#include "compile/versions/version_plan.h"

namespace trainjobc::compile {

// The runtimes under one Trainer version.
struct Library {
  Target target;
  base::Diagnostics diagnostics;
  std::unique_ptr<RuntimeStore> store;
};

struct AdmittedRuntimes {
  std::deque<Library> libraries;  // one per Trainer version in use

  RuntimeStore& store_for(const Target& target) const;
};

std::unique_ptr<AdmittedRuntimes> admit_runtimes(const InputSet& inputs, const InputSet& runtimes,
                                                 const VersionPlan& plan);

// What there is to say about the runtimes once each TrainJob has found its own.
struct RuntimeFindings {
  std::deque<Trial> trials;  // of the inputs' runtimes without a TrainJob, if nothing is rendered
  base::Diagnostics diagnostics;
  std::set<const InputObject*> refused;
};

RuntimeFindings find_in_runtimes(const AdmittedRuntimes& admitted, const InputSet& inputs,
                                 const InputSet& runtimes, const VersionPlan& plan, const Options& options);

}  // namespace trainjobc::compile
