#include "schema/cel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

using yaml::Node;

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_alpha(c) || (c >= '0' && c <= '9'); }

// `has(self.x)`: the key is there, whatever it holds.
bool has(const Node& self, std::string_view key) { return self.get(key) != nullptr; }

CelOutcome holds(const Node& /*self*/) { return {}; }

// A rule about metadata.name evaluates on the whole object.
std::string_view name_of(const Node& self) {
  const Node* name = self.at({"metadata", "name"});
  return name ? name->text() : std::string_view();
}

// An RFC 1035 label as far as the name's letters allow one.
std::string suggest_label(std::string_view name) {
  std::string label;
  for (const char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    label += is_lower_alnum(low) ? low : '-';
  }
  const auto begin = std::ranges::find_if(label, [](char c) { return c >= 'a' && c <= 'z'; });
  label.erase(label.begin(), begin);
  while (!label.empty() && label.back() == '-') label.pop_back();
  return label;
}

CelOutcome name_is_label(const Node& self) {
  const std::string_view name = name_of(self);
  const bool inner = std::ranges::all_of(name, [](char c) { return is_lower_alnum(c) || c == '-'; });
  if (!name.empty() && inner && name.front() >= 'a' && name.front() <= 'z' && name.back() != '-') return {};
  const std::string label = suggest_label(name);
  return {false,
          label.empty() ? "lower case letters, digits and dashes, a letter first"
                        : fmt::format("lower case letters, digits and dashes, a letter first: \"{}\"", label),
          self.at({"metadata", "name"})};
}

CelOutcome name_is_short(const Node& self) {
  const size_t size = name_of(self).size();
  if (size <= 63) return {};
  return {false, fmt::format("it has {} characters", size), self.at({"metadata", "name"})};
}

CelOutcome managed_by(const Node& self) {
  if (self.text() == "trainer.kubeflow.org/trainjob-controller" || self.text() == "kueue.x-k8s.io/multikueue") return {};
  return {false, "leave it out, or write \"trainer.kubeflow.org/trainjob-controller\" or \"kueue.x-k8s.io/multikueue\"",
          nullptr};
}

CelOutcome storage_uri(const Node& self) {
  const std::string_view uri = self.text();
  if (uri.empty()) return {};
  const size_t colon = uri.find("://");
  const auto scheme = uri.substr(0, std::min(colon, uri.size()));
  const bool fits = colon != std::string_view::npos && colon > 0 && uri.size() > colon + 3 && is_alpha(scheme.front()) &&
                    std::ranges::all_of(scheme, [](char c) { return is_alnum(c) || c == '+' || c == '.' || c == '-'; }) &&
                    uri.find('\n') == std::string_view::npos;
  if (fits) return {};
  return {false, "such as hf://owner/name, s3://bucket/path or pvc://claim/path", nullptr};
}

CelOutcome at_least_one(const Node& self) { return {self.as_int().value_or(0) >= 1, "", nullptr}; }

CelOutcome one_policy_of_two(const Node& self) {
  if (!has(self, "torch") || !has(self, "mpi")) return {};
  return {false, "keep torch or mpi", self.get("mpi")};
}

CelOutcome one_policy(const Node& self) {
  std::vector<std::string_view> given;
  for (const std::string_view policy : {"torch", "mpi", "jax", "xgboost", "flux"}) {
    if (has(self, policy)) given.push_back(policy);
  }
  if (given.size() <= 1) return {};
  return {false, fmt::format("keep {} or {}", given[0], given[1]), nullptr};
}

CelOutcome elastic_without_num_nodes(const Node& self) {
  const bool elastic = self.at({"torch", "elasticPolicy"}) != nullptr;
  if (!elastic || !has(self, "numNodes")) return {};
  return {false, "remove numNodes, or elasticPolicy, which Trainer ignores", self.get("numNodes")};
}

CelOutcome num_proc_per_node(const Node& self) {
  if (const auto number = self.as_int()) return {*number > 0, "a number above 0, or auto, cpu, gpu", nullptr};
  const std::string_view word = self.text();
  return {word == "auto" || word == "cpu" || word == "gpu", "auto, cpu, gpu or a number above 0", nullptr};
}

