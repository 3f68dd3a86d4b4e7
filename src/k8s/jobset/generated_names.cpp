// SPDX-License-Identifier: Apache-2.0

// The names in a JobSet, and the names that its Jobs and pods will get.
#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "k8s/jobset/dns_names.h"
#include "k8s/jobset/names.h"
#include "k8s/jobset/webhook_rules.h"
#include "k8s/name_syntax.h"

namespace trainjobc::k8s::jobset {
namespace {

using yaml::Node;

std::string label_hint(std::string_view wrong, bool letter_first) {
  const std::string label = suggest_dns_name(wrong, false, letter_first);
  return fmt::format("use lower-case letters, digits and dashes{}{}",
                     letter_first ? ", beginning with a letter" : "",
                     label.empty() || label == wrong ? "" : fmt::format(": \"{}\"", label));
}

void check_length(std::string_view rule, std::string field, std::string_view what, const Node& node,
                  k8s::Violations& out) {
  if (node.size() <= kMaxLabel) return;
  add(out, rule, std::move(field),
      fmt::format("the {} has {} characters, at most {} are allowed", what, node.size(), kMaxLabel), &node,
      shorten_hint("it", node.size() - kMaxLabel));
}

void check_subdomain(const JobSetView& job_set, k8s::Violations& out) {
  const Node* subdomain = job_set.spec->at({"network", "subdomain"});
  if (!subdomain || subdomain->size() == 0) return;
  const std::string_view text = subdomain->text();
  if (!has_label_form(text)) {
    add(out, "jobset/subdomain", "spec.network.subdomain",
        fmt::format("the subdomain \"{}\" must be a DNS label, as it also names the pods' Service", text),
        subdomain, label_hint(text, true));
  }
  check_length("jobset/subdomain", "spec.network.subdomain", "subdomain", *subdomain, out);
}

void check_manager(const JobSetView& job_set, k8s::Violations& out) {
  const Node* manager = job_set.spec->get("managedBy");
  if (!manager) return;
  if (!k8s::is_domain_prefixed_path(manager->text())) {
    add(out, "jobset/managed-by", "spec.managedBy",
        fmt::format("the manager \"{}\" must be a domain-prefixed path", manager->text()), manager,
        "such as \"kueue.x-k8s.io/multikueue\"");
  }
  check_length("jobset/managed-by", "spec.managedBy", "manager", *manager, out);
}

// Trainer 2.0 has no groups.
void check_group_name(const ReplicatedJob& job, k8s::Violations& out) {
  const Node* group = job.node->get("groupName");
  if (!group) return;
  const std::string field = job.field + ".groupName";
  if (!has_label_form(group->text())) {
    add(out, "jobset/group-name", field,
        fmt::format("the groupName \"{}\" must be a DNS label", group->text()), group,
        label_hint(group->text(), true));
  }
  check_length("jobset/group-name", field, "groupName", *group, out);
}

// The Job with the highest index, which has the longest name.
std::string last_job_name(const JobSetView& job_set, const ReplicatedJob& job) {
  return job_name(job_set.name, job.name, job.replicas - 1);
}

void check_derived_form(const JobSetView& job_set, const ReplicatedJob& job, k8s::Violations& out) {
  const std::string job_name = last_job_name(job_set, job);
  if (has_label_form(job_name)) return;
  const std::string field = job.field + ".name";
  const std::string message = fmt::format("the Job name \"{}\" must be a DNS label", job_name);
  if (!has_label_form(fmt::format("{}-0", job_set.name))) {
    add(out, "jobset/name", field, message, job_set.name_node, label_hint(job_set.name, true));
    return;
  }
  base::Diagnostic& diagnostic =
      add(out, "jobset/name", field, message, job.name_node, label_hint(job.name, false));
  add_note(diagnostic, "the TrainJob", job_set.name_node);
}

// Pod names end in five random characters.
void check_derived_length(const JobSetView& job_set, const ReplicatedJob& job, k8s::Violations& out) {
  const bool has_pod_names = job.indexed && job.completions;
  std::string longest = last_job_name(job_set, job);
  if (has_pod_names) longest += fmt::format("-{}-xxxxx", *job.completions - 1);
  if (longest.size() <= kMaxLabel) return;
  add_too_long(out, "jobset/name-length", job.field + ".name",
               fmt::format("the {} name \"{}\" would have {} characters, at most {} are allowed",
                           has_pod_names ? "pod" : "Job", longest, longest.size(), kMaxLabel),
               job_set, longest.size() - kMaxLabel, {"replicatedJob", job.name, job.name_node});
}

}  // namespace

void check_names(const JobSetView& job_set, k8s::Violations& out) {
  check_subdomain(job_set, out);
  check_manager(job_set, out);
  for (const ReplicatedJob& job : job_set.jobs) {
    check_group_name(job, out);
    check_derived_form(job_set, job, out);
    check_derived_length(job_set, job, out);
  }
}

void check_pod_counts(const JobSetView& job_set, k8s::Violations& out) {
  constexpr int64_t kMaxPods = std::numeric_limits<int32_t>::max();
  for (const ReplicatedJob& job : job_set.jobs) {
    const int64_t parallelism = job.parallelism.value_or(1);
    const int64_t pods = parallelism * job.replicas;
    if (pods <= kMaxPods) continue;
    const bool by_replicas = job.replicas > parallelism;
    const Node* replicas = job.node->get("replicas");
    const Node* parallel = job.job_spec ? job.job_spec->get("parallelism") : nullptr;
    base::Diagnostic& diagnostic =
        add(out, "jobset/pod-count", "",
            fmt::format("replicatedJob \"{}\" would run {} pods ({} replicas of {}), at most {} are allowed",
                        job.name, pods, job.replicas, parallelism, kMaxPods),
            by_replicas ? replicas : parallel,
            fmt::format("at most {}", kMaxPods / (by_replicas ? parallelism : job.replicas)));
    add_note(diagnostic, by_replicas ? "the parallelism" : "the replicas", by_replicas ? parallel : replicas);
  }
}

}  // namespace trainjobc::k8s::jobset
