// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/label_selectors.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

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

// `check_values`: the API server accepts values in a preferred term that no label can have.
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

}  // namespace trainjobc::k8s::job
