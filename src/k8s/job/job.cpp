// SPDX-License-Identifier: Apache-2.0

#include "k8s/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::k8s::job {

namespace {

// podFailurePolicy

constexpr size_t kMaxFailureRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxPatterns = 20;

bool has_container(const Field& pod, std::string_view name) {
  bool found = false;
  const auto look = [&](const Field& container) { found = found || container.child("name").text() == name; };
  for_each_item(pod.child("containers"), look);
  for_each_item(pod.child("initContainers"), look);
  return found;
}

void check_exit_code_values(const Field& values, bool is_in, Report& report) {
  if (values.size() == 0) {
    report.add(rule::kPodFailurePolicy, values, "onExitCodes needs at least one exit code", "add values");
  }
  check_count(values, kMaxExitCodes, "exit codes", rule::kPodFailurePolicy, report);
  std::set<int64_t> seen;
  int64_t last = INT64_MIN;
  bool ordered = true;
  for_each_item(values, [&](const Field& value) {
    const int64_t code = value.integer().value_or(0);
    if (is_in && code == 0) {
      report.add(rule::kPodFailurePolicy, value, "exit code 0 is not a failure, operator In can't list it");
    } else if (seen.contains(code)) {
      report.add(rule::kPodFailurePolicy, value, fmt::format("exit code {} is listed twice", code),
                 "remove one of the two");
    }
    seen.insert(code);
    ordered = ordered && last <= code;
    last = code;
  });
  if (!ordered) {
    report.add(rule::kPodFailurePolicy, values, "exit codes must be in ascending order",
               fmt::format("write [{}]", fmt::join(seen, ", ")));
  }
}

void check_exit_codes(const Field& codes, const Field& pod, Report& report) {
  constexpr std::string_view kOperators[] = {"In", "NotIn"};
  const Field op = codes.child("operator");
  check_one_of(op, kOperators, rule::kPodFailurePolicy, report);
  const Field container = codes.child("containerName");
  if (container && !has_container(pod, container.text())) {
    report.add(rule::kPodFailurePolicy, container,
               fmt::format("the pod has no container {}", quoted(container)),
               "name one of the pod's containers, or leave containerName out");
  }
  check_exit_code_values(codes.child("values"), op.text() == "In", report);
}

void check_conditions(const Field& patterns, Report& report) {
  check_count(patterns, kMaxPatterns, "patterns", rule::kPodFailurePolicy, report);
  constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};
  for_each_item(patterns, [&](const Field& pattern) {
    check_form(pattern.child("type"), Form::LabelKey, rule::kPodFailurePolicy, "condition type", report);
    check_defaulted_one_of(pattern.child("status"), kStatuses, rule::kPodFailurePolicy, report);
  });
}

void check_rule(const Field& policy_rule, const Field& spec, const Field& pod, Report& report) {
  constexpr std::string_view kActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
  const Field action = policy_rule.child("action");
  if (check_one_of(action, kActions, rule::kPodFailurePolicy, report) && action.text() == "FailIndex" &&
      !spec.child("backoffLimitPerIndex")) {
    report.add(rule::kPodFailurePolicy, action, "action FailIndex needs spec.backoffLimitPerIndex",
               "add backoffLimitPerIndex, or use FailJob");
  }
  const Field codes = policy_rule.child("onExitCodes");
  const Field conditions = policy_rule.child("onPodConditions");
  if (codes) check_exit_codes(codes, pod, report);
  check_conditions(conditions, report);
  if (codes && conditions.size() > 0) {
    report.add(rule::kPodFailurePolicy, policy_rule, "a rule can't have both onExitCodes and onPodConditions",
               "split it into two rules");
  } else if (!codes && conditions.size() == 0) {
    report.add(rule::kPodFailurePolicy, policy_rule, "a rule needs onExitCodes or onPodConditions");
  }
}

// Checks spec.podFailurePolicy, and the containers that it names.
void check_pod_failure_policy(const Field& spec, Report& report) {
  const Field policy = spec.child("podFailurePolicy");
  const Field rules = policy.child("rules");
  const Field pod_template = spec.child("template");
  const Field pod = pod_template.child("spec");
  check_count(rules, kMaxFailureRules, "rules", rule::kPodFailurePolicy, report);
  for_each_item(rules, [&](const Field& policy_rule) { check_rule(policy_rule, spec, pod, report); });
}

// successPolicy

constexpr size_t kMaxSuccessRules = 20;
constexpr size_t kMaxIndexesText = 64 * 1024;

struct Interval {
  int64_t first = 0;
  int64_t last = 0;
};

std::optional<int64_t> to_index(std::string_view text) {
  return base::read_integer(text.substr(text.starts_with('+') ? 1 : 0));
}

