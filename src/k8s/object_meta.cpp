// SPDX-License-Identifier: Apache-2.0

#include "k8s/object_meta.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::k8s {

namespace {

using yaml::Entry;
using yaml::Node;

base::Diagnostic& add(Violations& violations, std::string_view rule, std::string_view field,
                      base::Location location, std::string message, std::string hint = "") {
  base::Diagnostic& diagnostic =
      violations.emplace_back(rules::finding(rule, std::move(message), std::move(hint), location));
  diagnostic.field = field;
  return diagnostic;
}

void check_labels(const Node& labels, Violations& out) {
  for (const Entry& label : labels.entries()) {
    if (const std::string problem = label_key_problem(label.key); !problem.empty()) {
      add(out, "input/label", "metadata.labels", yaml::locate_key(label),
          fmt::format("the label key {} {}", quoted(label.key), problem));
    }
    if (!label.value->is_string()) continue;
    const std::string problem = label_value_problem(label.value->text());
    if (problem.empty()) continue;
    add(out, "input/label", "metadata.labels", yaml::locate(*label.value),
        fmt::format("the value {} of label {} {}", quoted(*label.value), quoted(label.key), problem),
        "free text belongs in metadata.annotations");
  }
}

void check_annotations(const Node& annotations, Violations& out) {
  size_t bytes = 0;
  for (const Entry& annotation : annotations.entries()) {
    bytes += annotation.key.size() + annotation.value->text().size();
    const std::string problem = annotation_key_problem(annotation.key);
    if (problem.empty()) continue;
    add(out, "input/annotation", "metadata.annotations", yaml::locate_key(annotation),
        fmt::format("the annotation key {} {}", quoted(annotation.key), problem));
  }
  if (bytes <= kMaxAnnotationBytes) return;
  add(out, "input/annotation", "metadata.annotations", yaml::locate(annotations),
      fmt::format("metadata.annotations have {} bytes in total, at most {} are allowed", bytes,
                  kMaxAnnotationBytes),
      "put large data into a ConfigMap");
}

void add_label_violations(const Node& metadata, Violations& out) {
  if (const Node* labels = metadata.get("labels")) check_labels(*labels, out);
  if (const Node* annotations = metadata.get("annotations")) check_annotations(*annotations, out);
}

std::string name_problem(std::string_view name, NameRule rule) {
  switch (rule) {
    case NameRule::DnsSubdomain: return dns_subdomain_problem(name);
    case NameRule::DnsLabel: return dns_label_problem(name);
    case NameRule::Dns1035Label: return dns_1035_label_problem(name);
  }
  return "";
}

// Offers a similar name that fits, as a hint and as a fix.
void suggest_name(base::Diagnostic& diagnostic, const Node& name, NameRule rule) {
  const std::string better =
      suggest_dns_name(name.text(), rule == NameRule::DnsSubdomain, rule == NameRule::Dns1035Label);
  if (better.empty() || better == name.text()) return;
  diagnostic.hint = fmt::format("such as {}", quoted(better));
  base::suggest_fix(diagnostic, yaml::replace_text(name, better));
}

// The API server appends five characters, so a dash at the end is fine.
void check_generate_name(const Node& prefix, NameRule rule, Violations& out) {
  const std::string problem = name_problem(as_prefix(prefix.text()), rule);
  if (problem.empty()) return;
  suggest_name(add(out, "input/name", "metadata.generateName", yaml::locate(prefix),
                   fmt::format("metadata.generateName {} {}", quoted(prefix.text()), problem), ""),
               prefix, rule);
}

void check_name(const Node& object, const Node* meta, NameRule rule, Violations& out) {
  const Node* name = meta ? meta->get("name") : nullptr;
  if (name && !name->is_string() && !name->is_null()) return;
  const std::string_view prefix = string_of(meta ? meta->get("generateName") : nullptr);
  if (!prefix.empty()) check_generate_name(*meta->get("generateName"), rule, out);
  if (name && !name->text().empty() && !name->is_null()) {
    const std::string problem = name_problem(name->text(), rule);
    if (problem.empty()) return;
    suggest_name(add(out, "input/name", "metadata.name", yaml::locate(*name),
                     fmt::format("metadata.name {} {}", quoted(name->text()), problem), ""),
                 *name, rule);
  } else if (prefix.empty()) {
    const Node& place = name ? *name : meta ? *meta : object;
    add(out, "input/required", "metadata.name", yaml::locate(place), "metadata.name is required",
        name ? "give the object a name" : "add name:");
  }
}

void check_namespace(const Node* meta, Violations& out) {
  const Node* ns = meta ? meta->get("namespace") : nullptr;
  if (!ns || !ns->is_string() || ns->text().empty()) return;
  const std::string problem = dns_label_problem(ns->text());
  if (problem.empty()) return;
  suggest_name(add(out, "input/name", "metadata.namespace", yaml::locate(*ns),
                   fmt::format("metadata.namespace {} {}", quoted(ns->text()), problem), ""),
               *ns, NameRule::DnsLabel);
}

// Whether the apiVersion has a version: "v1" and "group/v1" do, "", "group/" and "a/b/c" don't.
bool has_version(std::string_view api_version) {
  const auto slashes = std::ranges::count(api_version, '/');
  return slashes <= 1 && !api_version.empty() && (slashes == 0 || !api_version.ends_with('/'));
}

void check_owner(const Node& owner, Violations& out) {
  for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
    const Node* value = owner.get(key);
    if (value && !value->is_null() && !value->is_string()) continue;
    const std::string_view text = string_at(owner, key);
    const bool is_version = key == "apiVersion";
    if (is_version ? has_version(text) : !text.empty()) continue;
    add(out, "input/owner-reference", fmt::format("metadata.ownerReferences.{}", key),
        yaml::locate(value ? *value : owner),
        is_version && !text.empty()
            ? fmt::format("an owner can't have the apiVersion {}", quoted(text))
            : fmt::format("an owner needs {} {}", key == "apiVersion" ? "an" : "a", key),
        is_version ? "such as batch/v1" : "");
  }
  if (string_at(owner, "apiVersion") != "v1" || string_at(owner, "kind") != "Event") return;
  add(out, "input/owner-reference", "metadata.ownerReferences", yaml::locate(owner),
      "an Event can't own anything");
}

