// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <utility>

#include "base/text/text.h"
#include "platform/expression.h"
#include "platform/team.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "secret/secret.h"

namespace trainjobc::platform {
namespace {

using cel::Value;
using cel::Variable;
using schema::Schema;
using yaml::Node;

constexpr std::string_view kTeamProblem = "config/expression";

constexpr auto kPlanFields = std::to_array<cel::TypeField>({
    {"nodes", &cel::types::kInt},
    {"pods", &cel::types::kInt},
    {"processes", &cel::types::kInt},
    {"devices", &cel::types::kInt},
    {"cpu", &cel::types::kDyn},
    {"memory", &cel::types::kInt},
    {"queue", &cel::types::kString},
    {"framework", &cel::types::kString},
    {"runtime", &cel::types::kString},
});

// "[]" steps into the items of a list.
const Schema* schema_at(const Schema* schema, std::initializer_list<std::string_view> path) {
  for (const std::string_view step : path) {
    if (schema) schema = step == "[]" ? schema->items : schema->child(step);
  }
  return schema;
}

// Of the spec of a kind's objects; nullptr if the version does not have the kind.
const Schema* spec_schema(const schema::VersionSchemas& version, std::string_view kind) {
  const bool is_part = kind == "Job" || kind == "Pod";
  const schema::KindSchema* found = version.kind(is_part ? "JobSet" : kind);
  if (!found) return nullptr;
  if (!is_part) return schema_at(found->schema, {"spec"});
  const Schema* job = schema_at(found->schema, {"spec", "replicatedJobs", "[]", "template", "spec"});
  return kind == "Job" ? job : schema_at(job, {"template", "spec"});
}

// What the checker refuses in an expression over `object`, of that kind, and `plan`; nothing if the schemas
// of one version at least accept it. API servers warn of this in the status of a policy.
std::vector<cel::Issue> issues_of_fields(std::string_view expression, std::string_view kind,
                                         const cel::Type& plan) {
  std::vector<cel::Issue> first;
  for (const schema::VersionSchemas& version : schema::all_versions() | std::views::reverse) {
    const Schema* spec = spec_schema(version, kind);
    if (!spec) continue;
    base::Arena arena;
    cel::Types types(arena);
    const std::array<cel::TypeField, 5> fields{{{"apiVersion", &cel::types::kString},
                                                {"kind", &cel::types::kString},
                                                {"metadata", &cel::types::kDyn},
                                                {"spec", types.of_schema(*spec, "spec")},
                                                {"status", &cel::types::kDyn}}};
    const std::array<cel::Variable, 2> variables{{{"object", types.object(kind, fields)}, {"plan", &plan}}};
    std::vector<cel::Issue> issues;
    cel::Program::compile(expression, variables, issues);
    // Other complaints are about the names of types, which an object that is not declared doesn't have.
    std::erase_if(issues,
                  [](const cel::Issue& issue) { return !issue.message.starts_with("undefined field"); });
    if (issues.empty()) return {};
    if (first.empty()) first = std::move(issues);
  }
  return first;
}

bool is_kind_of_job(std::string_view kind) {
  return kind != "TrainingRuntime" && kind != "ClusterTrainingRuntime";
}

std::array<Value, 2> team_values(const Node& object, const Node* plan, cel::Context& context) {
  return {cel::value_of(object), plan ? cel::value_of(*plan) : context.unknown("plan")};
}

}  // namespace

class TeamRules::Engine {
 public:
  Engine(std::span<const TeamRule> rules, base::Diagnostics& problems)
      : plan_(*cel::Types(types_).object("plan", kPlanFields)), problems_(problems) {
    for (const TeamRule& rule : rules) compile(rule);
  }

  void check(const Subject& subject, const std::string& owner, const Node* plan,
             base::Diagnostics& found) const {
    for (const Compiled& one : compiled_) {
      if (base::contains(one.rule->kinds, subject.kind->kind)) apply(one, subject, owner, plan, found);
    }
  }

 private:
  struct Compiled {
    const TeamRule* rule = nullptr;
    Expression expression;
    std::optional<Expression> message;
  };

  void compile(const TeamRule& rule) {
    auto expression = compile(rule, *rule.expression, cel::types::kBool);
    std::optional<Expression> message;
    if (rule.message_expression) {
      message = compile(rule, *rule.message_expression, cel::types::kString);
      if (!message) return;
    }
    if (expression) compiled_.push_back({&rule, std::move(*expression), std::move(message)});
  }

