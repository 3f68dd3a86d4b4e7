// SPDX-License-Identifier: Apache-2.0

// Which requests the rules and selectors of an admission policy or its binding match.
// Source of the rules: k8s.io/apiserver 1.36, pkg/admission/plugin/webhook/predicates.
#include <algorithm>
#include <string_view>

#include "k8s/object_meta.h"
#include "platform/admission_policy.h"

namespace trainjobc::platform {
namespace {

using yaml::Node;

// Whether the list has the word, or a star.
bool names(const Node& rule, std::string_view key, std::string_view word) {
  return std::ranges::any_of(yaml::items_at(rule, key),
                             [&](const Node* item) { return item->text() == "*" || item->text() == word; });
}

// "pods", "pods/*", "*", "*/*"; the object itself is not a subresource.
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
           names(*rule, "operations", operation_of(subject)) && names_resource(*rule, kind.resource) &&
           has_scope(*rule, kind.is_namespaced) && names_object(*rule, subject);
  });
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

Match match_namespace(const Node* selector, const Subject& subject, const Node* ns) {
  if (!selector || !subject.kind->is_namespaced) return Match::Yes;
  if (!ns && !asks_for_name_only(*selector)) return Match::Unknown;
  base::Arena arena;
  const yaml::Maker make(arena);
  const Node* labels =
      make.with(ns ? ns->at({"metadata", "labels"}) : nullptr, kNameLabel, make.string(subject.ns));
  return match_labels(selector, labels) ? Match::Yes : Match::No;
}

}  // namespace

bool match_labels(const Node* selector, const Node* labels) {
  return !selector || selector->is_null() || k8s::selects(selector, labels);
}

Match match_request(const Node& resources, const Subject& subject, const Node* ns) {
  const bool has_rules = !yaml::items_at(resources, "resourceRules").empty();
  if (has_rules && !any_rule(resources, "resourceRules", subject)) return Match::No;
  if (any_rule(resources, "excludeResourceRules", subject)) return Match::No;
  // One of the two objects suffices.
  const Node* selector = resources.get("objectSelector");
  const bool was_meant =
      subject.old_root && match_labels(selector, subject.old_root->at({"metadata", "labels"}));
  if (!was_meant && !match_labels(selector, subject.root->at({"metadata", "labels"}))) return Match::No;
  return match_namespace(resources.get("namespaceSelector"), subject, ns);
}

}  // namespace trainjobc::platform
