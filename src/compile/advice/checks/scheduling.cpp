// SPDX-License-Identifier: Apache-2.0

// Jobs that are accepted but never start, or wait: gates, dependencies, deadlines, queues, priorities,
// claims.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compile/advice/checks.h"
#include "k8s/name_syntax.h"
#include "k8s/kueue/webhook.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::scheduling {
namespace {

using yaml::Node;

// Jobs that the API server and JobSet's webhook accept, but that never get a pod. Source of the rules:
// k8s.io/kubernetes, plugin/pkg/admission/{runtimeclass,priority} and ValidatePodCreate; sigs.k8s.io/jobset,
// pkg/webhooks/pod_webhook.go and pkg/controllers/depends_on.go.

constexpr int64_t kLongestDeadline = 9223372036;

void check_deadline(const Node* spec, const std::string& field, std::string_view who, Advisor& advisor) {
  const Node* deadline = spec ? spec->get("activeDeadlineSeconds") : nullptr;
  if (!deadline || deadline->as_int().value_or(0) <= kLongestDeadline) return;
  advisor.warn(
      "advice/deadline-overflow", field + ".activeDeadlineSeconds",
      fmt::format("a deadline of {} s overflows: the {} fails as soon as it starts", deadline->text(), who),
      yaml::locate(*deadline), "leave it out, or write at most 9223372036");
}

// A JobSet, or the template of one in a runtime.
struct Template {
  const Node* metadata = nullptr;
  const Node* spec = nullptr;
  std::string prefix;  // begins its fields: "", "spec.template."
};

class Starts {
 public:
  Starts(const Template& job_set, Advisor& advisor) : job_set_(job_set), advisor_(advisor) {}

  void check() {
    check_topology(job_set_.metadata, job_set_.prefix + "metadata");
    const auto jobs = yaml::items_of(job_set_.spec ? job_set_.spec->get("replicatedJobs") : nullptr);
    for (size_t i = 0; i < jobs.size(); ++i) {
      check_job(*jobs[i], fmt::format("{}spec.replicatedJobs[{}]", job_set_.prefix, i));
    }
  }

 private:
  void check_job(const Node& job, const std::string& field) {
    check_topology(job.at({"template", "metadata"}), field + ".template.metadata");
    check_topology(job.at({"template", "spec", "template", "metadata"}), field + ".template.spec.template.metadata");
    check_manager(job.at({"template", "spec", "managedBy"}), field + ".template.spec.managedBy");
    check_dependencies(job, field);
    check_deadline(job.at({"template", "spec"}), field + ".template.spec", "Job", advisor_);
    if (const Node* pod = job.at({"template", "spec", "template", "spec"}))
      check_pod(*pod, field + ".template.spec.template.spec");
  }

  void check_topology(const Node* metadata, const std::string& field) {
    const Node* annotations = metadata ? metadata->get("annotations") : nullptr;
    const Node* topology = annotations ? annotations->get(k8s::kExclusiveTopology) : nullptr;
    // With a node selector, JobSet places the Jobs by node labels, and the topology is only a mark.
    if (!topology || annotations->get(k8s::kNodeSelector)) return;
    const std::string wrong = k8s::complaint(k8s::Form::LabelKey, topology->text());
    if (wrong.empty()) return;
    advisor_.warn(
        "advice/exclusive-topology", fmt::format("{}.annotations[{}]", field, k8s::kExclusiveTopology),
        fmt::format("no pod is created: the topology \"{}\" {}", topology->text(), wrong),
        yaml::locate(*topology), "write the key of a node label, such as topology.kubernetes.io/zone");
  }

  void check_manager(const Node* manager, std::string field) {
    constexpr std::string_view kJobController = "kubernetes.io/job-controller";
    if (!manager || manager->is_null() || manager->text() == kJobController) return;
    advisor_.warn("advice/job-manager", std::move(field),
                  fmt::format("Kubernetes creates no pods for this Job: it leaves it to {}", manager->text()),
                  yaml::locate(*manager), "remove it, unless that controller runs in the cluster");
  }

  void check_dependencies(const Node& job, const std::string& field) {
    const auto dependencies = yaml::items_at(job, "dependsOn");
    for (size_t i = 0; i < dependencies.size(); ++i) {
      const Node* name = dependencies[i]->get("name");
      if (!name || name->text() != text_at(job, "name")) continue;
      advisor_.warn("advice/depends-on-itself", fmt::format("{}.dependsOn[{}].name", field, i),
                    fmt::format("replicatedJob \"{}\" never starts: it depends on itself", name->text()),
                    yaml::locate(*name), "name a replicatedJob that comes before it");
    }
  }

