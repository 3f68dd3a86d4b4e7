// SPDX-License-Identifier: Apache-2.0

#include "schema/cel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/text/ascii.h"
#include "k8s/name_syntax.h"
#include "k8s/value_text.h"
#include "rules/rules.h"
#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

using yaml::Node;

constexpr size_t kMaxLabel = 63;
// The part of a generateName that the API server keeps before it appends five characters.
constexpr size_t kMaxGenerateName = 58;

CelOutcome violated(std::string problem, std::string hint = "", const Node* culprit = nullptr) {
  return {false, std::move(hint), culprit, std::move(problem)};
}

// `has(self.x)`: the key exists, whatever its value.
bool has(const Node& self, std::string_view key) {
  return self.get(key) != nullptr;
}

CelOutcome holds(const Node& /*self*/) {
  return {};
}

// The name that a rule on a whole object sees, and the node it comes from; nullopt if there is none, which
// is the object metadata's to report.
struct ObjectName {
  const Node* node = nullptr;
  std::string text;
};

std::optional<ObjectName> name_of(const Node& self) {
  const auto text = [&](std::string_view key) -> const Node* {
    const Node* node = self.at({"metadata", key});
    return node && node->is_string() && !node->text().empty() ? node : nullptr;
  };
  if (const Node* name = text("name")) return ObjectName{name, std::string(name->text())};
  const Node* prefix = text("generateName");
  if (!prefix) return std::nullopt;
  return ObjectName{prefix, std::string(prefix->text().substr(0, kMaxGenerateName)) + "xxxxx"};
}

CelOutcome name_is_label(const Node& self) {
  const auto name = name_of(self);
  if (!name || (k8s::is_dns_label(name->text) && name->text.front() >= 'a')) return {};
  const std::string better = k8s::suggest_dns_name(name->node->text(), false, true);
  return violated(
      fmt::format("{} must consist of lower-case letters, digits and '-', and begin with a letter",
                  k8s::quoted(name->node->text())),
      better.empty() ? "" : fmt::format("such as {}", k8s::quoted(better)), name->node);
}

CelOutcome name_is_short(const Node& self) {
  const auto name = name_of(self);
  if (!name || name->text.size() <= kMaxLabel) return {};
  return violated(fmt::format("has {} characters, at most {} are allowed", name->text.size(), kMaxLabel), "",
                  name->node);
}

CelOutcome managed_by(const Node& self) {
  if (self.text() == "trainer.kubeflow.org/trainjob-controller" || self.text() == "kueue.x-k8s.io/multikueue")
    return {};
  return violated(fmt::format("can't be {}", k8s::shown(self)),
                  "leave it out, or write \"trainer.kubeflow.org/trainjob-controller\" or "
                  "\"kueue.x-k8s.io/multikueue\"");
}

bool is_uri(std::string_view text) {
  const auto in_scheme = [](char c) { return base::is_alnum(c) || c == '+' || c == '.' || c == '-'; };
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0 || text.size() == colon + 3) return false;
  const std::string_view scheme = text.substr(0, colon);
  return base::is_letter(scheme.front()) && std::ranges::all_of(scheme, in_scheme) &&
         text.find('\n') == text.npos;
}

CelOutcome storage_uri(const Node& self) {
  const std::string_view uri = self.text();
  if (uri.empty() || is_uri(uri)) return {};
  const bool is_hub_name =
      std::ranges::count(uri, '/') == 1 && uri.find(':') == uri.npos && is_uri(fmt::format("hf://{}", uri));
  return violated(fmt::format("{} must begin with a scheme", k8s::shown(self)),
                  is_hub_name ? fmt::format("such as {}", k8s::quoted(fmt::format("hf://{}", uri)))
                              : "such as hf://owner/name, s3://bucket/path or pvc://claim/path");
}

CelOutcome at_least_one(const Node& self) {
  if (self.as_int().value_or(1) >= 1) return {};
  return violated(fmt::format("must be at least 1, not {}", k8s::shown(self)));
}

CelOutcome at_most_one_of(const Node& self, std::initializer_list<std::string_view> policies) {
  std::vector<std::string_view> given;
  for (const std::string_view policy : policies) {
    if (has(self, policy)) given.push_back(policy);
  }
  if (given.size() <= 1) return {};
  const auto last = given.end() - 1;
  return violated(
      fmt::format("can have only one policy, not {} and {}", fmt::join(given.begin(), last, ", "), *last),
      "keep one of them", self.get(given[1]));
}

CelOutcome one_policy_of_two(const Node& self) {
  return at_most_one_of(self, {"torch", "mpi"});
}

CelOutcome one_policy(const Node& self) {
  return at_most_one_of(self, {"torch", "mpi", "jax", "xgboost", "flux"});
}

CelOutcome elastic_without_num_nodes(const Node& self) {
  const Node* elastic = self.at({"torch", "elasticPolicy"});
  if (!elastic || !has(self, "numNodes")) return {};
  return violated("can't have both numNodes and torch.elasticPolicy", "remove it: Trainer has no use for it",
                  elastic);
}

