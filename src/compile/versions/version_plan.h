// Which Trainer version each input is compiled for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/input/input.h"
#include "compile/target.h"

namespace trainjobc::compile {

struct VersionPlan {
  Target common;                             // of every input that `own` doesn't list
  std::map<const InputObject*, Target> own;  // where no version takes them all
  base::Diagnostics findings;                // why it is not the newest, and what doesn't fit together
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

// --trainer-version auto: the newest version that knows the fields of all TrainJobs, their runtimes and the
// other runtimes among the inputs. Where there is none, each TrainJob gets the newest that accepts it and its
// runtime. A TrainJob that no version takes together with its runtime gets the newest of all, and an error
// that says why. `refused` are the objects that the newest version refuses.
VersionPlan plan_by_content(const InputSet& inputs, const InputSet& runtimes,
                            const std::set<const InputObject*>& refused);

}  // namespace trainjobc::compile
