// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <variant>

#include "base/text/text.h"
#include "k8s/job/job.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::job {

// podFailurePolicy

namespace {

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

}  // namespace

void check_pod_failure_policy(const Field& spec, Report& report) {
  const Field policy = spec.child("podFailurePolicy");
  const Field rules = policy.child("rules");
  const Field pod_template = spec.child("template");
  const Field pod = pod_template.child("spec");
  check_count(rules, kMaxFailureRules, "rules", rule::kPodFailurePolicy, report);
  for_each_item(rules, [&](const Field& policy_rule) { check_rule(policy_rule, spec, pod, report); });
}

// successPolicy

namespace {

constexpr size_t kMaxSuccessRules = 20;
constexpr size_t kMaxIndexesText = 64 * 1024;

struct Interval {
  int64_t first = 0;
  int64_t last = 0;
};

std::optional<int64_t> to_index(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// An interval "3" or "1-4", or its error.
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

// The number of indexes in a list such as "0,2-4", or its error.
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

// The same indexes in ascending order, each once; "" if the text is not a list of indexes.
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
    base::Diagnostic& found = report.add(
        rule::kSuccessPolicy, field, fmt::format("succeededIndexes {}: {}", quoted(field), *wrong));
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

}  // namespace

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

}  // namespace trainjobc::k8s::job
