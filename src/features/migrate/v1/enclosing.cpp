// SPDX-License-Identifier: Apache-2.0

// Source of the rules: kubeflow/katib v0.19, the defaults of spec.trialTemplate (experiment_defaults.go).
#include "features/migrate/v1/enclosing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "features/migrate/v1/old_names.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Maker;
using yaml::Node;

// A condition that Katib uses for v1 jobs, and the condition type that a TrainJob has instead. Katib uses the
// former if none is given.
struct KnownCondition {
  std::string_view field;
  std::string_view of_v1;
};

constexpr std::array<KnownCondition, 2> kConditions{
    {{"successCondition", R"(status.conditions.#(type=="Succeeded")#|#(status=="True")#)"},
     {"failureCondition", R"(status.conditions.#(type=="Failed")#|#(status=="True")#)"}}};

bool has_launcher(const Converted& converted) {
  return std::ranges::any_of(converted.pods,
                             [](const PodRange& pods) { return pods.job == model::kLauncher; });
}

class Trial {
 public:
  Trial(const Node& experiment, const model::V1Kind& kind, const Maker& make, Converted& converted)
      : experiment_(experiment), kind_(kind), make_(make), converted_(converted) {}

  const Node* run(const Node& train_job) {
    const Node* trial = experiment_.at({"spec", "trialTemplate"});
    trial = with_conditions(trial);
    trial = with_container(trial, train_job.at({"spec", "trainer"}) != nullptr);
    trial = with_labels(trial);
    trial = make_.with(trial, "trialSpec", &train_job);
    const Node* written = experiment_.at({"spec", "trialTemplate", "trialSpec", "kind"});
    findings_.change("spec.trialTemplate.trialSpec", "Katib runs TrainJobs from version 0.19 on",
                     "add TrainJob.v1alpha1.trainer.kubeflow.org to trialResources of an older katib-config",
                     written);
    std::ranges::copy(findings_.items(), std::back_inserter(converted_.findings));
    return findings_.refused() ? nullptr : make_.with_path(&experiment_, {"spec", "trialTemplate"}, trial);
  }

 private:
  const Node* with_conditions(const Node* trial) {
    for (const KnownCondition& known : kConditions) {
      const Node* condition = trial->get(known.field);
      if (!condition) continue;
      if (condition->text() == known.of_v1) {
        trial = make_.with(trial, known.field, nullptr);
      } else {
        findings_.lose(fmt::format("spec.trialTemplate.{}", known.field),
                       "this condition is about the status of a v1 job",
                       "remove it: Katib knows when a TrainJob is complete or failed", condition);
      }
    }
    return trial;
  }

  // The training container is now called "node".
  const Node* with_container(const Node* trial, bool is_renamed) const {
    const Node* name = trial->get("primaryContainerName");
    if (!name || !is_renamed || name->text() != main_name()) return trial;
    return make_.with(trial, "primaryContainerName", make_.string(model::kNode, name->origin()));
  }

  std::string_view main_name() const {
    const Node* replicas =
        experiment_.at({"spec", "trialTemplate", "trialSpec", "spec", kind_.replica_specs});
    if (!replicas || replicas->size() == 0) return "";
    const Node* first = replicas->get("Launcher");
    if (!first) first = replicas->entries().front().value;
    const auto containers = yaml::items_at(*first, {"template", "spec", "containers"});
    if (kind_.container.empty() || containers.size() == 1)
      return containers.empty() ? "" : yaml::text_at(*containers.front(), "name");
    return kind_.container;
  }

