// SPDX-License-Identifier: Apache-2.0

#include "compile/scale.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::compile {
namespace {

using policy::NodeResources;
using yaml::Maker;
using yaml::Node;

// The list of limits or requests with that number of GPUs, if it has any.
const Node* with_gpus(const Node* list, int64_t gpus, const Maker& make) {
  if (!list) return nullptr;
  std::vector<yaml::Entry> entries(list->entries().begin(), list->entries().end());
  for (yaml::Entry& entry : entries) {
    if (policy::is_gpu(entry.key))
      entry.value = make.copied(std::to_string(gpus), make.made("--processes", {entry.value}));
  }
  return make.map(entries, list->origin());
}

class Scaling {
 public:
  Scaling(model::TrainJob& job, const Maker& make) : job_(job), make_(make) {}

  // The value is at the place of what it replaces, or of what would contain it.
  void set(std::string_view field, std::string_view flag, const Node* value) {
    const Node* place = job_.root->at({"spec", "trainer", field});
    if (!place) place = job_.root->at({"spec", "trainer"});
    if (!place) place = job_.runtime_ref.node;
    const Node* set = make_.with_origin(*value, make_.made(flag, {place}));
    root_ = make_.with_path(root_, {"spec", "trainer", field}, set);
    encoded_ = make_.with_path(encoded_, {"spec", "trainer", field}, set);
  }

  void set_gpus(const NodeResources& resources, int64_t gpus) {
    if (policy::gpus_per_node(resources) == 0) return;
    const Node* changed = make_.with(resources.source, "limits", with_gpus(resources.limits, gpus, make_));
    changed = make_.with(changed, "requests", with_gpus(resources.requests, gpus, make_));
    set("resourcesPerNode", "--processes", changed);
  }

  void finish() {
    const bool is_owner = job_.is_owner;
    job_ = model::decode_train_job(*root_, *encoded_);
    job_.is_owner = is_owner;
  }

 private:
  model::TrainJob& job_;
  const Maker& make_;
  const Node* root_ = job_.root;
  const Node* encoded_ = job_.encoded;
};

// Whether a node of the framework can have so many processes.
bool check_processes(const policy::RuntimeInfo& merged, const JobScale& scale, policy::Findings& findings) {
  const policy::Framework* framework = policy::framework_of(merged);
  if (scale.processes == 1 || (framework && framework->has_processes)) return true;
  const bool counts_gpus = framework && framework->counts_gpus;
  if (counts_gpus && policy::gpus_per_node(policy::resources_per_node(merged)) > 0) return true;
  const std::string who = framework ? fmt::format("{} ", framework->title) : "the runtime ";
  findings.add("input/processes-per-node", "spec.trainer",
               fmt::format("--processes {}: {}starts one process per node{}", scale.processes, who,
                           counts_gpus ? " without GPUs" : ""),
               merged.job->runtime_ref.name.node,
               fmt::format("leave it out, or use --nodes {}", scale.processes));
  return false;
}

}  // namespace

bool scale_job(model::TrainJob& job, const policy::RuntimeInfo& merged, const JobScale& scale,
               const Maker& make, policy::Findings& findings) {
  if (scale.processes > 0 && !check_processes(merged, scale, findings)) return false;
  Scaling scaling(job, make);
  if (scale.nodes > 0) scaling.set("numNodes", "--nodes", make.integer(scale.nodes));
  if (scale.processes > 0) {
    const policy::Framework* framework = policy::framework_of(merged);
    if (framework && framework->has_processes)
      scaling.set("numProcPerNode", "--processes", make.integer(scale.processes));
    scaling.set_gpus(policy::resources_per_node(merged), scale.processes);
  }
  scaling.finish();
  return true;
}

}  // namespace trainjobc::compile