  void check_pod(const Node& pod, const std::string& field) {
    const auto is_given = [&](std::string_view key) {
      const Node* value = pod.get(key);
      return value && !value->is_empty_value();
    };
    if (is_given("overhead") && !is_given("runtimeClassName")) {
      refused("advice/overhead", pod, field, "overhead", "overhead needs a RuntimeClass",
              "remove it, or add runtimeClassName");
    }
    if (!is_given("priorityClassName")) {
      const Node* priority = pod.get("priority");
      if (priority && priority->as_int().value_or(0) != 0) {
        refused("advice/priority", pod, field, "priority",
                fmt::format("priority {} needs a PriorityClass with this value", priority->text()),
                "write priorityClassName instead");
      }
      if (text_at(pod, "preemptionPolicy") == "Never") {
        refused("advice/priority", pod, field, "preemptionPolicy",
                "preemptionPolicy Never needs a PriorityClass with this policy",
                "write priorityClassName instead");
      }
    }
    check_host_ports(pod, field);
    if (is_given("nodeName") && is_given("schedulingGates")) {
      refused("advice/node-name", pod, field, "nodeName", "nodeName can't be used with schedulingGates",
              "remove one of the two; a nodeSelector for kubernetes.io/hostname waits for the gates");
    }
  }

  // On the host's network, each containerPort becomes a hostPort of the pod, but not of its Job. Source of
  // the rule: SetDefaults_Pod and checkHostPortConflicts.
  void check_host_ports(const Node& pod, const std::string& field) {
    const Node* host = pod.get("hostNetwork");
    if (!host || host->as_bool() != true) return;
    HostPorts together;
    const auto containers = yaml::items_at(pod, "containers");
    for (size_t i = 0; i < containers.size(); ++i)
      check_ports(*containers[i], fmt::format("{}.containers[{}]", field, i), together);
    // Init containers run one after the other, so each may use any port.
    const auto before = yaml::items_at(pod, "initContainers");
    for (size_t i = 0; i < before.size(); ++i) {
      HostPorts own;
      check_ports(*before[i], fmt::format("{}.initContainers[{}]", field, i), own);
    }
  }

  using HostPorts = std::map<std::string, const Node*>;

  void check_ports(const Node& container, const std::string& field, HostPorts& taken) {
    const auto ports = yaml::items_at(container, "ports");
    for (size_t i = 0; i < ports.size(); ++i) {
      const Node* number = ports[i]->get("containerPort");
      if (!number) continue;
      const std::string_view protocol = text_at(*ports[i], "protocol");
      const std::string key = fmt::format("{}/{}/{}", protocol.empty() ? "TCP" : protocol,
                                          text_at(*ports[i], "hostIP"), number->text());
      const auto [first, is_new] = taken.try_emplace(key, ports[i]);
      // If both have a hostPort, the Job is refused already.
      if (is_new || (is_host_port(*first->second) && is_host_port(*ports[i]))) continue;
      base::Diagnostic& found =
          advisor_.warn("advice/host-port", fmt::format("{}.ports[{}].containerPort", field, i),
                        fmt::format("no pod is created: with hostNetwork, port {} of the node is used twice",
                                    number->text()),
                        yaml::locate(*number), "give one of the ports another number");
      add_note(found, "the first one", first->second->get("containerPort"));
    }
  }

  static bool is_host_port(const Node& port) {
    const Node* number = port.get("hostPort");
    return number && number->as_int().value_or(0) != 0;
  }

  void refused(std::string_view rule, const Node& pod, const std::string& field, std::string_view key,
               std::string_view why, std::string hint) {
    advisor_.warn(rule, fmt::format("{}.{}", field, key), fmt::format("no pod is created: {}", why),
                  locate_key_of(&pod, key), std::move(hint));
  }