  // Katib's default is the master in v1, and the first node of a TrainJob.
  const Node* with_labels(const Node* trial) {
    const Node* labels = trial->get("primaryPodLabels");
    if (has_launcher(converted_)) {
      const Node* own = make_.with(nullptr, kReplicatedJobLabel, make_.string(model::kLauncher));
      return make_.with(trial, "primaryPodLabels", own);
    }
    if (!labels || !labels->is_map()) return trial;
    const NewNames names("", "", converted_.pods);
    const Node* now = nullptr;
    for (const yaml::Entry& entry : labels->entries()) {
      const bool is_master = entry.key.ends_with("job-role") && entry.value->text() == "master";
      if (is_master && labels->size() == 1) return make_.with(trial, "primaryPodLabels", nullptr);
      const auto renamed =
          is_old_label(entry.key) ? names.labels(entry.key, entry.value->text()) : std::nullopt;
      if (!renamed && is_old_label(entry.key)) {
        findings_.lose("spec.trialTemplate.primaryPodLabels", "no label of JobSet selects the same pod",
                       "remove primaryPodLabels for the first node", entry.value);
        continue;
      }
      if (!renamed) now = make_.with(now, entry.key, entry.value);
      for (const auto& [key, value] : renamed.value_or(NewNames::Labels()))
        now = make_.with(now, make_.copied(key)->text(), make_.copied(value, entry.value->origin()));
    }
    return make_.with(trial, "primaryPodLabels", now);
  }

  const Node& experiment_;
  const model::V1Kind& kind_;
  const Maker& make_;
  Converted& converted_;
  V1Findings findings_;
};

}  // namespace

const Node* trial_job(const Node& object) {
  if (yaml::string_at(object, "kind") != "Experiment" ||
      !yaml::string_at(object, "apiVersion").starts_with("kubeflow.org/"))
    return nullptr;
  const Node* job = object.at({"spec", "trialTemplate", "trialSpec"});
  return job && job->is_map() ? job : nullptr;
}

const Node* with_trial_job(const Node& experiment, const model::V1Kind& kind, const Node& train_job,
                           const Maker& make, Converted& converted) {
  return Trial(experiment, kind, make, converted).run(train_job);
}

namespace {

bool has_pods(const Node& node) {
  if (const Node* containers = node.get("containers"); containers && containers->is_list()) return true;
  const auto of_entry = [](const yaml::Entry& entry) { return has_pods(*entry.value); };
  const auto of_item = [](const Node* item) { return has_pods(*item); };
  return std::ranges::any_of(node.entries(), of_entry) || std::ranges::any_of(node.items(), of_item);
}

const Node* with_namespace(const Node* object, const Node* ns, const Maker& make) {
  return !ns || object->at({"metadata", "namespace"}) ? object
                                                      : make.with_path(object, {"metadata", "namespace"}, ns);
}

}  // namespace

Wrapped wrapped_job(const Node& object, const Maker& make) {
  if (yaml::string_at(object, "kind") != "AppWrapper" ||
      !yaml::string_at(object, "apiVersion").starts_with("workload.codeflare.dev/"))
    return {};
  const Node* ns = object.at({"metadata", "namespace"});
  Wrapped wrapped;
  for (const Node* component : yaml::items_at(object, {"spec", "components"})) {
    const Node* own = component->get("template");
    if (!own || !own->is_map()) return {};
    const bool is_job = own->get("metadata") && is_v1(*own);
    if (is_job ? wrapped.job != nullptr : !own->get("metadata") || has_pods(*own)) return {};
    (is_job ? wrapped.job : wrapped.others.emplace_back()) = with_namespace(own, ns, make);
  }
  const Node* labels = object.at({"metadata", "labels"});
  if (!wrapped.job) return {};
  for (const yaml::Entry& label : labels ? labels->entries() : std::span<const yaml::Entry>()) {
    if (!wrapped.job->at({"metadata", "labels", label.key}))
      wrapped.job = make.with_path(wrapped.job, {"metadata", "labels", label.key}, label.value);
  }
  return wrapped;
}

base::Diagnostic unwrapping(const Node& wrapper, bool has_others) {
  base::Diagnostic found = rules::finding(
      "advice/v1-difference",
      has_others
          ? "nothing starts the job again as its AppWrapper did, Kueue admits it by itself, and the other "
            "objects are created at once and stay"
          : "nothing starts the job again as its AppWrapper did, and Kueue admits it by itself",
      "set kueue.x-k8s.io/queue-name if it has to wait for a quota", yaml::locate(*wrapper.get("kind")));
  found.field = "spec.components";
  return found;
}

}  // namespace trainjobc::migrate::v1