void check_owners(const Node& owners, Violations& out) {
  const Node* controller = nullptr;
  for (const Node* owner : owners.items()) {
    check_owner(*owner, out);
    const Node* flag = owner->get("controller");
    if (!flag || !flag->as_bool().value_or(false)) continue;
    if (controller) {
      base::Diagnostic& second =
          add(out, "input/owner-reference", "metadata.ownerReferences", yaml::locate(*flag),
              "only one owner can be the controller", "remove controller: true from one");
      second.notes.push_back({"the first one", yaml::locate(*controller)});
    } else {
      controller = flag;
    }
  }
}

void check_finalizers(const Node& finalizers, Violations& out) {
  bool orphans = false;
  bool deletes = false;
  for (const Node* finalizer : finalizers.items()) {
    const std::string_view name = finalizer->is_string() ? finalizer->text() : std::string_view();
    orphans = orphans || name == "orphan";
    deletes = deletes || name == "foregroundDeletion";
    if (!finalizer->is_string() && !finalizer->is_null()) continue;
    const std::string problem = label_key_problem(name);
    if (problem.empty()) continue;
    add(out, "input/finalizer", "metadata.finalizers", yaml::locate(*finalizer),
        fmt::format("the finalizer {} {}", quoted(name), problem));
  }
  if (!orphans || !deletes) return;
  add(out, "input/finalizer", "metadata.finalizers", yaml::locate(finalizers),
      "the finalizers orphan and foregroundDeletion can't be used together", "keep one of the two");
}

}  // namespace

Violations validate_labels(const Node& metadata) {
  Violations out;
  add_label_violations(metadata, out);
  return out;
}

Violations validate_object_meta(const Node& object, NameRule rule, bool namespaced) {
  Violations out;
  const Node* meta = object.get("metadata");
  if (meta && !meta->is_map()) meta = nullptr;
  check_name(object, meta, rule, out);
  if (!meta) return out;
  if (namespaced) check_namespace(meta, out);
  add_label_violations(*meta, out);
  if (const Node* owners = meta->get("ownerReferences")) check_owners(*owners, out);
  if (const Node* finalizers = meta->get("finalizers")) check_finalizers(*finalizers, out);
  return out;
}

namespace {

// Checks a key of `map`; the API server names only the map.
void check_key(std::string_view key, std::string_view checked, std::string_view what, std::string_view rule,
               const Field& map, const Field& value, Report& report) {
  const std::string wrong = complaint(Form::LabelKey, checked);
  if (wrong.empty()) return;
  const std::string better = improved(Form::LabelKey, key);
  base::Diagnostic& found =
      report.add_at(value.key_location(), rule, map, fmt::format("{} key {} {}", what, quoted(key), wrong));
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

bool selects(const Node* selector, const Node* labels) {
  LabelSet set;
  if (labels) {
    for (const yaml::Entry& entry : labels->entries()) set.emplace(entry.key, entry.value->text());
  }
  return selects(selector, set);
}

}  // namespace trainjobc::k8s
