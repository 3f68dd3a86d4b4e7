// The names in a JobSet, and those that its Jobs and pods will get.
#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "compile/jobset_dns.h"
#include "compile/jobset_rules.h"

namespace trainjobc::compile::jobset {
namespace {

using yaml::Node;

std::string label_hint(std::string_view wrong) {
  const std::string label = suggest_label(wrong);
  return fmt::format("lower case letters, digits and dashes, a letter first{}",
                     label.empty() || label == wrong ? "" : fmt::format(": \"{}\"", label));
}

// It names the Service of the pods.
void check_subdomain(const JobSetView& job_set, schema::Violations& out) {
  const Node* subdomain = job_set.spec->at({"network", "subdomain"});
  if (!subdomain || subdomain->size() == 0) return;
  const std::string_view text = subdomain->text();
  if (!has_label_form(text)) {
    add(out, "jobset/subdomain", "spec.network.subdomain",
        fmt::format("the subdomain \"{}\" is no DNS label, and the pods' Service is called so", text),
        subdomain, label_hint(text));
  }
  if (text.size() > kMaxLabel) {
    add(out, "jobset/subdomain", "spec.network.subdomain",
        fmt::format("the subdomain has {} characters, at most {} are allowed", text.size(), kMaxLabel),
        subdomain);
  }
}

void check_manager(const JobSetView& job_set, schema::Violations& out) {
  const Node* manager = job_set.spec->get("managedBy");
  if (!manager) return;
  const std::string_view text = manager->text();
  if (!is_domain_prefixed_path(text)) {
    add(out, "jobset/managed-by", "spec.managedBy",
        fmt::format("the manager \"{}\" must be a domain-prefixed path", text), manager,
        "such as \"kueue.x-k8s.io/multikueue\"");
  }
  if (text.size() > kMaxLabel) {
    add(out, "jobset/managed-by", "spec.managedBy",
        fmt::format("managedBy has {} characters, at most {} are allowed", text.size(), kMaxLabel), manager);
  }
}

// Until Trainer 2.0 there are no groups.
void check_group_name(const ReplicatedJob& job, schema::Violations& out) {
  const Node* group = job.node->get("groupName");
  if (!group) return;
  const std::string_view text = group->text();
  if (!has_label_form(text)) {
    add(out, "jobset/group-name", job.field + ".groupName",
        fmt::format("the groupName \"{}\" is no DNS label", text), group, label_hint(text));
  }
  if (text.size() > kMaxLabel) {
    add(out, "jobset/group-name", job.field + ".groupName",
        fmt::format("the groupName has {} characters, at most {} are allowed", text.size(), kMaxLabel),
        group);
  }
}

// The Job of the highest index, whose name is the longest.
std::string last_job_name(const JobSetView& job_set, const ReplicatedJob& job) {
  return fmt::format("{}-{}-{}", job_set.name, job.name, job.replicas - 1);
}

void check_derived_form(const JobSetView& job_set, const ReplicatedJob& job, schema::Violations& out) {
  const std::string job_name = last_job_name(job_set, job);
  if (has_label_form(job_name)) return;
  const bool prefix_fits = has_label_form(fmt::format("{}-0", job_set.name));
  base::Diagnostic& diagnostic =
      add(out, "jobset/name", job.field + ".name",
          fmt::format("the Job name \"{}\" would be no DNS label", job_name),
          prefix_fits ? job.name_node : job_set.name_node, label_hint(prefix_fits ? job.name : job_set.name));
  if (prefix_fits) add_note(diagnostic, "the TrainJob", job_set.name_node);
}

// Pod names end in five random characters.
void check_derived_length(const JobSetView& job_set, const ReplicatedJob& job, schema::Violations& out) {
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

void check_names(const JobSetView& job_set, schema::Violations& out) {
  check_subdomain(job_set, out);
  check_manager(job_set, out);
  for (const ReplicatedJob& job : job_set.jobs) {
    check_group_name(job, out);
    check_derived_form(job_set, job, out);
    check_derived_length(job_set, job, out);
  }
}

void check_pod_counts(const JobSetView& job_set, schema::Violations& out) {
  constexpr int64_t kMaxPods = std::numeric_limits<int32_t>::max();
  for (const ReplicatedJob& job : job_set.jobs) {
    const int64_t parallelism = job.parallelism.value_or(1);
    if (parallelism * job.replicas <= kMaxPods) continue;
    const bool by_replicas = job.replicas > parallelism;
    const Node* replicas = job.node->get("replicas");
    const Node* culprit = by_replicas ? replicas : job.job_spec->get("parallelism");
    base::Diagnostic& diagnostic = add(
        out, "jobset/pod-count", "",
        fmt::format(
            "replicatedJob \"{}\" would run {} pods at once ({} replicas of {} pods), at most {} are allowed",
            job.name, parallelism * job.replicas, job.replicas, parallelism, kMaxPods),
        culprit);
    if (!by_replicas) add_note(diagnostic, "the replicas", replicas);
  }
}

}  // namespace trainjobc::compile::jobset