// Reads an interval "3" or "1-4"; or returns what is wrong with it.
std::variant<Interval, std::string> read_interval(std::string_view text, int64_t completions) {
  const size_t dash = text.find('-');
  const auto first = to_index(text.substr(0, dash));
  const auto last = dash == text.npos ? first : to_index(text.substr(dash + 1));
  if (!first || !last) return fmt::format("{} is neither an index nor a range such as 2-4", quoted(text));
  for (const int64_t index : {*first, *last}) {
    if (index >= completions) {
      return fmt::format("index {} is too large, {} completions have indexes up to {}", index, completions,
                         completions - 1);
    }
  }
  if (dash != text.npos && *first >= *last) return fmt::format("{} is not in ascending order", quoted(text));
  return Interval{*first, *last};
}

// The number of indexes in a list such as "0,2-4"; or what is wrong with it.
std::variant<int64_t, std::string> count_indexes(std::string_view text, int64_t completions) {
  int64_t total = 0;
  std::optional<int64_t> last;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const auto read = read_interval(text.substr(0, comma), completions);
    if (const auto* wrong = std::get_if<std::string>(&read)) return *wrong;
    const Interval interval = std::get<Interval>(read);
    if (last && *last >= interval.first) {
      return fmt::format("index {} comes after {}, but indexes must be in ascending order", interval.first,
                         *last);
    }
    total += interval.last - interval.first + 1;
    last = interval.last;
    if (comma == text.npos) return total;
    text.remove_prefix(comma + 1);
    if (text.empty()) return "it ends with a comma";
  }
  return total;
}

// The indexes of such a list in ascending order, each once; "" if the text is not a list of indexes.
std::string indexes_in_order(std::string_view text) {
  std::vector<Interval> intervals;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = base::trimmed(text.substr(0, comma));
    const size_t dash = std::min(part.find('-'), part.size());
    const auto first = to_index(base::trimmed(part.substr(0, dash)));
    const auto last = dash < part.size() ? to_index(base::trimmed(part.substr(dash + 1))) : first;
    if (!first || !last) return "";
    intervals.push_back({std::min(*first, *last), std::max(*first, *last)});
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(intervals, {}, &Interval::first);
  std::string out;
  for (size_t i = 0; i < intervals.size(); ++i) {
    Interval& one = intervals[i];
    if (i + 1 < intervals.size() && intervals[i + 1].first <= one.last) {
      intervals[i + 1] = {one.first, std::max(one.last, intervals[i + 1].last)};
      continue;
    }
    out += fmt::format("{}{}", out.empty() ? "" : ",", one.first);
    if (one.last != one.first) out += fmt::format("-{}", one.last);
  }
  return out;
}

// The number of indexes that the field lists; nullopt if it is absent.
std::optional<int64_t> check_indexes(const Field& field, int64_t completions, Report& report) {
  if (!field) return std::nullopt;
  const auto counted = count_indexes(field.text(), completions);
  if (const auto* wrong = std::get_if<std::string>(&counted)) {
    base::Diagnostic& found = report.add(rule::kSuccessPolicy, field,
                                         fmt::format("succeededIndexes {}: {}", quoted(field), *wrong));
    const std::string better = indexes_in_order(field.text());
    const bool is_good =
        !better.empty() && std::holds_alternative<int64_t>(count_indexes(better, completions));
    if (is_good) suggest_writing(found, field.node(), better);
    if (!is_good) found.hint = "write it as 0,2-4";
    return 0;
  }
  if (field.text().size() > kMaxIndexesText) {
    report.add(rule::kSuccessPolicy, field,
               fmt::format("succeededIndexes is {} characters long, at most {} are allowed",
                           field.text().size(), kMaxIndexesText));
  }
  return std::get<int64_t>(counted);
}

void check_rule(const Field& policy_rule, int64_t completions, Report& report) {
  const Field indexes = policy_rule.child("succeededIndexes");
  const Field count = policy_rule.child("succeededCount");
  if (!indexes && !count) {
    report.add(rule::kSuccessPolicy, policy_rule, "a rule needs succeededIndexes or succeededCount");
    return;
  }
  const auto listed = check_indexes(indexes, completions, report);
  if (!check_not_negative(count, rule::kSuccessPolicy, report)) return;
  const auto wanted = count.integer();
  if (wanted && *wanted > completions) {
    report.add(rule::kSuccessPolicy, count,
               fmt::format("succeededCount {} is more than the {} completions", *wanted, completions));
  } else if (wanted && listed && *wanted > *listed) {
    report.add(
        rule::kSuccessPolicy, count,
        fmt::format("succeededCount {} is more than the {} indexes of succeededIndexes", *wanted, *listed));
  }
}

