// SPDX-License-Identifier: Apache-2.0

// Parts of a TrainJob that have no effect, or are missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::trainer {
namespace {

using yaml::Node;

bool same_place(const Node& a, const Node& b) {
  const base::Location x = yaml::locate(a);
  return x.file && x == yaml::locate(b);
}

bool holds(const Node& list, const Node& value) {
  const auto is_it = [&](const Node* item) { return same_place(*item, value); };
  return std::ranges::any_of(list.items(), is_it) ||
         std::ranges::any_of(list.entries(), [&](const yaml::Entry& entry) { return is_it(entry.value); });
}

// Whether a value of resourcesPerNode's `key` reached a container of the JobSet.
bool reaches_container(const Node& job_set, std::string_view key, const Node& value) {
  for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
    for (const Node* container : items_at(*job, {"template", "spec", "template", "spec", "containers"})) {
      const Node* list = container->at({"resources", key});
      if (list && holds(*list, value)) return true;
    }
  }
  return false;
}

// Whether resourcesPerNode is set but none of it reached the JobSet.
bool loses_resources(const AdviceContext& context) {
  const Node* resources = context.job.trainer->resources_per_node;
  bool asks = false;
  for (const std::string_view key : {"limits", "requests"}) {
    const Node* list = resources ? resources->get(key) : nullptr;
    if (!list) continue;
    for (const yaml::Entry& entry : list->entries()) {
      asks = true;
      if (reaches_container(context.admitted_job_set, key, *entry.value)) return false;
    }
  }
  return asks;
}

// The keys of spec.trainer except numNodes that change nothing in the JobSet.
std::vector<std::string_view> idle_keys(const AdviceContext& context) {
  const policy::RuntimeInfo& info = context.merged;
  const bool trains = trainer_of(info).set != nullptr;
  const bool mpi = info.is_mpi();
  const bool launched_node =
      mpi && info.policy->mpi->run_launcher_as_node && info.pod_set_by_name(model::kNode);
  const policy::Framework* framework = policy::framework_of(info);
  const bool counts_processes = framework && framework->has_processes;
  std::vector<std::string_view> keys;
  for (const yaml::Entry& entry : context.job.trainer->node->entries()) {
    bool idle = false;
    if (entry.key == "image" || entry.key == "command" || entry.key == "args") idle = !trains;
    if (entry.key == "env") idle = !trains && !launched_node;
    if (entry.key == "numProcPerNode") idle = !counts_processes || (!trains && !mpi);
    if (entry.key == "resourcesPerNode") idle = loses_resources(context);
    if (idle) keys.push_back(entry.key);
  }
  return keys;
}

struct Reason {
  std::string why;
  std::string hint;
  bool operator==(const Reason&) const = default;
};

Reason reason_for_idling(const policy::RuntimeInfo& info, std::string_view key) {
  const std::string_view name = info.runtime->id.name;
  if (!trainer_of(info).set) {
    return {fmt::format("no replicatedJob of runtime \"{}\" has {}: {}", name, model::kAncestorLabel,
                        model::kTrainer),
            "label the replicatedJob that trains, in the runtime"};
  }
  if (key == "numProcPerNode") {
    return {fmt::format("only {} runtimes count processes per node", policy::frameworks_with_processes()),
            "remove it"};
  }
  if (!info.policy) return {fmt::format("runtime \"{}\" has no mlPolicy", name), "add one to the runtime"};
  return {fmt::format("no container of runtime \"{}\" uses it", name), "remove it"};
}

void check_claims(const AdviceContext& context, Advisor& advisor) {
  const Node* resources = context.job.trainer->resources_per_node;
  const Node* claims = resources ? resources->get("claims") : nullptr;
  if (!claims || claims->size() == 0) return;
  if (reaches_container(context.admitted_job_set, "claims", *claims->items().front())) return;
  advisor.warn("advice/trainer-no-effect", "spec.trainer.resourcesPerNode.claims",
               "the controller drops claims of resourcesPerNode", locate_key_of(resources, "claims"),
               "claim them in the runtime");
}

void check_initializer(const AdviceContext& context, const std::optional<model::Initializer>& initializer,
                       std::string_view key, std::string_view ancestor, Advisor& advisor) {
  if (!initializer || base::contains(context.merged.pod_sets, ancestor, &policy::PodSet::ancestor)) {
    return;
  }
  base::Diagnostic& found = advisor.warn(
      "advice/initializer-no-effect", fmt::format("spec.initializer.{}", key),
      fmt::format("this has no effect: no replicatedJob of runtime \"{}\" has {}: {}",
                  context.runtime.id.name, model::kAncestorLabel, ancestor),
      locate_key_of(context.job.root->at({"spec", "initializer"}), key), "label it in the runtime");
  add_note(found, "the runtime", context.runtime.root->at({"metadata", "name"}));
  add_note(found, "the label of the pod's template does not count",
           misplaced_label(context.merged, ancestor));
}

void check_trainer_section(const AdviceContext& context, Advisor& advisor) {
  const policy::Framework* framework = policy::framework_of(context.merged);
  if (!framework || framework->env_reader.empty()) return;
  if (context.job.trainer || !trainer_of(context.merged).set) return;
  base::Diagnostic& found =
      advisor.warn("advice/no-trainer-section", "spec.trainer",
                   fmt::format("without spec.trainer the {} job gets no {} variables, which {} needs",
                               framework->title, framework->env_family, framework->env_reader),
                   locate_key_of(context.job.root, "spec"), "add trainer: {}");
  const yaml::Entry* spec = context.job.root->find("spec");
  if (spec) base::suggest_fix(found, yaml::insert_first(*spec, {"trainer: {}", "\"trainer\": {}"}));
}

void check_trainer_effect(const AdviceContext& context, Advisor& advisor) {
  if (!context.job.trainer) return;
  const std::vector<std::string_view> keys = idle_keys(context);
  for (size_t i = 0; i < keys.size();) {
    // Keys with the same cause share a finding.
    const Reason reason = reason_for_idling(context.merged, keys[i]);
    size_t end = i + 1;
    while (end < keys.size() && reason_for_idling(context.merged, keys[end]) == reason) ++end;
    base::Diagnostic& found =
        advisor.warn("advice/trainer-no-effect", fmt::format("spec.trainer.{}", keys[i]),
                     fmt::format("{} {} no effect: {}",
                                 fmt::join(keys.begin() + static_cast<ptrdiff_t>(i),
                                           keys.begin() + static_cast<ptrdiff_t>(end), ", "),
                                 end - i > 1 || keys[i] == "args" ? "have" : "has", reason.why),
                     locate_key_of(context.job.trainer->node, keys[i]), reason.hint);
    add_note(found, "the runtime", context.runtime.root->at({"metadata", "name"}));
    add_note(found, "the label of the pod's template does not count",
             misplaced_label(context.merged, model::kTrainer));
    i = end;
  }
  if (!base::contains(keys, "resourcesPerNode")) check_claims(context, advisor);
}

void check_initializer_effect(const AdviceContext& context, Advisor& advisor) {
  check_initializer(context, context.job.dataset, "dataset", model::kDatasetInitializer, advisor);
  check_initializer(context, context.job.model, "model", model::kModelInitializer, advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_trainer_section, check_trainer_effect, check_initializer_effect}};
}

}  // namespace trainjobc::compile::advice::trainer
