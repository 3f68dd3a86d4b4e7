// SPDX-License-Identifier: Apache-2.0

#include "k8s/job/job.h"

#include <fmt/format.h>

#include <string>

#include "k8s/jobset/construct.h"
#include "k8s/label_selectors.h"
#include "k8s/name_syntax.h"
#include "k8s/pod/pod.h"
#include "k8s/pod/volumes.h"
#include "k8s/violations.h"
#include "yaml/rewrite/remove.h"

namespace trainjobc::k8s::job {

namespace {

constexpr int64_t kMaxIndexed = 100'000;
constexpr int64_t kMaxParallelismOfMany = 10'000;
constexpr size_t kMaxManagedBy = 63;

void check_at_most(const Field& field, int64_t most, std::string_view because, Report& report) {
  const auto value = field.integer();
  if (!value || *value <= most) return;
  report.add(rule::kSpec, field,
             fmt::format("{} must be at most {} {}, not {}", field.name(), most, because, *value));
}

void check_managed_by(const Field& field, Report& report) {
  if (!field) return;
  const std::string_view text = field.text();
  const size_t slash = text.find('/');
  const auto refuse = [&](const std::string& wrong) {
    report.add(rule::kSpec, field, fmt::format("managedBy {} {}", quoted(text), wrong),
               "write it as example.com/name");
  };
  if (slash == text.npos || slash == 0 || slash + 1 == text.size()) {
    return refuse("must be a domain, a '/' and a path");
  }
  const std::string wrong = complaint(Form::DnsSubdomain, text.substr(0, slash));
  if (!wrong.empty()) return refuse("has a domain that " + wrong);
  if (!k8s::is_url_path(text.substr(slash + 1))) {
    return refuse("has a character that is not allowed in a URL path");
  }
  if (text.size() > kMaxManagedBy) {
    refuse(fmt::format("is {} characters long, at most {} are allowed", text.size(), kMaxManagedBy));
  }
}

void check_counts(const Field& spec, Report& report) {
  for (const std::string_view name :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
        "backoffLimitPerIndex", "maxFailedIndexes"}) {
    check_not_negative(spec.child(name), rule::kSpec, report);
  }
}

// An Indexed Job with a backoff limit per index and more than 100,000 completions.
void check_many_completions(const Field& spec, Report& report) {
  const Field failed = spec.child("maxFailedIndexes");
  if (!failed) {
    report.add(rule::kSpec, failed,
               fmt::format("maxFailedIndexes is required with more than {} completions", kMaxIndexed));
  }
  constexpr std::string_view kBecause = "with more than 100000 completions and a backoffLimitPerIndex";
  check_at_most(failed, kMaxParallelismOfMany, kBecause, report);
  check_at_most(spec.child("parallelism"), kMaxParallelismOfMany, kBecause, report);
}

void check_indexed(const Field& spec, Report& report) {
  const Field completions = spec.child("completions");
  const Field failed = spec.child("maxFailedIndexes");
  if (!completions && spec.child("parallelism")) {
    report.add(rule::kSpec, completions, "an Indexed Job needs completions",
               "add completions: the number of pods");
  }
  const bool many = completions.integer().value_or(1) > kMaxIndexed && spec.child("backoffLimitPerIndex");
  if (many) return check_many_completions(spec, report);
  check_at_most(spec.child("parallelism"), kMaxIndexed, "in an Indexed Job", report);
  if (!failed) return;
  const int64_t limit = failed.integer().value_or(0);
  const int64_t count = completions.integer().value_or(1);
  if (limit > count && (completions || !spec.child("parallelism"))) {
    report.add(
        rule::kSpec, failed,
        fmt::format("maxFailedIndexes {} is more than the number of indexes ({} completions)", limit, count));
  } else {
    check_at_most(failed, kMaxIndexed, "in an Indexed Job", report);
  }
}

void check_not_indexed(const Field& spec, Report& report) {
  for (const std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    const Field field = spec.child(name);
    if (!field) continue;
    report.add_at(field.key_location(), rule::kSpec, field, fmt::format("{} needs an Indexed Job", name),
                  "set completionMode: Indexed");
  }
}

void check_replacement_policy(const Field& spec, Report& report) {
  const Field policy = spec.child("podReplacementPolicy");
  constexpr std::string_view kPolicies[] = {"Failed", "TerminatingOrFailed"};
  constexpr std::string_view kWithFailurePolicy[] = {"Failed"};
  if (spec.child("podFailurePolicy")) {
    if (policy && policy.text() == "TerminatingOrFailed") {
      suggest_writing(
          report.add(rule::kSpec, policy, "a Job with a podFailurePolicy replaces only Failed pods"),
          policy.node(), "Failed");
      return;
    }
    check_optional_one_of(policy, kWithFailurePolicy, rule::kSpec, report);
    return;
  }
  check_optional_one_of(policy, kPolicies, rule::kSpec, report);
}

}  // namespace

