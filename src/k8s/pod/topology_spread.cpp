// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/label_selectors.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

void check_keys(const Field& keys, const Field& selector, std::string_view rule, Report& report) {
  if (keys.size() == 0) return;
  if (!selector) {
    report.add_at(keys.key_location(), rule, keys, fmt::format("{} needs a labelSelector", keys.name()),
                  "add a labelSelector");
    return;
  }
  for_each_item(keys, [&](const Field& key) { check_form(key, Form::LabelKey, rule, "label key", report); });
}

std::optional<size_t> last_index_of(const Field& list, std::string_view text) {
  std::optional<size_t> found;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.item(i).text() == text) found = i;
  }
  return found;
}

// Whether a later constraint has the same topologyKey and whenUnsatisfiable.
bool is_repeated(const Field& constraints, size_t index) {
  const Field constraint = constraints.item(index);
  for (size_t other = index + 1; other < constraints.size(); ++other) {
    const Field later = constraints.item(other);
    if (later.child("topologyKey").text() == constraint.child("topologyKey").text() &&
        later.child("whenUnsatisfiable").text() == constraint.child("whenUnsatisfiable").text()) {
      return true;
    }
  }
  return false;
}

void check_constraint(const Field& constraint, Report& report) {
  constexpr std::string_view kActions[] = {"DoNotSchedule", "ScheduleAnyway"};
  constexpr std::string_view kPolicies[] = {"Honor", "Ignore"};
  check_positive(constraint.child("maxSkew"), rule::kTopologySpread, report);
  check_given(constraint.child("topologyKey"), rule::kTopologySpread, report);
  const Field action = constraint.child("whenUnsatisfiable");
  check_one_of(action, kActions, rule::kTopologySpread, report);
  const Field domains = constraint.child("minDomains");
  if (domains && check_positive(domains, rule::kTopologySpread, report) && action.text() != "DoNotSchedule") {
    report.add(rule::kTopologySpread, domains, "minDomains needs whenUnsatisfiable: DoNotSchedule");
  }
  check_optional_one_of(constraint.child("nodeAffinityPolicy"), kPolicies, rule::kTopologySpread, report);
  check_optional_one_of(constraint.child("nodeTaintsPolicy"), kPolicies, rule::kTopologySpread, report);
  check_match_label_keys(constraint, rule::kTopologySpread, report);
  check_label_selector(constraint.child("labelSelector"), report);
}

}  // namespace

void check_match_label_keys(const Field& term, std::string_view rule, Report& report) {
  const Field selector = term.child("labelSelector");
  const Field keys = term.child("matchLabelKeys");
  const Field mismatch = term.child("mismatchLabelKeys");
  check_keys(keys, selector, rule, report);
  check_keys(mismatch, selector, rule, report);
  std::set<std::string_view> selected;
  for_each_entry(selector.child("matchLabels"),
                 [&](std::string_view key, const Field&) { selected.insert(key); });
  for_each_item(selector.child("matchExpressions"), [&](const Field& expression) {
    const Field key = expression.child("key");
    const auto index = last_index_of(keys, key.text());
    if (index && selected.contains(key.text())) {
      report.add_at(key.location(), rule, term.item(*index),
                    fmt::format("label {} is both in matchLabelKeys and in the labelSelector", key.text()),
                    "remove it from one of them");
    }
    selected.insert(key.text());
  });
  for_each_item(keys, [&](const Field& key) {
    if (!last_index_of(mismatch, key.text())) return;
    report.add(rule, key,
               fmt::format("label {} is both in matchLabelKeys and in mismatchLabelKeys", key.text()),
               "remove it from one of them");
  });
}

void check_topology_spread(const Field& constraints, Report& report) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Field constraint = constraints.item(i);
    check_constraint(constraint, report);
    if (!is_repeated(constraints, i)) continue;
    const Field pair = constraint.child("{topologyKey, whenUnsatisfiable}", nullptr);
    report.add(rule::kTopologySpread, pair,
               fmt::format("two constraints spread over {} with the same whenUnsatisfiable",
                           constraint.child("topologyKey").text()),
               "remove one of the two");
  }
}

}  // namespace trainjobc::k8s::job
