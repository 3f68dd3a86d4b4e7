// SPDX-License-Identifier: Apache-2.0

// PlainML: sets the number of nodes and the user's env, for jobs without a framework, and for those of
// XGBoost and Flux.
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::plainml {
namespace {

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  const Framework* framework = framework_of(info);
  if (framework && framework->sets_job) return;
  take_num_nodes(info, info.pod_set_by_ancestor(model::kTrainer));
  if (Container* container = info.trainer_container()) {
    upsert_job_env(context.make, container->env, info.job->trainer->env);
  }
}

}  // namespace

constexpr Plugin kPlugin{.name = "PlainML", .expand = expand};

}  // namespace trainjobc::policy::plainml