CelOutcome num_proc_per_node(const Node& self) {
  const std::string_view word = self.text();
  if (self.is_string() ? word == "auto" || word == "cpu" || word == "gpu" : self.as_int().value_or(1) > 0)
    return {};
  const bool is_number = std::ranges::all_of(word, base::is_digit);
  return violated(
      fmt::format("must be auto, cpu, gpu or a number above 0, not {}", k8s::shown(self)),
      self.is_string() && !word.empty() && is_number ? fmt::format("leave the quotes out: {}", word) : "");
}

// As in CEL, a rule fails if it reads a missing key.
CelOutcome startup_policy_or_depends_on(const Node& self) {
  const Node* policy = self.get("startupPolicy");
  const Node* order = policy ? policy->get("startupPolicyOrder") : nullptr;
  if (!policy || (order && order->text() != "InOrder")) return {};
  const Node* jobs = self.get("replicatedJobs");
  if (!order || !jobs) {
    return violated(
        fmt::format("with a startupPolicy needs {}", order ? "replicatedJobs" : "a startupPolicyOrder"), "",
        policy);
  }
  for (const Node* job : jobs->items()) {
    const yaml::Entry* depends = job->find("dependsOn");
    if (!depends) continue;
    return violated("can't have both startupPolicy InOrder and dependsOn", "remove one of the two",
                    depends->value);
  }
  return {};
}

CelOutcome claims_without_namespace(const Node& self) {
  const Node* templates = self.get("templates");
  if (!templates) return violated("needs templates", "add templates:");
  for (const Node* claim : templates->items()) {
    const Node* metadata = claim->get("metadata");
    if (!metadata) return violated("needs metadata in each template", "add metadata with a name", claim);
    const Node* ns = metadata->get("namespace");
    if (!ns || ns->text().empty()) continue;
    return violated("can't have a template with a namespace",
                    "remove it: claims live in the JobSet's namespace", ns);
  }
  return {};
}

CelOutcome no_node_container(const Node& self) {
  const auto found = std::ranges::find(self.items(), "node", &Node::text);
  if (found == self.items().end()) return {};
  return violated("can't hold \"node\"", "remove it: container node always gets the variables", *found);
}

CelOutcome has_last_updated_time(const Node& self) {
  if (has(self, "lastUpdatedTime")) return {};
  return violated("needs lastUpdatedTime");
}

struct Rule {
  std::string_view text;
  CelOutcome (*evaluate)(const Node& self);
};

constexpr std::array kRules = std::to_array<Rule>({
    {"self == oldSelf", holds},
    {"self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", name_is_label},
    {"size(self.metadata.name) <= 63", name_is_short},
    {"self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']", managed_by},
    {"self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')", storage_uri},
    {"self >= 1", at_least_one},
    {"!(has(self.torch) && has(self.mpi))", one_policy_of_two},
    {"[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)].filter(x, x).size() "
     "<= 1",
     one_policy},
    {"!(has(self.numNodes) && (has(self.torch) && has(self.torch.elasticPolicy)))",
     elastic_without_num_nodes},
    {"self > 0 || self in ['auto', 'cpu', 'gpu']", num_proc_per_node},
    {"!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && "
     "self.replicatedJobs.exists(x, has(x.dependsOn)))",
     startup_policy_or_depends_on},
    {"self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
     claims_without_namespace},
    {"!self.exists(c, c == 'node')", no_node_container},
    {"has(self.lastUpdatedTime)", has_last_updated_time},
});

const Rule* find(std::string_view rule) {
  const auto found = std::ranges::find(kRules, rule, &Rule::text);
  return found != kRules.end() ? &*found : nullptr;
}

// The API server names the field that a rule about metadata.name is about.
std::string field_of(std::string_view rule, const k8s::Path& path) {
  if (rule.find("self.metadata.name") != std::string_view::npos) return "metadata.name";
  return path.str();
}

void walk(const Node& node, const Schema& schema, const k8s::Path& path, k8s::Violations& out) {
  for (const CelRule& rule : schema.rules) {
    const CelOutcome outcome = evaluate_cel(rule.rule, node);
    if (outcome.holds) continue;
    base::Diagnostic diagnostic = rules::finding("input/cel");
    diagnostic.field = field_of(rule.rule, path);
    diagnostic.message = fmt::format("{} {}", diagnostic.field, outcome.problem);
    diagnostic.hint = outcome.hint;
    diagnostic.location = yaml::locate(outcome.culprit ? *outcome.culprit : node);
    out.push_back(std::move(diagnostic));
  }
  if (node.is_list() && schema.items) {
    size_t index = 0;
    for (const Node* item : node.items()) walk(*item, *schema.items, path.child(index++), out);
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (path.is_root() && entry.key == "status") continue;
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    if (child) walk(*entry.value, *child, path.child(entry.key), out);
  }
}

}  // namespace

bool knows_cel_rule(std::string_view rule) {
  return find(rule) != nullptr;
}

CelOutcome evaluate_cel(std::string_view rule, const Node& self) {
  const Rule* known = find(rule);
  return known ? known->evaluate(self) : CelOutcome{};
}

k8s::Violations validate_cel(const Node& node, const Schema& schema, const k8s::Path& path) {
  k8s::Violations out;
  walk(node, schema, path, out);
  return out;
}

}  // namespace trainjobc::schema