void check_job_spec(const Field& spec, Report& report) {
  check_counts(spec, report);
  const Field per_index = spec.child("backoffLimitPerIndex");
  if (spec.child("maxFailedIndexes") && !per_index) {
    report.add_at(spec.child("maxFailedIndexes").key_location(), rule::kSpec, per_index,
                  "maxFailedIndexes needs a backoffLimitPerIndex", "add backoffLimitPerIndex");
  }
  check_managed_by(spec.child("managedBy"), report);
  const Field mode = spec.child("completionMode");
  constexpr std::string_view kModes[] = {"NonIndexed", "Indexed"};
  const bool known = check_optional_one_of(mode, kModes, rule::kSpec, report);
  const bool indexed = mode.text() == "Indexed";
  if (indexed) check_indexed(spec, report);
  if (known && !indexed) check_not_indexed(spec, report);
  if (spec.child("podFailurePolicy")) check_pod_failure_policy(spec, report);
  if (spec.child("successPolicy")) check_success_policy(spec, report);
  check_replacement_policy(spec, report);
}

// The selector and the labels that it matches

namespace {

// A value that manifests can't contain; the API server generates it.
constexpr std::string_view kAnyUid = "\x01uid";

constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};

LabelSet template_labels(const Field& metadata) {
  LabelSet out;
  for_each_entry(metadata.child("labels"),
                 [&](std::string_view key, const Field& value) { out.emplace(key, value.text()); });
  return out;
}

LabelSet generated_labels(const std::string& job_name) {
  LabelSet out;
  for (const std::string_view key : kUidLabels) out.emplace(key, kAnyUid);
  for (const std::string_view key : kNameLabels) out.emplace(key, job_name);
  return out;
}

// Labels that the API server sets on the template.
void check_reserved_labels(const Field& metadata, const std::string& job_name, Report& report) {
  const Field labels = metadata.child("labels");
  for (const std::string_view key : kUidLabels) {
    const Field label = labels.entry(key);
    if (!label) continue;
    report.add_at(label.key_location(), rule::kSelector, label,
                  fmt::format("label {} must be the Job's uid, which is not known in advance", key),
                  "remove it");
  }
  for (const std::string_view key : kNameLabels) {
    const Field label = labels.entry(key);
    if (!label || label.text() == job_name) continue;
    report.add(
        rule::kSelector, label,
        fmt::format("label {} must be the Job's name {}, not {}", key, quoted(job_name), quoted(label)),
        "remove it");
  }
}

}  // namespace

void check_job_selector(const Field& spec, const std::string& job_name, Report& report) {
  const Field selector = spec.child("selector");
  const Field pod_template = spec.child("template");
  const Field metadata = pod_template.child("metadata");
  const bool manual = spec.child("manualSelector").is_true();
  const size_t before = report.size();
  check_label_selector(selector, report);
  const bool well_formed = report.size() == before;
  LabelSet labels = template_labels(metadata);
  if (!manual) {
    check_reserved_labels(metadata, job_name, report);
    const LabelSet generated = generated_labels(job_name);
    if (selector && well_formed && !selects(selector.node(), generated)) {
      base::Diagnostic& found =
          report.add_at(selector.key_location(), rule::kSelector, selector,
                        "the API server generates the selector, and this one would not match it",
                        "remove selector, or set manualSelector: true");
      base::suggest_fix(found, yaml::remove_at(*spec.node(), {"selector"}));
    }
    labels.insert(generated.begin(), generated.end());
  } else if (!selector) {
    base::Diagnostic& found =
        report.add_at(spec.child("manualSelector").key_location(), rule::kSelector, selector,
                      "manualSelector needs a selector", "remove manualSelector");
    base::suggest_fix(found, yaml::remove_at(*spec.node(), {"manualSelector"}));
  }
  const bool wanted = (!manual && !selector) || selects(selector.node(), labels);
  const bool own = manual || labels.find(kUidLabels[1])->second == kAnyUid;
  if (!well_formed || (wanted && own)) return;
  report.add_at(wanted ? metadata.child("labels").location() : selector.location(), rule::kSelector,
                metadata.child("labels"), "the pod template lacks the labels that the selector requires",
                wanted ? "" : "add the selector's labels to the pod template");
}

