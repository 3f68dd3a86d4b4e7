// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <charconv>
#include <variant>

#include "k8s/check/field_checks.h"
#include "k8s/job/job_spec.h"

namespace trainjobc::k8s::job {
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

// The number of indexes that the field lists; nullopt if it is absent.
std::optional<int64_t> check_indexes(const Field& field, int64_t completions, Report& report) {
  if (!field) return std::nullopt;
  const auto counted = count_indexes(field.text(), completions);
  if (const auto* wrong = std::get_if<std::string>(&counted)) {
    report.add(rule::kSuccessPolicy, field, fmt::format("succeededIndexes {}: {}", quoted(field), *wrong),
               "write it as 0,2-4");
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
