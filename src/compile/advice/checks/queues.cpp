// SPDX-License-Identifier: Apache-2.0

// Names by which Kueue and the schedulers of gangs find a job's pods.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "model/trainer_names.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::queues {
namespace {

using yaml::Entry;
using yaml::Node;

// Labels that Kueue does not read.

constexpr std::string_view kDomain = "kueue.x-k8s.io";

// "queuename" of queue_name, queueName and queue-name.
std::string plain(std::string_view name) {
  std::string text = base::lower_case(name);
  std::erase_if(text, [](char c) { return c == '-' || c == '_' || c == '.'; });
  return text;
}

bool is_close(std::string_view word, std::string_view meant) {
  return base::closest(word, std::array{meant}).has_value();
}

// Whether the key of a label was meant to be Kueue's for the queue.
bool is_meant(std::string_view key) {
  constexpr std::array<std::string_view, 4> kWithDomain{"queue", "queuename", "localqueue", "localqueuename"};
  constexpr std::array<std::string_view, 6> kAlone{"queuename",      "kueuequeue", "kueuequeuename",
                                                   "localqueuename", "kueuename",  "kueuelocalqueue"};
  if (key == model::kKueueLabel) return false;
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return base::contains(kAlone, plain(key));
  const std::string_view domain = key.substr(0, slash);
  const std::string_view name = key.substr(slash + 1);
  const bool is_kueue = domain == kDomain || domain.starts_with("kueue.") || is_close(domain, kDomain);
  return is_kueue && (base::contains(kWithDomain, plain(name)) || is_close(name, "queue-name"));
}

void check_labels(const Node& root, Advisor& advisor) {
  const Node* labels = root.at({"metadata", "labels"});
  if (!labels || labels->get(model::kKueueLabel)) return;
  for (const Entry& entry : labels->entries()) {
    if (!is_meant(entry.key)) continue;
    base::Diagnostic& found = advisor.warn(
        "advice/queue-label", fmt::format("metadata.labels[{}]", entry.key),
        fmt::format("Kueue does not see this queue: it reads the label {} only", model::kKueueLabel),
        yaml::locate_key(entry), fmt::format("write {}", model::kKueueLabel));
    base::suggest_fix(found, yaml::rename_key(entry, model::kKueueLabel));
  }
}

void check_annotations(const Node& root, Advisor& advisor) {
  const Node* labels = root.at({"metadata", "labels"});
  const Node* annotations = root.at({"metadata", "annotations"});
  for (const std::string_view key : {model::kKueueLabel, model::kKueuePriorityLabel}) {
    const base::Location where = locate_key_of(annotations, key);
    if (!where.file || (labels && labels->get(key))) continue;
    advisor.warn("advice/queue-label", fmt::format("metadata.annotations[{}]", key),
                 fmt::format("Kueue does not see this annotation: {} is a label", key), where,
                 "move it to metadata.labels");
  }
}

void check_queue_labels(const AdviceContext& context, Advisor& advisor) {
  check_labels(*context.job.root, advisor);
  check_annotations(*context.job.root, advisor);
}

// Pods of a gang that its scheduler does not see.

constexpr std::string_view kSchedulerName = "advice/scheduler-name";
constexpr std::string_view kVolcano = "volcano";
constexpr std::string_view kDefault = "default-scheduler";

// Names of other schedulers, as their charts install them.
bool is_of_another(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames{"scheduler-plugins-scheduler", "kai-scheduler", "yunikorn",
                                                   "koord-scheduler"};
  return base::contains(kNames, name);
}

// The pods that Volcano doesn't schedule, of those that start together. Coscheduling may be part of any
// scheduler, but not of Volcano.
std::vector<JobPods> unseen_pods(const std::vector<JobPods>& all, bool is_volcano) {
  std::vector<JobPods> unseen;
  for (const JobPods& pods : all) {
    if (pods.is_awaited) continue;
    const std::string_view name = pods.spec ? text_at(*pods.spec, "schedulerName") : std::string_view();
    const bool is_other =
        is_volcano ? name.empty() || name == kDefault || is_of_another(name) : name == kVolcano;
    if (is_other) unseen.push_back(pods);
  }
  return unseen;
}

bool has_gang(const model::Runtime& runtime) {
  const auto& policy = runtime.pod_group_policy;
  return policy && (policy->volcano || policy->coscheduling);
}

void check_gang(const model::Runtime& runtime, const std::vector<JobPods>& all, Advisor& advisor) {
  const auto& policy = runtime.pod_group_policy;
  const std::vector<JobPods> unseen = unseen_pods(all, policy->volcano);
  if (unseen.empty()) return;
  const Node* given = unseen.front().spec ? unseen.front().spec->get("schedulerName") : nullptr;
  const std::string_view key = policy->volcano ? "volcano" : "coscheduling";
  const Node* written = runtime.root->at({"spec", "podGroupPolicy"});
  std::vector<std::string> names;
  for (const JobPods& pods : unseen) names.push_back(fmt::format("\"{}\"", pods.job));
  base::Diagnostic& found =
      advisor.warn(kSchedulerName, fmt::format("spec.podGroupPolicy.{}", key),
                   fmt::format("{} does not schedule the pods of {}, which {}: the PodGroup has no effect",
                               policy->volcano ? "Volcano" : "coscheduling", base::word_list(names),
                               given && given->origin().file() ? fmt::format("name {}", given->text())
                                                               : "name no scheduler"),
                   locate_key_of(written, key),
                   policy->volcano ? "add schedulerName: volcano to the pods"
                                   : "name the scheduler that has the plugin coscheduling");
  add_note(found, "the pods' scheduler", given);
}

void check_runtime_gang(const RuntimeContext& context, Advisor& advisor) {
  if (context.has_jobs || !context.info.job_set_spec || !has_gang(context.runtime))
    return;  // jobs may patch it
  check_gang(context.runtime, pods_of(context.info), advisor);
}

void check_job_gang(const AdviceContext& context, Advisor& advisor) {
  if (has_gang(context.runtime)) check_gang(context.runtime, pods_of(context.admitted_job_set), advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_queue_labels, check_job_gang}, .runtime = {check_runtime_gang}};
}

}  // namespace trainjobc::compile::advice::queues
