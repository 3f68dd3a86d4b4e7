// SPDX-License-Identifier: Apache-2.0

// Trainer 2.3: spec.runtimePatches, each patch into the whole JobSet spec. A patch can add replicatedJobs.
#include <algorithm>
#include <map>
#include <vector>

#include "compile/merge/override_merge.h"
#include "model/overrides.h"
#include "yaml/fields.h"

namespace trainjobc::compile {
namespace {

using yaml::Maker;
using yaml::Node;

// The position of each replicatedJob in the runtime: patches don't move them.
class JobOrder {
 public:
  explicit JobOrder(const Node& spec) {
    const Node* jobs = spec.get("replicatedJobs");
    if (!jobs) return;
    size_t position = 0;
    for (const Node* job : jobs->items()) {
      if (const Node* name = job->get("name")) positions_[name->text()] = position;
      ++position;
    }
  }

  const Node* restore(const Node& spec, const Maker& make) const {
    const Node* jobs = spec.get("replicatedJobs");
    if (!jobs) return &spec;
    std::vector<const Node*> sorted(jobs->items().begin(), jobs->items().end());
    std::ranges::stable_sort(sorted, {}, [&](const Node* job) { return position(*job); });
    if (std::ranges::equal(sorted, jobs->items())) return &spec;
    return make.with(&spec, "replicatedJobs", make.list(sorted, jobs->origin()));
  }

 private:
  // A job that the runtime doesn't have counts as the first, as in the controller.
  size_t position(const Node& job) const {
    const auto found = positions_.find(text_at(job, "name"));
    return found != positions_.end() ? found->second : 0;
  }

  std::map<std::string_view, size_t> positions_;
};

}  // namespace

const Node* merge_job_sets(const OverrideMerge& merge, const Node& spec) {
  const JobOrder order(spec);
  const Node* merged = &spec;
  for (const Node* patch : model::runtime_patches(merge.job)) {
    if (const Node* change = patch->at({"trainingRuntimeSpec", "template", "spec"}))
      merged = merge_typed(merge, merged, *change, merge.job_set_spec, model::kRuntimePatches);
    if (!merged) return nullptr;
    merge.steps.push_back(merged);
  }
  return merged == &spec ? merged : order.restore(*merged, merge.make);
}

}  // namespace trainjobc::compile