  const Template& job_set_;
  Advisor& advisor_;
};

Template template_of(const model::Runtime& runtime) {
  const Node* spec = runtime.root->get("spec");
  const Node* job_template = spec ? spec->get("template") : nullptr;
  return {job_template ? job_template->get("metadata") : nullptr, runtime.job_set_spec, "spec.template."};
}

void check_runtime_starts(const RuntimeContext& context, Advisor& advisor) {
  Starts(template_of(context.runtime), advisor).check();
}

// Findings that the runtime causes are reported on the runtime.
void check_job_starts(const AdviceContext& context, Advisor& advisor) {
  Advisor of_runtime;
  if (context.runtime_is_input) Starts(template_of(context.runtime), of_runtime).check();
  const k8s::Violations said = of_runtime.take();
  Advisor of_job;
  const Node& job_set = context.admitted_job_set;
  Starts({job_set.get("metadata"), job_set.get("spec"), ""}, of_job).check();
  for (base::Diagnostic& found : of_job.take()) {
    const auto is_same = [&](const base::Diagnostic& other) {
      return other.rule == found.rule && other.location.file == found.location.file &&
             other.location.line == found.location.line && other.location.column == found.location.column;
    };
    if (std::ranges::none_of(said, is_same))
      advisor.warn(found.rule, found.field, found.message, found.location, found.hint);
  }
}

void check_job_deadline(const AdviceContext& context, Advisor& advisor) {
  check_deadline(context.job.root->get("spec"), "spec", "job", advisor);
}

// Queues and priorities: names that only the cluster can check, and queue names that have no effect.

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

// Whether a label or annotation of the job names a queue of any queueing system.
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
  const auto patches = yaml::items_at(root, {"spec", "runtimePatches"});
  for (size_t i = 0; i < patches.size(); ++i) {
    const Node* patched =
        patches[i]->at({"trainingRuntimeSpec", "template", "metadata", "annotations", model::kVolcanoQueue});
    inform_of_volcano_queue(
        patched,
        fmt::format("spec.runtimePatches[{}].trainingRuntimeSpec.template.metadata.annotations[{}]", i,
                    model::kVolcanoQueue),
        advisor);
  }
}

// The label shows that the cluster has Kueue.
void check_kueue_webhook(const AdviceContext& context, Advisor& advisor) {
  const Node& root = *context.job.root;
  const Node* queue = root.at({"metadata", "labels", model::kKueueLabel});
  if (!queue || queue->text().empty()) return;
  for (base::Diagnostic& found : k8s::kueue::check_train_job(root, context.admitted_job_set))
    advisor.add(std::move(found));
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

// Claims that keep a job from resuming, or the next job of the same name from starting.

std::span<const Node* const> policies_of(const Node* job_set_spec) {
  return yaml::items_of(job_set_spec ? job_set_spec->get("volumeClaimPolicies") : nullptr);
}

// The field that makes the job start suspended: its own, or the queue label, since Kueue suspends its jobs.
const Node* suspender_of(const Node& job, std::string& field) {
  const Node* suspend = job.at({"spec", "suspend"});
  field = "spec.suspend";
  if (suspend && suspend->as_bool() == true) return suspend;
  const Node* queue = job.at({"metadata", "labels", model::kKueueLabel});
  field = fmt::format("metadata.labels[{}]", model::kKueueLabel);
  return queue && !queue->text().empty() ? queue : nullptr;
}

void check_retained_claims(const RuntimeContext& context, Advisor& advisor) {
  const auto policies = policies_of(context.runtime.job_set_spec);
  for (size_t i = 0; i < policies.size(); ++i) {
    const Node* when = policies[i]->at({"retentionPolicy", "whenDeleted"});
    if (!when || when->text() != "Retain") continue;
    advisor.warn(
        "advice/claim-retained",
        fmt::format("spec.template.spec.volumeClaimPolicies[{}].retentionPolicy.whenDeleted", i),
        "these claims outlive their job, and JobSet refuses the next job of that name while they exist",
        yaml::locate(*when), "give each job a unique name, or delete its claims before the next one");
  }
}

void check_suspended_claims(const AdviceContext& context, Advisor& advisor) {
  std::string field;
  const Node* suspender = suspender_of(*context.job.root, field);
  if (!suspender) return;
  for (const Node* policy : policies_of(context.runtime.job_set_spec)) {
    if (policy->get("retentionPolicy")) continue;
    base::Diagnostic& found =
        advisor.warn("advice/claim-policy", std::move(field),
                     "the job starts suspended and stays suspended: its runtime's volumeClaimPolicies lack "
                     "retentionPolicy, so the controller's update of the JobSet is refused",
                     yaml::locate(*suspender), "write retentionPolicy: {whenDeleted: Delete} in the runtime");
    base::suggest_fix(found, yaml::insert_into(*policy, {"retentionPolicy: {whenDeleted: Delete}",
                                                         R"("retentionPolicy": {"whenDeleted": "Delete"})"}));
    add_note(found, "the policy", policy);
    return;
  }
}

}  // namespace

Checks checks() {
  return {
      .job = {check_job_starts, check_job_deadline, check_job_queue, check_kueue_webhook, check_suspended, check_suspended_claims},
      .runtime = {check_runtime_starts, check_priority_classes, check_runtime_queue, check_retained_claims}};
}

}  // namespace trainjobc::compile::advice::scheduling
