// SPDX-License-Identifier: Apache-2.0

#include "k8s/label_selectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "yaml/node.h"
#include "yaml/rewrite/replace.h"

namespace trainjobc::k8s {

namespace {

using yaml::Node;

// A key of `map`; the API server names only the map.
void check_key(std::string_view key, std::string_view checked, std::string_view what, std::string_view rule,
               const Field& map, const Field& value, Report& report) {
  const std::string wrong = complaint(Form::LabelKey, checked);
  if (wrong.empty()) return;
  const std::string better = improved(Form::LabelKey, key);
  base::Diagnostic& found = report.add_at(value.key_location(), rule, map,
                                          fmt::format("{} key {} {}", what, quoted(key), wrong));
  if (better.empty()) return;
  found.hint = fmt::format("write {}", better);
  const yaml::Entry* entry = map.node()->find(key);
  if (entry && !map.node()->get(better)) base::suggest_fix(found, yaml::rename_key(*entry, better));
}

void check_requirement(const Field& requirement, Report& report) {
  const Field op = requirement.child("operator");
  const Field values = requirement.child("values");
  const bool wants_values = op.text() == "In" || op.text() == "NotIn";
  if (wants_values) {
    if (values.size() == 0) {
      report.add(rule::kSelector, values, fmt::format("operator {} needs values", op.text()),
                 "list at least one value, or use Exists");
    }
  } else if (op.text() == "Exists" || op.text() == "DoesNotExist") {
    if (values.size() > 0) {
      report.add(rule::kSelector, values, fmt::format("operator {} allows no values", op.text()),
                 "leave values out, or use In or NotIn");
    }
  } else {
    constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    check_one_of(op, kOperators, rule::kSelector, report);
  }
  check_form(requirement.child("key"), Form::LabelKey, rule::kSelector, "selector key", report);
  for_each_item(values, [&](const Field& value) {
    check_form(value, Form::LabelValue, rule::kSelector, "selector value", report);
  });
}

bool holds(const Node& requirement, const LabelSet& labels) {
  const auto label = labels.find(text_at(requirement, "key"));
  const bool listed =
      label != labels.end() && std::ranges::any_of(items_at(requirement, "values"),
                                                   [&](const Node* v) { return v->text() == label->second; });
  const std::string_view op = text_at(requirement, "operator");
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  return (label != labels.end()) == (op == "Exists");
}

}  // namespace

void check_labels(const Field& labels, std::string_view what, Report& report) {
  for_each_entry(labels, [&](std::string_view key, const Field& value) {
    check_key(key, key, what, rule::kLabel, labels, value, report);
    const std::string wrong = complaint(Form::LabelValue, value.text());
    if (wrong.empty()) return;
    const std::string better = improved(Form::LabelValue, value.text());
    base::Diagnostic& found =
        report.add_at(value.location(), rule::kLabel, labels,
                      fmt::format("the value {} of {} {} {}", quoted(value), what, key, wrong));
    if (!better.empty()) suggest_writing(found, value.node(), better);
  });
}

void check_annotations(const Field& annotations, Report& report) {
  size_t bytes = 0;
  for_each_entry(annotations, [&](std::string_view key, const Field& value) {
    const bool has_upper = std::ranges::any_of(key, base::is_upper);
    const std::string lower = has_upper ? base::lower_case(key) : "";
    check_key(key, has_upper ? std::string_view(lower) : key, "annotation", rule::kAnnotation, annotations,
              value, report);
    bytes += key.size() + value.text().size();
  });
  if (bytes > kMaxAnnotationBytes) {
    report.add(rule::kAnnotation, annotations,
               fmt::format("annotations have {} bytes in total, at most {} are allowed", bytes,
                           kMaxAnnotationBytes));
  }
}

void check_label_selector(const Field& selector, Report& report) {
  check_labels(selector.child("matchLabels"), "label", report);
  for_each_item(selector.child("matchExpressions"),
                [&](const Field& requirement) { check_requirement(requirement, report); });
}

bool selects(const Node* selector, const LabelSet& labels) {
  if (!selector || selector->is_null()) return false;
  if (const Node* wanted = selector->get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) {
      const auto label = labels.find(entry.key);
      if (label == labels.end() || label->second != entry.value->text()) return false;
    }
  }
  const Node* requirements = selector->get("matchExpressions");
  return !requirements ||
         std::ranges::all_of(requirements->items(), [&](const Node* r) { return holds(*r, labels); });
}

}  // namespace trainjobc::k8s
