// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/object_meta.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

// Label keys beside a labelSelector

void check_keys(const Field& keys, const Field& selector, std::string_view rule, Report& report) {
  if (keys.size() == 0) return;
  if (!selector) {
    report.add_at(keys.key_location(), rule, keys, fmt::format("{} needs a labelSelector", keys.name()),
                  "add a labelSelector");
    return;
  }
  for_each_item(keys, [&](const Field& key) { check_form(key, Form::LabelKey, rule, "label key", report); });
}

// For each text of a list, its last index.
std::map<std::string_view, size_t> last_indexes(const Field& list) {
  std::map<std::string_view, size_t> indexes;
  for (size_t i = 0; i < list.size(); ++i) {
    const Field item = list.item(i);
    indexes[item.text()] = i;
  }
  return indexes;
}

// Checks matchLabelKeys and mismatchLabelKeys beside a labelSelector, in a pod affinity term or a spread
// constraint.
void check_match_label_keys(const Field& term, std::string_view rule, Report& report) {
  const Field selector = term.child("labelSelector");
  const Field keys = term.child("matchLabelKeys");
  const Field mismatch = term.child("mismatchLabelKeys");
  check_keys(keys, selector, rule, report);
  check_keys(mismatch, selector, rule, report);
  const std::map<std::string_view, size_t> index_of_key = last_indexes(keys);
  const std::map<std::string_view, size_t> index_of_mismatch = last_indexes(mismatch);
  std::set<std::string_view> selected;
  for_each_entry(selector.child("matchLabels"),
                 [&](std::string_view key, const Field&) { selected.insert(key); });
  for_each_item(selector.child("matchExpressions"), [&](const Field& expression) {
    const Field key = expression.child("key");
    const auto index = index_of_key.find(key.text());
    if (index != index_of_key.end() && selected.contains(key.text())) {
      report.add_at(key.location(), rule, term.item(index->second),
                    fmt::format("label {} is both in matchLabelKeys and in the labelSelector", key.text()),
                    "remove it from one of them");
    }
    selected.insert(key.text());
  });
  for_each_item(keys, [&](const Field& key) {
    if (!index_of_mismatch.contains(key.text())) return;
    report.add(rule, key,
               fmt::format("label {} is both in matchLabelKeys and in mismatchLabelKeys", key.text()),
               "remove it from one of them");
  });
}

// Affinity

void check_expression(const Field& expression, bool check_values, Report& report) {
  constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  const Field op = expression.child("operator");
  const Field values = expression.child("values");
  if (check_one_of(op, kOperators, rule::kAffinity, report)) {
    const bool none = op.text() == "Exists" || op.text() == "DoesNotExist";
    const bool one = op.text() == "Gt" || op.text() == "Lt";
    if (none && values.size() > 0) {
      report.add(rule::kAffinity, values, fmt::format("operator {} allows no values", op.text()),
                 "leave values out, or use In or NotIn");
    } else if (one && values.size() != 1) {
      report.add(rule::kAffinity, values, fmt::format("operator {} needs exactly one value", op.text()));
    } else if (!none && values.size() == 0) {
      report.add(rule::kAffinity, values, fmt::format("operator {} needs values", op.text()),
                 "list at least one value, or use Exists");
    }
  }
  check_form(expression.child("key"), Form::LabelKey, rule::kAffinity, "node label key", report);
  if (!check_values) return;
  for_each_item(values, [&](const Field& value) {
    check_form(value, Form::LabelValue, rule::kAffinity, "node label value", report);
  });
}

void check_match_field(const Field& match, Report& report) {
  constexpr std::string_view kOperators[] = {"In", "NotIn"};
  constexpr std::string_view kKeys[] = {"metadata.name"};
  const Field values = match.child("values");
  if (check_one_of(match.child("operator"), kOperators, rule::kAffinity, report) && values.size() != 1) {
    report.add(rule::kAffinity, values, "a node field selector needs exactly one value");
  }
  if (!check_one_of(match.child("key"), kKeys, rule::kAffinity, report)) return;
  for_each_item(values, [&](const Field& value) {
    check_form(value, Form::DnsSubdomain, rule::kAffinity, "node name", report);
  });
}

void check_weight(const Field& weight, Report& report) {
  if (!weight) report.add(rule::kAffinity, weight, "a preference needs a weight from 1 to 100", "add weight");
  check_range(weight, 1, 100, rule::kAffinity, report);
}

// `check_values` is false for a preferred term, in which the API server accepts values that no label can
// have.
void check_node_term(const Field& term, bool check_values, Report& report) {
  for_each_item(term.child("matchExpressions"),
                [&](const Field& expression) { check_expression(expression, check_values, report); });
  for_each_item(term.child("matchFields"), [&](const Field& match) { check_match_field(match, report); });
}

