// SPDX-License-Identifier: Apache-2.0

#include "k8s/job/job_spec.h"

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/name_syntax.h"

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
      report.add(rule::kSpec, policy, "a Job with a podFailurePolicy replaces only Failed pods",
                 "write podReplacementPolicy: Failed");
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

}  // namespace trainjobc::k8s::job
