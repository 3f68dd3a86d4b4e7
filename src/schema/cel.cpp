// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/name_syntax.h"
#include "rules/rules.h"
#include "schema/validate.h"
#include "yaml/rewrite/edits.h"
#include "yaml/scalar.h"

namespace trainjobc::schema {
namespace {

using yaml::Node;

// The API server keeps this much of a generateName, to which it appends five characters.
constexpr size_t kMaxGenerateName = 58;

// The result of one rule for one value.
struct CelOutcome {
  bool holds = true;
  std::string hint;               // what to write instead
  const Node* culprit = nullptr;  // the place to report, if not the value itself
  std::string problem;            // how the message goes on after the field's name: "must be at least 1"
  std::string better;             // the text that the hint suggests for the place; "" if none
};

CelOutcome violated(std::string problem, std::string hint = "", const Node* culprit = nullptr,
                    std::string better = "") {
  return {false, std::move(hint), culprit, std::move(problem), std::move(better)};
}

// `has(self.x)`: the key exists, whatever its value.
bool has(const Node& self, std::string_view key) {
  return self.get(key) != nullptr;
}

CelOutcome holds(const Node& /*self*/) {
  return {};
}

// The name that a rule on a whole object sees, and the node it comes from; nullopt if there is none, which
// the checks of metadata report.
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
      better.empty() ? "" : fmt::format("such as {}", k8s::quoted(better)), name->node, better);
}

CelOutcome name_is_short(const Node& self) {
  const auto name = name_of(self);
  if (!name || name->text.size() <= k8s::kMaxLabel) return {};
  constexpr std::string_view kOfPods = "-node-0-0-xxxxx";
  return violated(fmt::format("has {} characters, at most {} are allowed", name->text.size(), k8s::kMaxLabel),
                  fmt::format("with {} of them, the names of pods fit, too, which add {}",
                              k8s::kMaxLabel - kOfPods.size(), kOfPods),
                  name->node);
}

CelOutcome managed_by(const Node& self) {
  if (self.text() == "trainer.kubeflow.org/trainjob-controller" || self.text() == "kueue.x-k8s.io/multikueue")
    return {};
  constexpr std::array<std::string_view, 2> kManagers{"trainer.kubeflow.org/trainjob-controller",
                                                      "kueue.x-k8s.io/multikueue"};
  const auto meant = base::closest(self.text(), kManagers);
  return violated(fmt::format("can't be {}", k8s::shown(self)),
                  meant ? fmt::format("did you mean \"{}\"?", *meant)
                        : fmt::format("leave it out, or write \"{}\" or \"{}\"", kManagers[0], kManagers[1]),
                  nullptr, std::string(meant.value_or("")));
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
  const std::string better = is_hub_name ? fmt::format("hf://{}", uri) : "";
  return violated(fmt::format("{} must begin with a scheme", k8s::shown(self)),
                  is_hub_name ? fmt::format("such as {}", k8s::quoted(better))
                              : "such as hf://owner/name, s3://bucket/path or pvc://claim/path",
                  nullptr, better);
}

CelOutcome at_least_one(const Node& self) {
  if (self.as_int().value_or(1) >= 1) return {};
  return violated(fmt::format("must be at least 1, not {}", k8s::shown(self)));
}

// The fields that a rule tests with has(self.FIELD), without those of which it also tests a field.
std::vector<std::string_view> fields_of(std::string_view rule) {
  constexpr std::string_view kHas = "has(self.";
  std::vector<std::string_view> fields;
  for (size_t at = rule.find(kHas); at != rule.npos; at = rule.find(kHas, at + 1)) {
    const std::string_view rest = rule.substr(at + kHas.size());
    const std::string_view field = rest.substr(0, rest.find(')'));
    std::erase_if(fields, [&](std::string_view outer) {
      return field.starts_with(outer) && field.substr(outer.size()).starts_with('.');
    });
    fields.push_back(field);
  }
  return fields;
}