// Checks spec.successPolicy of a Job of any completion mode.
void check_success_policy(const Field& spec, Report& report) {
  const Field policy = spec.child("successPolicy");
  if (spec.child("completionMode").text() != "Indexed") {
    report.add_at(policy.key_location(), rule::kSuccessPolicy, policy, "successPolicy needs an Indexed Job",
                  "set completionMode: Indexed");
    return;
  }
  const Field rules = policy.child("rules");
  if (rules.size() == 0) report.add(rule::kSuccessPolicy, rules, "successPolicy needs at least one rule");
  check_count(rules, kMaxSuccessRules, "rules", rule::kSuccessPolicy, report);
  const int64_t completions = spec.child("completions").integer().value_or(1);
  for_each_item(rules, [&](const Field& policy_rule) { check_rule(policy_rule, completions, report); });
}

// The Job's own spec, without its pod template

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

// Checks an Indexed Job with a backoff limit per index and more than 100,000 completions.
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

// Stands for a uid that the API server generates; manifests can't contain this value.
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

// Checks labels that the API server sets on the template.
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

// Checks the pod template's labels and the selector that must match them. The API server generates both
// unless spec.manualSelector is set, and refuses labels and selectors that contradict what it would generate.
void check_job_selector(const Field& spec, const std::string& job_name, Report& report) {
  const Field selector = spec.child("selector");
  const Field pod_template = spec.child("template");
  const Field metadata = pod_template.child("metadata");
  const bool manual = spec.child("manualSelector").is_true();
  const size_t before = report.size();
  check_label_selector(selector, report);
  const bool well_formed = report.size() == before;
  if (!manual) {
    check_reserved_labels(metadata, job_name, report);
    if (selector && well_formed && !selects(selector.node(), generated_labels(job_name))) {
      base::Diagnostic& found =
          report.add_at(selector.key_location(), rule::kSelector, selector,
                        "the API server generates the selector, and this one would not match it",
                        "remove selector, or set manualSelector: true");
      base::suggest_fix(found, yaml::remove_at(*spec.node(), {"selector"}));
    }
  } else if (!selector) {
    base::Diagnostic& found =
        report.add_at(spec.child("manualSelector").key_location(), rule::kSelector, selector,
                      "manualSelector needs a selector", "remove manualSelector");
    base::suggest_fix(found, yaml::remove_at(*spec.node(), {"manualSelector"}));
  }
  const auto pod_labels = [&] {
    LabelSet labels = template_labels(metadata);
    if (!manual) labels.merge(generated_labels(job_name));
    return labels;
  };
  const bool wanted = (!manual && !selector) || selects(selector.node(), pod_labels());
  const Field own_labels = metadata.child("labels");
  const bool own = manual || !own_labels.entry(kUidLabels[1]);
  if (!well_formed || (wanted && own)) return;
  report.add_at(wanted ? own_labels.location() : selector.location(), rule::kSelector, own_labels,
                "the pod template lacks the labels that the selector requires",
                wanted ? "" : "add the selector's labels to the pod template");
}

// The Jobs of a JobSet

template <typename Visit>
void for_each_claim(const Field& job_set, const Visit& visit) {
  const Field spec = job_set.child("spec");
  for_each_item(spec.child("volumeClaimPolicies"),
                [&](const Field& policy) { for_each_item(policy.child("templates"), visit); });
}

// Checks the claims that the JobSet controller makes of volumeClaimPolicies before it makes any Job. If one
// is refused, JobSet makes no Job and says so in an event, PVCCreationFailed. Source of the rules:
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

// `job_template` is a Job without its name, as the JobSet controller completed it.
void check_job(const Field& job_set, const std::string& name, const Field& job_template, Report& report) {
  const Field metadata = job_template.child("metadata");
  check_labels(metadata.child("labels"), "label", report);
  check_annotations(metadata.child("annotations"), report);
  const Field spec = job_template.child("spec");
  check_job_spec(spec, report);
  check_job_selector(spec, name, report);

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

Violations validate_jobs(const yaml::Node& admitted_job_set, const yaml::Maker& make,
                         const KubernetesBehaviour& kubernetes) {
  Violations violations;
  Report report(violations, kubernetes);
  const Field job_set(&admitted_job_set);
  const Field spec = job_set.child("spec");
  check_claims(job_set, report);
  const Field replicated_jobs = spec.child("replicatedJobs");
  const jobset::JobSetView view = jobset::view_job_set(admitted_job_set);
  for (size_t i = 0; i < view.jobs.size(); ++i) {
    const Field replicated_job = replicated_jobs.item(i);
    const yaml::Node* completed =
        without_dropped(*jobset::first_job(admitted_job_set, view, view.jobs[i], make), kubernetes, make);
    const std::string name = jobset::job_name(view.name, view.jobs[i].name, 0);
    check_job(job_set, name, replicated_job.child("template", completed), report);
  }
  return violations;
}

}  // namespace trainjobc::k8s::job
