// SPDX-License-Identifier: Apache-2.0

// Source of the rules: k8s.io/apimachinery/pkg/labels, k8s.io/component-helpers/scheduling/corev1, and
// Kueue's flavorSelector.
#include "features/plan/quota/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

using yaml::items_at;
using yaml::items_of;
using yaml::Node;
using yaml::text_at;

using Keys = std::set<std::string, std::less<>>;

const Node* label_of(const Node* labels, std::string_view key) {
  return labels ? labels->get(key) : nullptr;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool compares(const Node& expression, std::string_view label, bool greater) {
  const auto values = items_at(expression, "values");
  const auto bound = values.empty() ? std::nullopt : whole_number(values.front()->text());
  const auto number = whole_number(label);
  return bound && number && (greater ? *number > *bound : *number < *bound);
}

bool matches_expression(const Node& expression, const Node* labels) {
  const std::string_view op = text_at(expression, "operator");
  const Node* label = label_of(labels, text_at(expression, "key"));
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  const auto is_listed = [&] {
    return std::ranges::any_of(items_at(expression, "values"),
                               [&](const Node* value) { return value->text() == label->text(); });
  };
  if (op == "NotIn") return !label || !is_listed();
  if (!label) return false;
  if (op == "In") return is_listed();
  return compares(expression, label->text(), op == "Gt");
}

// Terms are alternatives; a term that is about no relevant key accepts every node.
bool accepts_terms(const Node& required, const Node* labels, const Keys& keys) {
  std::vector<std::vector<const Node*>> alternatives;
  for (const Node* term : items_at(required, "nodeSelectorTerms")) {
    std::vector<const Node*> relevant;
    for (const Node* expression : items_at(*term, "matchExpressions")) {
      if (keys.contains(text_at(*expression, "key"))) relevant.push_back(expression);
    }
    if (relevant.empty()) return true;
    alternatives.push_back(std::move(relevant));
  }
  return alternatives.empty() || std::ranges::any_of(alternatives, [&](const auto& expressions) {
           return std::ranges::all_of(
               expressions, [&](const Node* expression) { return matches_expression(*expression, labels); });
         });
}

bool tolerates(const Node& toleration, const Node& taint) {
  const std::string_view effect = text_at(toleration, "effect");
  if (!effect.empty() && effect != text_at(taint, "effect")) return false;
  const std::string_view key = text_at(toleration, "key");
  if (!key.empty() && key != text_at(taint, "key")) return false;
  const std::string_view op = text_at(toleration, "operator");
  if (op == "Exists") return true;
  return (op.empty() || op == "Equal") && text_at(toleration, "value") == text_at(taint, "value");
}

}  // namespace

bool matches_selector(const Node& selector, const Node* labels) {
  if (const Node* wanted = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) {
      const Node* label = label_of(labels, entry.key);
      if (!label || label->text() != entry.value->text()) return false;
    }
  }
  return std::ranges::all_of(items_at(selector, "matchExpressions"),
                             [&](const Node* expression) { return matches_expression(*expression, labels); });
}

Keys keys_of_selector(const Node& selector) {
  Keys keys;
  if (const Node* wanted = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) keys.emplace(entry.key);
  }
  for (const Node* expression : items_at(selector, "matchExpressions"))
    keys.emplace(text_at(*expression, "key"));
  return keys;
}

bool accepts_node(const Node& pod_spec, const Node* labels, const Keys& keys) {
  if (const Node* selector = pod_spec.get("nodeSelector")) {
    for (const yaml::Entry& entry : selector->entries()) {
      if (!keys.contains(entry.key)) continue;
      const Node* label = label_of(labels, entry.key);
      if (!label || label->text() != entry.value->text()) return false;
    }
  }
  const Node* required =
      pod_spec.at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  return !required || accepts_terms(*required, labels, keys);
}

std::string untolerated_taint(const Node* taints, const Node* tolerations_of_pod,
                              const Node* tolerations_of_flavor) {
  for (const Node* taint : items_of(taints)) {
    const std::string_view effect = text_at(*taint, "effect");
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    const auto covers = [&](const Node* toleration) { return tolerates(*toleration, *taint); };
    if (std::ranges::any_of(items_of(tolerations_of_pod), covers) ||
        std::ranges::any_of(items_of(tolerations_of_flavor), covers))
      continue;
    const std::string_view value = text_at(*taint, "value");
    return fmt::format("{}{}{}:{}", text_at(*taint, "key"), value.empty() ? "" : "=", value, effect);
  }
  return "";
}

}  // namespace trainjobc::plan
