// SPDX-License-Identifier: Apache-2.0

#include "k8s/labels.h"

#include <fmt/format.h>

#include "k8s/name_syntax.h"
#include "k8s/value_text.h"
#include "rules/rules.h"

namespace trainjobc::k8s {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr size_t kMaxAnnotationBytes = 262144;

void add(Violations& violations, std::string_view rule, std::string_view field, base::Location location,
         std::string message, std::string hint = "") {
  base::Diagnostic& diagnostic =
      violations.emplace_back(rules::finding(rule, std::move(message), std::move(hint), location));
  diagnostic.field = field;
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

}  // namespace

Violations validate_labels(const Node& metadata) {
  Violations violations;
  if (const Node* labels = metadata.get("labels")) check_labels(*labels, violations);
  if (const Node* annotations = metadata.get("annotations")) check_annotations(*annotations, violations);
  return violations;
}

}  // namespace trainjobc::k8s