// The Jobs of a JobSet

namespace {

// The name of the replicatedJob's first Job.
std::string first_job_name(const Field& job_set, const Field& replicated_job) {
  const Field metadata = job_set.child("metadata");
  return jobset::job_name(metadata.child("name").text(), replicated_job.child("name").text(), 0);
}

template <typename Visit>
void for_each_claim(const Field& job_set, const Visit& visit) {
  const Field spec = job_set.child("spec");
  for_each_item(spec.child("volumeClaimPolicies"),
                [&](const Field& policy) { for_each_item(policy.child("templates"), visit); });
}

// The claims that the JobSet controller makes of volumeClaimPolicies before it makes any Job. If one is
// refused, JobSet makes no Job and says so in an event, PVCCreationFailed. Source of the rules:
// k8s.io/kubernetes, ValidatePersistentVolumeClaim.
void check_claims(const Field& job_set, Report& report) {
  for_each_claim(job_set, [&](const Field& claim) {
    // The controller copies only labels and annotations; JobSet's webhook checks the name.
    const Field metadata = claim.child("metadata");
    check_labels(metadata.child("labels"), "label", report);
    check_annotations(metadata.child("annotations"), report);
    pod::check_claim_spec(claim.child("spec"), report);
  });
}

std::vector<std::string_view> claim_names(const Field& job_set) {
  std::vector<std::string_view> names;
  for_each_claim(job_set, [&](const Field& claim) {
    const Field metadata = claim.child("metadata");
    names.push_back(metadata.child("name").text());
  });
  return names;
}

// job_template: a Job without its name, as the JobSet controller completed it.
void check_job(const Field& job_set, const Field& replicated_job, const Field& job_template, Report& report) {
  const Field metadata = job_template.child("metadata");
  check_labels(metadata.child("labels"), "label", report);
  check_annotations(metadata.child("annotations"), report);
  const Field spec = job_template.child("spec");
  check_job_spec(spec, report);
  check_job_selector(spec, first_job_name(job_set, replicated_job), report);

  const Field pod_template = spec.child("template");
  const Field pod_metadata = pod_template.child("metadata");
  const Field pod = pod_template.child("spec");
  // The API server leaves "metadata" out of these paths.
  const Field annotations = pod_template.child("annotations", pod_metadata.child("annotations").node());
  check_labels(pod_template.child("labels", pod_metadata.child("labels").node()), "label", report);
  check_annotations(annotations, report);
  pod::check_pod_annotations(annotations, pod, report);
  pod::check_pod_spec(pod, claim_names(job_set), report);
  pod::check_restart_policy(pod, !!spec.child("podFailurePolicy"), report);
}

}  // namespace

Violations validate_jobs(const yaml::Node& admitted_job_set, const yaml::Maker& make) {
  Violations violations;
  Report report(violations);
  const Field job_set(&admitted_job_set);
  const Field spec = job_set.child("spec");
  check_claims(job_set, report);
  const Field replicated_jobs = spec.child("replicatedJobs");
  const jobset::JobSetView view = jobset::view_job_set(admitted_job_set);
  for (size_t i = 0; i < view.jobs.size(); ++i) {
    const Field replicated_job = replicated_jobs.item(i);
    const yaml::Node* completed = jobset::first_job(admitted_job_set, view, view.jobs[i], make);
    check_job(job_set, replicated_job, replicated_job.child("template", completed), report);
  }
  return violations;
}

}  // namespace trainjobc::k8s::job