  // nullopt, with a finding, if the rule can't be applied.
  std::optional<Expression> compile(const TeamRule& rule, const Node& text, const cel::Type& result) {
    const std::array<Variable, 2> all{{{"object", &cel::types::kDyn}, {"plan", &plan_}}};
    const bool has_plan = std::ranges::all_of(rule.kinds, is_kind_of_job);
    const std::span<const Variable> variables = std::span(all).first(has_plan ? 2 : 1);
    auto expression = Expression::compile(text, variables, &result, kTeamProblem, problems_);
    if (!expression || has_fields(rule, text)) return expression;
    return std::nullopt;
  }

  // False, with a finding, for a field that none of the rule's kinds has. One that only some of them have may
  // be asked for after a look at the object's kind.
  bool has_fields(const TeamRule& rule, const Node& text) {
    std::vector<cel::Issue> first;
    for (const std::string_view kind : rule.kinds) {
      std::vector<cel::Issue> issues = issues_of_fields(text.text(), kind, plan_);
      if (issues.empty()) return true;
      if (first.empty()) first = std::move(issues);
    }
    for (cel::Issue& issue : first) issue.message = fmt::format("{}: {}", rule.kinds.front(), issue.message);
    report_issues(text, first, kTeamProblem, problems_);
    return false;
  }

  static void apply(const Compiled& one, const Subject& subject, const std::string& owner, const Node* plan,
                    base::Diagnostics& found) {
    base::Arena arena;
    cel::Context context(arena);
    const auto values = team_values(*subject.root, plan, context);
    const Value result = one.expression.program().evaluate(values, context);
    if (result.is_true() || result.kind == cel::Kind::Unknown) return;
    const TeamRule& rule = *one.rule;
    context.allow(cel::Context::kCallBudget);
    const cel::Failure failure = one.expression.program().explain(values, context);
    const Place place = place_of_failure(failure, *subject.root);
    const std::string hint =
        result.kind == cel::Kind::Error
            ? "if a field may be missing, write object.?field.orValue(…) or has(object.field)"
            : rule.hint;
    base::Diagnostic finding = rules::team_finding(
        rule.id, rule.severity, message_for(one, result, *subject.root, plan, context), hint, place.location);
    finding.object = owner;
    const bool is_prefix = !subject.field.empty() && !place.field.empty();
    finding.field =
        is_prefix ? fmt::format("{}.{}", subject.field, place.field) : subject.field + place.field;
    const std::string part = failing_part(one.expression, failure);
    finding.notes.push_back(
        {part.empty() ? "the rule"
                      : fmt::format("the rule: {} is not {}", part, failure.wanted ? "true" : "false"),
         rule.location});
    found.add(std::move(finding));
  }

  // Computed from what may be shown of the object.
  static std::string message_for(const Compiled& one, const Value& result, const Node& object,
                                 const Node* plan, cel::Context& context) {
    const bool is_error = result.kind == cel::Kind::Error;
    if (is_error || one.message) {
      const yaml::Maker make(context.arena());
      const auto shown = team_values(*secret::masked_object(object, make), plan, context);
      const Expression& said = is_error ? one.expression : *one.message;
      context.allow(cel::Context::kCallBudget);
      const Value value = said.program().evaluate(shown, context);
      if (is_error)
        return fmt::format("the expression can't be evaluated: {}",
                           value.kind == cel::Kind::Error ? value.text() : "it reads a secret");
      if (auto message = message_in(value)) return std::move(*message);
    }
    if (one.rule->message) return std::string(one.rule->message->text());
    return fmt::format("failed expression: {}", one.expression.text());
  }

  base::Arena types_;
  const cel::Type& plan_;
  base::Diagnostics& problems_;
  std::vector<Compiled> compiled_;
};

TeamRules::TeamRules(std::vector<TeamRule> rules, std::vector<const Node*> policies,
                     std::shared_ptr<const Memory> memory)
    : memory_(std::move(memory)), rules_(std::move(rules)), policies_(std::move(policies)) {
  engine_ = std::make_unique<const Engine>(rules_, problems_);
}

TeamRules::~TeamRules() = default;

void TeamRules::check(const Subject& subject, const std::string& owner, const Node* plan,
                      base::Diagnostics& found) const {
  engine_->check(subject, owner, plan, found);
}

}  // namespace trainjobc::platform