// A missing key that the rule reads makes the rule fail, as it does in CEL.
CelOutcome startup_policy_or_depends_on(const Node& self) {
  const Node* policy = self.get("startupPolicy");
  if (!policy) return {};
  const Node* order = policy->get("startupPolicyOrder");
  if (order && order->text() != "InOrder") return {};
  const Node* jobs = self.get("replicatedJobs");
  if (!order || !jobs) return {false, "add what the policy refers to, or remove startupPolicy", policy};
  for (const Node* job : jobs->items()) {
    const yaml::Entry* depends = job->find("dependsOn");
    if (depends) return {false, "remove dependsOn, or startupPolicy", depends->value};
  }
  return {};
}

CelOutcome claims_without_namespace(const Node& self) {
  const Node* templates = self.get("templates");
  if (!templates) return {false, "add templates:", nullptr};
  for (const Node* claim : templates->items()) {
    const Node* metadata = claim->get("metadata");
    if (!metadata) return {false, "give the claim a metadata.name", claim};
    const Node* ns = metadata->get("namespace");
    if (ns && !ns->text().empty()) return {false, "remove it: claims live in the JobSet's namespace", ns};
  }
  return {};
}

CelOutcome no_node_container(const Node& self) {
  for (const Node* name : self.items()) {
    if (name->text() == "node") return {false, "remove \"node\": it gets them anyway", name};
  }
  return {};
}

CelOutcome has_last_updated_time(const Node& self) { return {has(self, "lastUpdatedTime"), "", nullptr}; }

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
    {"[has(self.torch), has(self.mpi), has(self.jax), has(self.xgboost),has(self.flux)].filter(x, x).size() <= 1",
     one_policy},
    {"!(has(self.numNodes) && (has(self.torch) && has(self.torch.elasticPolicy)))", elastic_without_num_nodes},
    {"self > 0 || self in ['auto', 'cpu', 'gpu']", num_proc_per_node},
    {"!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && "
     "self.replicatedJobs.exists(x, has(x.dependsOn)))",
     startup_policy_or_depends_on},
    {"self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)", claims_without_namespace},
    {"!self.exists(c, c == 'node')", no_node_container},
    {"has(self.lastUpdatedTime)", has_last_updated_time},
});

const Rule* find(std::string_view rule) {
  const auto found = std::ranges::find(kRules, rule, &Rule::text);
  return found != kRules.end() ? &*found : nullptr;
}

// The API server names the field that a rule about metadata.name is about.
std::string field_of(std::string_view rule, const Path& path) {
  if (rule.find("self.metadata.name") != std::string_view::npos) return "metadata.name";
  return path.str();
}

void walk(const Node& node, const Schema& schema, const Path& path, Violations& out) {
  for (const CelRule& rule : schema.rules) {
    const CelOutcome outcome = evaluate_cel(rule.rule, node);
    if (outcome.holds) continue;
    base::Diagnostic diagnostic;
    diagnostic.rule = "input/cel";
    diagnostic.field = field_of(rule.rule, path);
    diagnostic.message = fmt::format("{}: {}", diagnostic.field, rule.message);
    diagnostic.hint = outcome.hint;
    diagnostic.location = yaml::locate(outcome.culprit ? *outcome.culprit : node);
    out.push_back(std::move(diagnostic));
  }
  if (node.is_list() && schema.items) {
    size_t index = 0;
    for (const Node* item : node.items()) walk(*item, *schema.items, path.child(index++), out);
  }
  for (const yaml::Entry& entry : node.entries()) {
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    if (child) walk(*entry.value, *child, path.child(entry.key), out);
  }
}

}  // namespace

bool knows_cel_rule(std::string_view rule) { return find(rule) != nullptr; }

CelOutcome evaluate_cel(std::string_view rule, const Node& self) {
  const Rule* known = find(rule);
  return known ? known->evaluate(self) : CelOutcome{};
}

Violations validate_cel(const Node& node, const Schema& schema, const Path& path) {
  Violations out;
  walk(node, schema, path, out);
  return out;
}

}  // namespace trainjobc::schema
