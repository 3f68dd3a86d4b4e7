// SPDX-License-Identifier: Apache-2.0

// References in a JobSet to its replicatedJobs: dependsOn, the success policy, the coordinator.
#include <fmt/format.h>

#include "k8s/jobset/dns_names.h"
#include "k8s/jobset/names.h"
#include "k8s/jobset/webhook_rules.h"

namespace trainjobc::k8s::jobset {
namespace {

using yaml::Node;

// Like the webhook, accepts a dependency on the job itself.
void check_dependency(const JobSetView& job_set, const ReplicatedJob& job, const Node& dependency,
                      k8s::Violations& out) {
  const std::string_view target = text_at(dependency, "name");
  const ReplicatedJob* other = job_set.job(target);
  if (other && other <= &job) return;
  const Node* name = dependency.get("name");
  const Node* culprit = name ? name : &dependency;
  if (!other) {
    add(out, "jobset/depends-on", "",
        fmt::format("replicatedJob \"{}\" depends on \"{}\", which the JobSet does not have", job.name,
                    target),
        culprit, suggest_job(job_set, target));
    return;
  }
  base::Diagnostic& diagnostic =
      add(out, "jobset/depends-on", "",
          fmt::format("replicatedJob \"{}\" depends on \"{}\", which comes after it", job.name, target),
          culprit, fmt::format("move \"{}\" up, before \"{}\"", target, job.name));
  add_note(diagnostic, fmt::format("replicatedJob \"{}\"", target), other->name_node);
}

// The valid range of an index into `count` items.
std::string index_hint(int64_t count) {
  if (count <= 0) return "";
  return count == 1 ? "0 is the only one" : fmt::format("0 to {}", count - 1);
}

void check_coordinator_index(const JobSetView& job_set, const Node& coordinator, k8s::Violations& out) {
  const std::string_view name = text_at(coordinator, "replicatedJob");
  const ReplicatedJob* job = job_set.job(name);
  if (!job) {
    add(out, "jobset/coordinator", "",
        fmt::format("the coordinator is in replicatedJob \"{}\", which the JobSet does not have", name),
        coordinator.get("replicatedJob"), suggest_job(job_set, name));
    return;
  }
  const auto culprit = [&](std::string_view key) {
    return coordinator.get(key) ? coordinator.get(key) : &coordinator;
  };
  const int64_t job_index = int_at(coordinator, "jobIndex").value_or(0);
  if (job_index < 0 || job_index >= job->replicas) {
    base::Diagnostic& diagnostic =
        add(out, "jobset/coordinator", "",
            fmt::format("the coordinator's jobIndex is {}, replicatedJob \"{}\" has {} replica{}", job_index,
                        name, job->replicas, job->replicas == 1 ? "" : "s"),
            culprit("jobIndex"), index_hint(job->replicas));
    add_note(diagnostic, "the replicas", job->node->get("replicas"));
    return;
  }
  if (!job->indexed || !job->completions) {
    const Node* mode = job->job_spec ? job->job_spec->get("completionMode") : nullptr;
    base::Diagnostic& diagnostic =
        add(out, "jobset/coordinator", "",
            fmt::format("the coordinator's replicatedJob \"{}\" must be Indexed and set completions", name),
            mode && !job->indexed ? mode : job->node,
            job->indexed ? "add completions:" : "completionMode: Indexed");
    add_note(diagnostic, "the coordinator", &coordinator);
    return;
  }
  const int64_t pod_index = int_at(coordinator, "podIndex").value_or(0);
  if (pod_index >= 0 && pod_index < *job->completions) return;
  base::Diagnostic& diagnostic =
      add(out, "jobset/coordinator", "",
          fmt::format("the coordinator's podIndex is {}, a Job of replicatedJob \"{}\" has {} pod{}",
                      pod_index, name, *job->completions, *job->completions == 1 ? "" : "s"),
          culprit("podIndex"), index_hint(*job->completions));
  add_note(diagnostic, "the number of pods", job->job_spec->get("completions"));
}

// The pods carry the coordinator's address as a label.
void check_coordinator_label(const JobSetView& job_set, const Node& coordinator, k8s::Violations& out) {
  const Node* network = job_set.spec->get("network");
  const std::string_view given = network ? text_at(*network, "subdomain") : std::string_view();
  const std::string_view job = text_at(coordinator, "replicatedJob");
  const std::string address =
      pod_address(job_name(job_set.name, job, int_at(coordinator, "jobIndex").value_or(0)),
                  int_at(coordinator, "podIndex").value_or(0), given.empty() ? job_set.name : given);
  if (!has_label_value_form(address)) {
    add(out, "jobset/coordinator-label", "",
        fmt::format("the coordinator's address \"{}\" is not a valid label value", address),
        coordinator.get("replicatedJob"), "letters, digits, dashes, dots and underscores");
  }
  if (address.size() <= kMaxLabel) return;
  add_too_long(
      out, "jobset/coordinator-label", "",
      fmt::format("the coordinator's address \"{}\" would have {} characters, at most {} fit in its label",
                  address, address.size(), kMaxLabel),
      job_set, address.size() - kMaxLabel, {"coordinator's replicatedJob", job, &coordinator},
      given.empty() ? 2 : 1);
}

}  // namespace

void check_depends_on(const JobSetView& job_set, k8s::Violations& out) {
  for (const ReplicatedJob& job : job_set.jobs) {
    const Node* depends_on = job.node->get("dependsOn");
    if (!depends_on) continue;
    if (&job == &job_set.jobs.front()) {
      add(out, "jobset/depends-on", "",
          fmt::format("\"{}\" is the first replicatedJob and can't depend on another", job.name), depends_on,
          "remove it, or move the replicatedJob down");
      continue;
    }
    for (const Node* dependency : depends_on->items()) check_dependency(job_set, job, *dependency, out);
  }
}

void check_success_policy(const JobSetView& job_set, k8s::Violations& out) {
  const Node* policy = job_set.spec->get("successPolicy");
  if (!policy) return;
  for (const Node* target : items_at(*policy, "targetReplicatedJobs")) {
    if (job_set.job(target->text())) continue;
    add(out, "jobset/success-policy", "",
        fmt::format("the success policy waits for replicatedJob \"{}\", which the JobSet does not have",
                    target->text()),
        target, suggest_job(job_set, target->text()));
  }
}

void check_coordinator(const JobSetView& job_set, const Behaviour& behaviour, k8s::Violations& out) {
  const Node* coordinator = job_set.spec->get("coordinator");
  if (!coordinator) return;
  check_coordinator_index(job_set, *coordinator, out);
  if (behaviour.coordinator_label) check_coordinator_label(job_set, *coordinator, out);
}

}  // namespace trainjobc::k8s::jobset
