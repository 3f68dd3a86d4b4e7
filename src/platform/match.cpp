// SPDX-License-Identifier: Apache-2.0

#include "platform/match.h"

#include <algorithm>
#include <string_view>

namespace trainjobc::platform {
namespace {

using yaml::Node;

// Whether the list has the word, or a star.
bool names(const Node& rule, std::string_view key, std::string_view word) {
  return std::ranges::any_of(yaml::items_at(rule, key),
                             [&](const Node* item) { return item->text() == "*" || item->text() == word; });
}

// "pods", "pods/*", "*", "*/*"; the object itself is no subresource.
bool names_resource(const Node& rule, std::string_view resource) {
  return std::ranges::any_of(yaml::items_at(rule, "resources"), [&](const Node* item) {
    const std::string_view text = item->text();
    const size_t slash = std::min(text.find('/'), text.size());
    const std::string_view name = text.substr(0, slash);
    const std::string_view sub = text.substr(std::min(slash + 1, text.size()));
    return (name == "*" || name == resource) && (sub.empty() || sub == "*");
  });
}

bool has_scope(const Node& rule, bool is_namespaced) {
  const std::string_view scope = yaml::text_at(rule, "scope");
  return scope.empty() || scope == "*" || (scope == "Namespaced") == is_namespaced;
}

bool names_object(const Node& rule, const Subject& subject) {
  const auto names_of = yaml::items_at(rule, "resourceNames");
  const Node* name = subject.root->at({"metadata", "name"});
  return names_of.empty() ||
         std::ranges::any_of(names_of, [&](const Node* one) { return name && one->text() == name->text(); });
}

bool any_rule(const Node& resources, std::string_view key, const Subject& subject) {
  const KindFacts& kind = *subject.kind;
  return std::ranges::any_of(yaml::items_at(resources, key), [&](const Node* rule) {
    return names(*rule, "apiGroups", kind.group) && names(*rule, "apiVersions", kind.version) &&
           names(*rule, "operations", "CREATE") && names_resource(*rule, kind.resource) &&
           has_scope(*rule, kind.is_namespaced) && names_object(*rule, subject);
  });
}

bool is_empty_selector(const Node* selector) {
  return !selector || (yaml::items_at(*selector, "matchExpressions").empty() &&
                       (!selector->get("matchLabels") || selector->get("matchLabels")->size() == 0));
}

// The one label that each Namespace has.
constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

bool asks_for_name_only(const Node& selector) {
  if (const Node* labels = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : labels->entries()) {
      if (entry.key != kNameLabel) return false;
    }
  }
  return std::ranges::all_of(yaml::items_at(selector, "matchExpressions"),
                             [](const Node* one) { return yaml::text_at(*one, "key") == kNameLabel; });
}

bool match_expression(const Node& one, const Node* labels) {
  const Node* label = labels ? labels->get(yaml::text_at(one, "key")) : nullptr;
  const std::string_view op = yaml::text_at(one, "operator");
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  const bool is_listed = label && std::ranges::any_of(yaml::items_at(one, "values"), [&](const Node* value) {
                           return value->text() == label->text();
                         });
  return op == "In" ? is_listed : !is_listed;
}

Match match_namespace(const Node* selector, const Subject& subject, const Node* ns) {
  if (is_empty_selector(selector) || !subject.kind->is_namespaced) return Match::Yes;
  if (!ns && !asks_for_name_only(*selector)) return Match::Unknown;
  base::Arena arena;
  const yaml::Maker make(arena);
  const Node* labels =
      make.with(ns ? ns->at({"metadata", "labels"}) : nullptr, kNameLabel, make.string(subject.ns));
  return match_labels(*selector, labels) ? Match::Yes : Match::No;
}

}  // namespace

bool match_labels(const Node& selector, const Node* labels) {
  if (const Node* wanted = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) {
      const Node* label = labels ? labels->get(entry.key) : nullptr;
      if (!label || label->text() != entry.value->text()) return false;
    }
  }
  return std::ranges::all_of(yaml::items_at(selector, "matchExpressions"),
                             [&](const Node* one) { return match_expression(*one, labels); });
}

Match match_creation(const Node& resources, const Subject& subject, const Node* ns) {
  const bool has_rules = !yaml::items_at(resources, "resourceRules").empty();
  if (has_rules && !any_rule(resources, "resourceRules", subject)) return Match::No;
  if (any_rule(resources, "excludeResourceRules", subject)) return Match::No;
  const Node* objects = resources.get("objectSelector");
  if (!is_empty_selector(objects) && !match_labels(*objects, subject.root->at({"metadata", "labels"})))
    return Match::No;
  return match_namespace(resources.get("namespaceSelector"), subject, ns);
}

}  // namespace trainjobc::platform
