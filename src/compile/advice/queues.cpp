// SPDX-License-Identifier: Apache-2.0

// Queues and priorities: what only the cluster can check, and queue names that have no effect.
#include <fmt/format.h>

#include <set>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "model/queue_names.h"
#include "model/runtime_id.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr std::string_view kQueue = "advice/queue";
constexpr std::string_view kVolcanoField =
    "spec.template.metadata.annotations[scheduling.volcano.sh/queue-name]";

bool uses_volcano(const model::Runtime& runtime) {
  return runtime.pod_group_policy && runtime.pod_group_policy->volcano;
}

void inform_of_volcano_queue(const Node* queue, std::string field, Advisor& advisor) {
  if (!queue || queue->text().empty()) return;
  advisor.warn(kQueue, std::move(field),
               fmt::format("the cluster must have the Volcano queue \"{}\", which can't be checked here",
                           queue->text()),
               yaml::locate(*queue));
}

// Whether a label or annotation of the job names a queue of some queueing system.
bool names_queue(const Node& root) {
  for (const std::string_view strings : {"labels", "annotations"}) {
    const Node* map = root.at({"metadata", strings});
    if (!map) continue;
    for (const yaml::Entry& entry : map->entries()) {
      if (entry.key.find("queue") != std::string_view::npos) return true;
    }
  }
  return false;
}

}  // namespace

void check_priority_classes(const RuntimeContext& context, Advisor& advisor) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const Node* pod = context.info.pod_sets[i].pod_spec();
    const Node* name = pod ? pod->get("priorityClassName") : nullptr;
    if (!name || name->text().empty() || name->text().starts_with("system-") ||
        !seen.insert(name->text()).second)
      continue;
    advisor.warn(
        "advice/priority-class",
        fmt::format("{}.template.spec.template.spec.priorityClassName", replicated_job_field(i)),
        fmt::format(
            "the cluster must have the PriorityClass \"{}\", which can't be checked here: without it {}",
            name->text(), uses_volcano(context.runtime) ? "the webhook refuses jobs" : "no pod starts"),
        yaml::locate(*name));
  }
}

void check_runtime_queue(const RuntimeContext& context, Advisor& advisor) {
  const Node* annotations = context.runtime.annotations;
  if (!uses_volcano(context.runtime) || !annotations) return;
  inform_of_volcano_queue(annotations->get(model::kVolcanoQueue), std::string(kVolcanoField), advisor);
}

void check_job_queue(const AdviceContext& context, Advisor& advisor) {
  const Node& root = *context.job.root;
  const Node* kueue = root.at({"metadata", "labels", model::kKueueLabel});
  if (kueue && !kueue->text().empty()) {
    const std::string_view ns = model::effective_namespace(context.job.id);
    advisor.warn(kQueue, fmt::format("metadata.labels[{}]", model::kKueueLabel),
                 fmt::format("the cluster must have the Kueue LocalQueue \"{}\" in namespace \"{}\", which "
                             "can't be checked here",
                             kueue->text(), ns),
                 yaml::locate(*kueue));
  }
  if (!uses_volcano(context.runtime)) return;
  const Node* annotations = root.at({"metadata", "annotations"});
  const base::Location where = locate_key_of(annotations, model::kVolcanoQueue);
  if (where.file) {
    advisor.warn("advice/queue-no-effect", fmt::format("metadata.annotations[{}]", model::kVolcanoQueue),
                 "the TrainJob's annotations don't reach its PodGroup: this queue is not used", where,
                 "set it in a runtimePatch, under trainingRuntimeSpec.template.metadata.annotations");
  }
  const Node* patches = root.at({"spec", "runtimePatches"});
  if (!patches) return;
  for (size_t i = 0; i < patches->size(); ++i) {
    const Node* patched = patches->items()[i]->at(
        {"trainingRuntimeSpec", "template", "metadata", "annotations", model::kVolcanoQueue});
    inform_of_volcano_queue(
        patched,
        fmt::format("spec.runtimePatches[{}].trainingRuntimeSpec.template.metadata.annotations[{}]", i,
                    model::kVolcanoQueue),
        advisor);
  }
}

void check_suspended(const AdviceContext& context, Advisor& advisor) {
  const Node* suspend = context.job.suspend;
  const Node* manager = context.job.managed_by;
  if (!suspend || suspend->as_bool() != true || names_queue(*context.job.root)) return;
  if (manager && manager->text().find("kueue") != std::string_view::npos) return;
  advisor.warn("advice/suspended", "spec.suspend",
               "no pod runs until suspend is set to false, which no queue does for this job",
               yaml::locate(*suspend),
               fmt::format("remove it, or name a queue: labels: {{{}: QUEUE}}", model::kKueueLabel));
}

}  // namespace trainjobc::compile::advice
