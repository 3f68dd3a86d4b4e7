// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {

void check_gates(const Field& spec, Report& report) {
  for_each_item(spec.child("readinessGates"), [&](const Field& gate) {
    check_form(gate.child("conditionType"), Form::LabelKey, rule::kGate, "conditionType", report);
  });
  std::set<std::string_view> seen;
  for_each_item(spec.child("schedulingGates"), [&](const Field& gate) {
    const std::string_view name = gate.child("name").text();
    if (!check_text(gate, name, Form::LabelKey, rule::kGate, "scheduling gate", report)) return;
    if (seen.insert(name).second) return;
    report.add(rule::kGate, gate, fmt::format("scheduling gate {} is listed twice", quoted(name)),
               "remove one of the two");
  });
}

}  // namespace trainjobc::k8s::job
