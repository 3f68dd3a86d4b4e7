// SPDX-License-Identifier: Apache-2.0

// The numbers of nodes and pods.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice {
namespace {

using policy::PodSet;
using yaml::Node;

base::Location place_of_jobs(const model::Runtime& runtime) {
  const base::Location where = locate_key_of(runtime.job_set_spec, "replicatedJobs");
  return where.file ? where : locate_key_of(runtime.ml_policy->node, "mpi");
}

// The replicatedJob that may be a misspelled `wanted`.
std::string suggest_rename(const policy::RuntimeInfo& info, std::string_view wanted) {
  std::vector<std::string_view> names;
  for (const PodSet& set : info.pod_sets) {
    if (set.name != model::kLauncher && set.name != model::kNode) names.push_back(set.name);
  }
  const auto meant = base::closest(wanted, names);
  return meant ? fmt::format("rename \"{}\"", *meant) : fmt::format("add a replicatedJob \"{}\"", wanted);
}

void check_mpi_container(const PodSet& set, size_t index, Advisor& advisor) {
  if (find_container(set, model::kNode)) return;
  const Node* containers = set.pod_spec() ? set.pod_spec()->get("containers") : nullptr;
  const Node* first =
      containers && containers->size() > 0 ? containers->items().front()->get("name") : nullptr;
  advisor.warn("advice/mpi-jobs",
               fmt::format("{}.template.spec.template.spec.containers", replicated_job_field(index)),
               fmt::format("replicatedJob \"{}\" has no container \"{}\": Trainer mounts the SSH "
                           "key and the hostfile only there",
                           set.name, model::kNode),
               yaml::locate(first ? *first : *set.replicated_job),
               fmt::format("name it \"{}\"", model::kNode));
}

constexpr std::array<std::string_view, 2> kCounts{"parallelism", "completions"};

}  // namespace

void check_mpi_jobs(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.is_mpi()) return;
  const bool launcher_only = context.info.policy->mpi->run_launcher_as_node;
  for (const std::string_view name : {model::kLauncher, model::kNode}) {
    const PodSet* set = context.info.pod_set_by_name(name);
    if (set) {
      check_mpi_container(*set, static_cast<size_t>(set - context.info.pod_sets.data()), advisor);
    } else if (name == model::kLauncher || !launcher_only) {
      advisor.warn(
          "advice/mpi-jobs", "spec.template.spec.replicatedJobs",
          fmt::format("the MPI runtime has no replicatedJob \"{}\": {}", name,
                      name == model::kLauncher ? "nothing gets the hostfile" : "the hostfile lists no host"),
          place_of_jobs(context.runtime), suggest_rename(context.info, name));
    }
  }
}

void check_launcher_count(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.is_mpi() || !context.info.policy->num_nodes) return;
  const model::LocatedInt& nodes = *context.info.policy->num_nodes;
  const PodSet* launcher = context.info.pod_set_by_name(model::kLauncher);
  if (!launcher || launcher->ancestor != model::kTrainer || nodes.value < 2) return;
  advisor.warn(
      "advice/mpi-num-nodes", "spec.mlPolicy.numNodes",
      fmt::format("numNodes: {0} starts {0} launchers; the number of nodes does not change", nodes.value),
      yaml::locate(*nodes.node), "write 1; the TrainJob's numNodes counts nodes");
}

void check_second_trainer(const RuntimeContext& context, Advisor& advisor) {
  if (!context.info.policy || context.info.is_mpi()) return;
  if (context.info.behaviours->first_trainer_counts) return;
  const PodSet* first = trainer_of(context.info).set;
  for (size_t i = 0; first && i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    if (&set == first || set.ancestor != model::kTrainer) continue;
    const Node* label = set.replicated_job->at({"template", "metadata", "labels", model::kAncestorLabel});
    base::Diagnostic& found = advisor.warn(
        "advice/second-trainer",
        fmt::format("{}.template.metadata.labels[{}]", replicated_job_field(i), model::kAncestorLabel),
        fmt::format("replicatedJob \"{}\" also trains, but the TrainJob's numNodes and the framework's "
                    "variables go only to \"{}\"",
                    set.name, first->name),
        yaml::locate(*label), "train in one replicatedJob");
    add_note(found, "the first one",
             first->replicated_job->at({"template", "metadata", "labels", model::kAncestorLabel}));
  }
}