void check_node_affinity(const Field& affinity, Report& report) {
  const Field required = affinity.child("requiredDuringSchedulingIgnoredDuringExecution");
  const Field terms = required.child("nodeSelectorTerms");
  if (required && terms.size() == 0) {
    report.add(rule::kAffinity, terms, "a required node affinity needs at least one node selector term");
  }
  for_each_item(terms, [&](const Field& term) { check_node_term(term, true, report); });
  const Field preferences = affinity.child("preferredDuringSchedulingIgnoredDuringExecution");
  for_each_item(preferences, [&](const Field& preferred) {
    check_weight(preferred.child("weight"), report);
    check_node_term(preferred.child("preference"), false, report);
  });
}

void check_pod_term(const Field& term, Report& report) {
  check_label_selector(term.child("labelSelector"), report);
  check_label_selector(term.child("namespaceSelector"), report);
  const Field names = term.child("namespaces");
  const Field reported = term.child("namespace", names.node());
  for_each_item(names, [&](const Field& name) {
    const std::string wrong = complaint(Form::DnsLabel, name.text());
    if (wrong.empty()) return;
    report.add_at(name.location(), rule::kAffinity, reported,
                  fmt::format("namespace {} {}", quoted(name), wrong));
  });
  check_match_label_keys(term, rule::kAffinity, report);
  check_name(term.child("topologyKey"), Form::LabelKey, rule::kAffinity, "topologyKey", report);
}

void check_pod_affinity(const Field& affinity, Report& report) {
  const Field required = affinity.child("requiredDuringSchedulingIgnoredDuringExecution");
  for_each_item(required, [&](const Field& term) { check_pod_term(term, report); });
  const Field preferences = affinity.child("preferredDuringSchedulingIgnoredDuringExecution");
  for_each_item(preferences, [&](const Field& weighted) {
    check_weight(weighted.child("weight"), report);
    check_pod_term(weighted.child("podAffinityTerm"), report);
  });
}

}  // namespace

void check_affinity(const Field& affinity, Report& report) {
  if (!affinity) return;
  check_node_affinity(affinity.child("nodeAffinity"), report);
  check_pod_affinity(affinity.child("podAffinity"), report);
  check_pod_affinity(affinity.child("podAntiAffinity"), report);
}

// Tolerations

namespace {

void check_operator(const Field& toleration, Report& report) {
  constexpr std::string_view kOperators[] = {"Equal", "Exists"};
  const Field op = toleration.child("operator");
  const Field value = toleration.child("value");
  if (!check_defaulted_one_of(op, kOperators, rule::kToleration, report)) return;
  if (toleration.child("key").text().empty() && op.text() != "Exists") {
    report.add(rule::kToleration, op, "a toleration without a key needs operator Exists",
               "add a key, or operator: Exists to tolerate every taint");
    return;
  }
  if (op.text() == "Exists") {
    if (value.text().empty()) return;
    report.add_at(value.location(), rule::kToleration, op,
                  fmt::format("operator Exists allows no value, but value is {}", quoted(value)),
                  "leave value out, or use operator: Equal");
    return;
  }
  const std::string wrong = complaint(Form::LabelValue, value.text());
  if (wrong.empty()) return;
  report.add_at(value.location(), rule::kToleration, op,
                fmt::format("toleration value {} {}", quoted(value), wrong));
}

}  // namespace

void check_tolerations(const Field& tolerations, Report& report) {
  constexpr std::string_view kEffects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  for_each_item(tolerations, [&](const Field& toleration) {
    check_optional_name(toleration.child("key"), Form::LabelKey, rule::kToleration, "toleration key", report);
    check_operator(toleration, report);
    const Field effect = toleration.child("effect");
    if (check_defaulted_one_of(effect, kEffects, rule::kToleration, report) &&
        toleration.child("tolerationSeconds") && effect.text() != "NoExecute") {
      report.add(rule::kToleration, effect, "tolerationSeconds needs effect NoExecute",
                 "write effect: NoExecute, or leave tolerationSeconds out");
    }
  });
}

// Topology spread constraints

namespace {

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

void check_topology_spread(const Field& constraints, Report& report) {
  std::map<std::pair<std::string_view, std::string_view>, size_t>
      last;  // last index of each {topologyKey, action}
  const auto pair_of = [](const Field& constraint) {
    return std::pair(constraint.child("topologyKey").text(), constraint.child("whenUnsatisfiable").text());
  };
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Field constraint = constraints.item(i);
    last[pair_of(constraint)] = i;
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Field constraint = constraints.item(i);
    check_constraint(constraint, report);
    if (last[pair_of(constraint)] == i) continue;
    const Field pair = constraint.child("{topologyKey, whenUnsatisfiable}", nullptr);
    report.add(rule::kTopologySpread, pair,
               fmt::format("two constraints spread over {} with the same whenUnsatisfiable",
                           constraint.child("topologyKey").text()),
               "remove one of the two");
  }
}

}  // namespace trainjobc::k8s::pod
