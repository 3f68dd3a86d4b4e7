// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
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

}  // namespace trainjobc::k8s::job