void check_pod_counts(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    const bool trains = set.ancestor == model::kTrainer && context.info.policy;
    for (const std::string_view key : kCounts) {
      const Node* count = set.replicated_job->at({"template", "spec", key});
      if (!count || !count->as_int() || *count->as_int() == set.count.value) continue;
      const std::string now =
          trains ? fmt::format("numNodes, {} unless the TrainJob says otherwise,", set.count.value)
                 : fmt::format("the parallelism, {},", set.count.value);
      advisor.warn("advice/pod-count", fmt::format("{}.template.spec.{}", replicated_job_field(i), key),
                   fmt::format("{}: {} has no effect: {} replaces it", key, *count->as_int(), now),
                   yaml::locate(*count), "remove it");
    }
  }
}

void check_num_nodes(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer || !context.job.trainer->num_nodes) return;
  const model::LocatedInt& nodes = *context.job.trainer->num_nodes;
  const policy::RuntimeInfo& info = context.merged;
  const bool as_node = info.is_mpi() && info.policy->mpi->run_launcher_as_node;
  const PodSet* node = info.pod_set_by_name(model::kNode);
  if (info.is_mpi() ? node || as_node : trainer_of(info).set != nullptr) {
    const PodSet* launcher = info.pod_set_by_name(model::kLauncher);
    if (!as_node || !node || !launcher || launcher->count.value != 1 || nodes.value != 1) return;
    advisor.warn("advice/mpi-num-nodes", "spec.trainer.numNodes",
                 "numNodes: 1 runs two pods: the launcher is a node, and there is always one more",
                 yaml::locate(*nodes.node),
                 "write 2 to make this clear, or use a runtime without the replicatedJob \"node\"");
    return;
  }
  const std::string lack =
      info.is_mpi() ? fmt::format("no replicatedJob \"{}\"", model::kNode)
                    : fmt::format("no replicatedJob with {}: {}", model::kAncestorLabel, model::kTrainer);
  base::Diagnostic& found = advisor.warn(
      "advice/num-nodes-no-effect", "spec.trainer.numNodes",
      fmt::format("numNodes has no effect: runtime \"{}\" has {}", context.runtime.id.name, lack),
      yaml::locate(*nodes.node),
      info.is_mpi() ? "add it to the runtime" : "label the replicatedJob that trains, in the runtime");
  add_note(found, "the runtime", context.runtime.root->at({"metadata", "name"}));
}

void check_zero_nodes(const AdviceContext& context, Advisor& advisor) {
  const auto& nodes = context.job.trainer ? context.job.trainer->num_nodes : std::nullopt;
  if (!nodes || nodes->value > 0) return;
  const policy::RuntimeInfo& info = context.merged;
  // The Job itself refuses counts below 0.
  if (nodes->value < 0 && !(info.is_mpi() && info.policy->mpi->run_launcher_as_node)) return;
  std::string effect = "no pod trains, and the job counts as complete";
  if (info.is_mpi()) {
    if (!info.pod_set_by_name(model::kNode)) return;
    effect = info.policy->mpi->run_launcher_as_node ? "the launcher is a node, and there is always one more"
                                                    : "the hostfile is empty, and mpirun finds no node";
  } else if (!trainer_of(info).set) {
    return;
  }
  advisor.warn("advice/num-nodes-zero", "spec.trainer.numNodes",
               fmt::format("numNodes: {}: {}", nodes->value, effect), yaml::locate(*nodes->node),
               "write 1 or more; suspend: true keeps a job from starting");
}

}  // namespace trainjobc::compile::advice