const Node* find_field(const Node& self, std::string_view path) {
  const Node* node = &self;
  while (node && !path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    node = node->get(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node;
}

CelOutcome at_most_one(const Node& self, std::string_view rule) {
  std::vector<std::string_view> given;
  for (const std::string_view field : fields_of(rule)) {
    if (find_field(self, field)) given.push_back(field);
  }
  if (given.size() <= 1) return {};
  const auto last = given.end() - 1;
  return violated(
      fmt::format("can have only one policy, not {} and {}", fmt::join(given.begin(), last, ", "), *last),
      "keep one of them", find_field(self, given[1]));
}

CelOutcome not_both(const Node& self, std::string_view rule) {
  const std::vector<std::string_view> fields = fields_of(rule);
  for (const std::string_view field : fields) {
    if (!find_field(self, field)) return {};
  }
  return violated(fmt::format("can't have both {}", fmt::join(fields, " and ")), "remove it",
                  find_field(self, fields.back()));
}

// The words in a rule's list: "'auto', 'cpu', 'gpu'".
std::vector<std::string_view> words_of(std::string_view rule) {
  std::vector<std::string_view> words;
  for (size_t open = rule.find('\''); open != rule.npos; open = rule.find('\'', open)) {
    const size_t close = rule.find('\'', open + 1);
    words.push_back(rule.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return words;
}

CelOutcome count_or_word(const Node& self, std::string_view rule) {
  const std::vector<std::string_view> words = words_of(rule);
  const std::string_view text = self.text();
  const bool fits = self.is_string() ? base::contains(words, text) : self.as_int().value_or(1) > 0;
  if (fits) return {};
  const bool is_number = self.is_string() && !text.empty() && std::ranges::all_of(text, base::is_digit);
  const auto meant = is_number ? std::optional(text) : base::closest(text, words);
  return violated(
      fmt::format("must be {} or a number above 0, not {}", fmt::join(words, ", "), k8s::shown(self)),
      is_number ? fmt::format("leave the quotes out: {}", text)
      : meant   ? fmt::format("did you mean \"{}\"?", *meant)
                : "",
      nullptr, std::string(meant.value_or("")));
}

// In CEL, a rule that reads a missing key fails.
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

// CEL rules of OptimizationJobs.

CelOutcome exactly_one(const Node& self, std::string_view rule) {
  const std::vector<std::string_view> fields = fields_of(rule);
  std::vector<std::string_view> given;
  for (const std::string_view field : fields) {
    if (find_field(self, field)) given.push_back(field);
  }
  if (given.size() == 1) return {};
  if (given.empty()) {
    return violated(fmt::format("must have one of {}", fmt::join(fields, ", ")),
                    fmt::format("such as {}: {{…}}", fields.front()));
  }
  return violated(fmt::format("can have only one of {}", fmt::join(given, ", ")), "keep one of them",
                  find_field(self, given[1]));
}

CelOutcome parallel_trials(const Node& self) {
  const auto parallel = self.get("parallelTrials") ? self.get("parallelTrials")->as_int() : std::nullopt;
  const auto all = self.get("numTrials") ? self.get("numTrials")->as_int() : std::nullopt;
  if (!parallel || !all || *parallel <= *all) return {};
  return violated(
      fmt::format("can't have parallelTrials {} above numTrials {}", *parallel, *all),
      *all == 1 ? fmt::format("numTrials is 1 unless it is set: add numTrials: {} or more", *parallel) : "",
      self.get("parallelTrials"));
}

CelOutcome grid_is_categorical(const Node& self) {
  const Node* parameters = self.get("parameters");
  if (!find_field(self, "searchAlgorithm.grid") || !parameters) return {};
  for (const Node* parameter : parameters->items()) {
    if (find_field(*parameter, "searchSpace.categorical")) continue;
    const Node* space = parameter->get("searchSpace");
    return violated("can have only categorical parameters with grid",
                    "list the values: categorical: {choices: [\"…\"]}", space ? space : parameter);
  }
  return {};
}

// Whether Go's ParseFloat reads the whole text as a number.
bool is_number(std::string_view text) {
  if (yaml::is_decimal(text)) return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string word = base::lower_case(text);
  return word == "inf" || word == "infinity" || word == "nan";
}

// Evaluates double(text) of CEL; nullopt is an error. A number that is too large is an error, one that is too
// small is 0.
std::optional<double> double_of(const Node* node) {
  if (!node || !node->is_string()) return std::nullopt;
  std::string_view text = node->text();
  if (!is_number(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const std::errc error = base::read_double(text, value);
  if (error == std::errc::result_out_of_range) {
    const size_t exponent = text.find_first_of("eE");
    const bool is_small = exponent != text.npos && text.substr(exponent + 1).starts_with('-');
    return is_small ? std::optional(0.0) : std::nullopt;
  }
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

CelOutcome min_below_max(const Node& self) {
  for (const std::string_view key : {"min", "max"}) {
    if (!double_of(self.get(key)))
      return violated(fmt::format("has a {} that is not a 64-bit floating-point number", key), "",
                      self.get(key));
  }
  if (*double_of(self.get("min")) < *double_of(self.get("max"))) return {};
  return violated(fmt::format("needs a min below max: {} is not less than {}", k8s::shown(*self.get("min")),
                              k8s::shown(*self.get("max"))),
                  "the API server compares them as 64-bit floating-point numbers", self.get("min"));
}

CelOutcome min_above_zero(const Node& self) {
  const auto min = double_of(self.get("min"));
  if (min && *min > 0) return {};
  return violated(fmt::format("needs a min above 0, not {}", k8s::shown(*self.get("min"))), "",
                  self.get("min"));
}

CelOutcome template_without_name(const Node& self) {
  for (const std::string_view key : {"name", "namespace"}) {
    if (has(self, key))
      return violated(fmt::format("can't have a {}", key), "remove it: each trial gets its own",
                      self.get(key));
  }
  return {};
}

struct Rule {
  std::string_view text;
  CelOutcome (*evaluate)(const Node& self);
};

// Stands for rules that differ only in fields, written as F, and in words, as W; a list of these counts as
// one.
struct Form {
  std::string_view form;
  CelOutcome (*evaluate)(const Node& self, std::string_view rule);
};

constexpr std::array kForms = std::to_array<Form>({
    {"[F].filter(x, x).size() <= 1", at_most_one},
    {"[F].filter(x,x==true).size() == 1", exactly_one},
    {"!(F && F)", at_most_one},
    {"!(F && (F && F))", not_both},
    {"self > 0 || self in [W]", count_or_word},
});

constexpr std::array kRules = std::to_array<Rule>({
    {"self == oldSelf", holds},
    {"self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", name_is_label},
    {"size(self.metadata.name) <= 63", name_is_short},
    {"self in ['trainer.kubeflow.org/trainjob-controller', 'kueue.x-k8s.io/multikueue']", managed_by},
    {"self == '' || self.matches('^[A-Za-z][A-Za-z0-9+.-]*://.+$')", storage_uri},
    {"self >= 1", at_least_one},
    {"!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder == 'InOrder' && "
     "self.replicatedJobs.exists(x, has(x.dependsOn)))",
     startup_policy_or_depends_on},
    {"self.templates.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
     claims_without_namespace},
    {"!self.exists(c, c == 'node')", no_node_container},
    {"has(self.lastUpdatedTime)", has_last_updated_time},
    {"self.parallelTrials <= self.numTrials", parallel_trials},
    {"!has(self.searchAlgorithm.grid) || self.parameters.all(p, has(p.searchSpace.categorical))",
     grid_is_categorical},
    {"double(self.min) > 0.0", min_above_zero},
    {"double(self.min) < double(self.max)", min_below_max},
    {"!has(self.name) && !has(self.namespace)", template_without_name},
});

const Rule* find(std::string_view rule) {
  return base::find(kRules, rule, &Rule::text);
}

// Writes `letter` in place of the text between `open` and `close`, and once for a list of such texts.
std::string with_letter(std::string_view rule, std::string_view open, char close, char letter) {
  std::string out;
  for (size_t at = rule.find(open); at != rule.npos; at = rule.find(open)) {
    const std::string_view before = rule.substr(0, at);
    const bool goes_on = out.ends_with(letter) && (before == ", " || before == ",");
    if (!goes_on) out.append(before).push_back(letter);
    const size_t end = rule.find(close, at + open.size());
    rule.remove_prefix(std::min(end, rule.size() - 1) + 1);
  }
  return out.append(rule);
}

const Form* find_form(std::string_view rule) {
  const std::string form = with_letter(with_letter(rule, "has(self.", ')', 'F'), "'", '\'', 'W');
  return base::find(kForms, form, &Form::form);
}

// A rule about metadata.name is reported for that field.
std::string field_of(std::string_view rule, const k8s::Path& path) {
  if (rule.find("self.metadata.name") != std::string_view::npos) return "metadata.name";
  return path.str();
}

// Evaluates a rule for a creation.
CelOutcome evaluate_cel(std::string_view rule, const Node& self) {
  if (const Rule* known = find(rule)) return known->evaluate(self);
  const Form* form = find_form(rule);
  return form ? form->evaluate(self, rule) : CelOutcome{};
}

void walk(const Node& node, const Schema& schema, const k8s::Path& path, k8s::Violations& out) {
  for (const CelRule& rule : schema.rules) {
    const CelOutcome outcome = evaluate_cel(rule.rule, node);
    if (outcome.holds) continue;
    base::Diagnostic diagnostic = rules::finding("input/cel");
    diagnostic.field = field_of(rule.rule, path);
    diagnostic.message = fmt::format("{} {}", diagnostic.field, outcome.problem);
    diagnostic.hint = outcome.hint;
    const Node& culprit = outcome.culprit ? *outcome.culprit : node;
    diagnostic.location = yaml::locate(culprit);
    if (outcome.better == culprit.text()) {
      base::suggest_fix(diagnostic, yaml::replace_scalar(culprit, outcome.better));  // without quotes
    } else if (!outcome.better.empty()) {
      base::suggest_fix(diagnostic, yaml::replace_text(culprit, outcome.better));
    }
    out.push_back(std::move(diagnostic));
  }
  if (node.is_list() && schema.items) {
    size_t index = 0;
    for (const Node* item : node.items()) walk(*item, *schema.items, path.child(index++), out);
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (path.is_root() && entry.key == "status") continue;
    if (const Schema* child = schema.child(entry.key)) walk(*entry.value, *child, path.child(entry.key), out);
  }
}

}  // namespace

bool knows_cel_rule(std::string_view rule) {
  return find(rule) || find_form(rule);
}

k8s::Violations validate_cel(const Node& node, const Schema& schema, const k8s::Path& path) {
  k8s::Violations out;
  walk(node, schema, path, out);
  return out;
}

}  // namespace trainjobc::schema
