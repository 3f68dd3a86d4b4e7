// SPDX-License-Identifier: Apache-2.0

// Jobs that the API server and JobSet's webhook accept, but that never get a pod. Source of the rules:
// k8s.io/kubernetes, plugin/pkg/admission/{runtimeclass,priority} and ValidatePodCreate; sigs.k8s.io/jobset,
// pkg/webhooks/pod_webhook.go and pkg/controllers/depends_on.go.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "k8s/annotations.h"
#include "k8s/check/forms.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr int64_t kLongestDeadline = 9223372036;

// A JobSet, or a runtime's template of one.
struct Template {
  const Node* metadata = nullptr;
  const Node* spec = nullptr;
  std::string prefix;  // of its fields: "", "spec.template."
};

class Starts {
 public:
  Starts(const Template& job_set, Advisor& advisor) : job_set_(job_set), advisor_(advisor) {}

  void check() {
    check_topology(job_set_.metadata, job_set_.prefix + "metadata");
    const Node* jobs = job_set_.spec ? job_set_.spec->get("replicatedJobs") : nullptr;
    if (!jobs) return;
    for (size_t i = 0; i < jobs->size(); ++i) {
      check_job(*jobs->items()[i], fmt::format("{}spec.replicatedJobs[{}]", job_set_.prefix, i));
    }
  }

 private:
  void check_job(const Node& job, const std::string& field) {
    check_topology(job.at({"template", "metadata"}), field + ".template.metadata");
    check_dependencies(job, field);
    const Node* deadline = job.at({"template", "spec", "activeDeadlineSeconds"});
    if (deadline && deadline->as_int().value_or(0) > kLongestDeadline) {
      advisor_.warn(
          "advice/deadline-overflow", field + ".template.spec.activeDeadlineSeconds",
          fmt::format("a deadline of {} s overflows: the Job fails as soon as it starts", deadline->text()),
          yaml::locate(*deadline), "leave it out, or write at most 9223372036");
    }
    if (const Node* pod = job.at({"template", "spec", "template", "spec"}))
      check_pod(*pod, field + ".template.spec.template.spec");
  }

  void check_topology(const Node* metadata, const std::string& field) {
    const Node* annotations = metadata ? metadata->get("annotations") : nullptr;
    const Node* topology = annotations ? annotations->get(k8s::kExclusiveTopology) : nullptr;
    // With a node selector JobSet places the Jobs by node labels, and the topology only marks them.
    if (!topology || annotations->get(k8s::kNodeSelector)) return;
    const std::string wrong = k8s::job::complaint(k8s::job::Form::LabelKey, topology->text());
    if (wrong.empty()) return;
    advisor_.warn(
        "advice/exclusive-topology", fmt::format("{}.annotations[{}]", field, k8s::kExclusiveTopology),
        fmt::format("no pod is created: the topology \"{}\" {}", topology->text(), wrong),
        yaml::locate(*topology), "write the key of a node label, such as topology.kubernetes.io/zone");
  }

  void check_dependencies(const Node& job, const std::string& field) {
    const Node* dependencies = job.get("dependsOn");
    if (!dependencies) return;
    for (size_t i = 0; i < dependencies->size(); ++i) {
      const Node* name = dependencies->items()[i]->get("name");
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
    if (is_given("nodeName") && is_given("schedulingGates")) {
      refused("advice/node-name", pod, field, "nodeName", "nodeName can't be used with schedulingGates",
              "remove one of the two; a nodeSelector for kubernetes.io/hostname waits for the gates");
    }
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

}  // namespace

void check_runtime_starts(const RuntimeContext& context, Advisor& advisor) {
  Starts(template_of(context.runtime), advisor).check();
}

// Settings of the runtime are reported on the runtime.
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
  const Node* deadline = context.job.root->at({"spec", "activeDeadlineSeconds"});
  if (!deadline || deadline->as_int().value_or(0) <= kLongestDeadline) return;
  advisor.warn(
      "advice/deadline-overflow", "spec.activeDeadlineSeconds",
      fmt::format("a deadline of {} s overflows: the job fails as soon as it starts", deadline->text()),
      yaml::locate(*deadline), "leave it out, or write at most 9223372036");
}

}  // namespace trainjobc::compile::advice
