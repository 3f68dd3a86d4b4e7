// SPDX-License-Identifier: Apache-2.0

// Which Trainer version each input is compiled for.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/diagnostic.h"
#include "compile/input/input.h"
#include "compile/target.h"
#include "compile/versions/version_survey.h"

namespace trainjobc::compile {

struct VersionPlan {
  Target common;                             // of all inputs that are not in `own`
  std::map<const InputObject*, Target> own;  // if no version accepts all of them
  base::Diagnostics findings;                // why it is not the newest, and what is incompatible
  std::string reason;  // "runtimes/torch.yaml:11:7 torch.numProcPerNode exists only until 2.1"

  Target target_of(const InputObject& object) const;
  // Every target in use, the oldest version first.
  std::vector<Target> targets() const;
  bool is_newest() const;
  // "2.3"; several are joined by ", ".
  std::string versions() const;
};

// `trainer_version` for all; the newest for "auto".
VersionPlan plan_for(std::string_view trainer_version);

// The runtimes of the inputs, then of --runtimes, by what a TrainJob says to refer to them.
class RuntimeIndex {
 public:
  RuntimeIndex(const InputSet& inputs, const InputSet& runtimes);

  // nullptr if the TrainJob refers to none of them. Threads may call it side by side.
  const InputObject* runtime_of(const InputObject& train_job) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // kind, namespace, name

  void add(const InputSet& set);

  std::map<Key, const InputObject*> runtimes_;
};

// A TrainJob of the inputs.
struct PlannedJob {
  const InputObject* object = nullptr;
  const InputObject* runtime = nullptr;          // nullptr: not one of RuntimeIndex
  std::shared_ptr<const SurveyedObject> survey;  // nullptr: it is assumed to fit every version
};

// --trainer-version auto: the newest version that knows the fields of all TrainJobs, their runtimes and the
// other runtimes among the inputs. Where there is none, each TrainJob gets the newest that accepts it and its
// runtime. A TrainJob that no version takes together with its runtime gets the newest of all, and an error
// that says why. Runtimes that are not in `surveyed`, if given, are assumed to fit every version.
VersionPlan plan_by_content(const InputSet& inputs, const std::vector<PlannedJob>& jobs,
                            const std::set<const InputObject*>* surveyed);

}  // namespace trainjobc::compile
