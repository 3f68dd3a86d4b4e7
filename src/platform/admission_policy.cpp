// SPDX-License-Identifier: Apache-2.0

#include "platform/admission_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "platform/policies.h"
#include "rules/rules.h"
#include "secret/secret.h"

namespace trainjobc::platform {
namespace {

using cel::Value;
using cel::Variable;
using yaml::Node;

// What an API server lets all expressions of a policy cost for one request, and those of its match
// conditions.
constexpr uint64_t kPolicyBudget = 10'000'000;
constexpr uint64_t kConditionBudget = 2'500'000;
// Where expressions find the Namespace among the variables that each has.
constexpr size_t kNamespaceValue = 3;
constexpr std::string_view kPolicyProblem = "advice/admission-policy-expression";
constexpr std::string_view kPolicyUnknown = "advice/admission-policy-unknown";

// What an API server calls the types of what it gives to expressions, and their fields.
constexpr auto kGvk = std::to_array<cel::TypeField>(
    {{"group", &cel::types::kString}, {"version", &cel::types::kString}, {"kind", &cel::types::kString}});
constexpr auto kGvr = std::to_array<cel::TypeField>(
    {{"group", &cel::types::kString}, {"version", &cel::types::kString}, {"resource", &cel::types::kString}});

const cel::Type* request_type(base::Arena& arena) {
  cel::Types types(arena);
  const cel::Type* text = &cel::types::kString;
  const cel::Type* kind = types.object("kubernetes.GroupVersionKind", kGvk);
  const cel::Type* resource = types.object("kubernetes.GroupVersionResource", kGvr);
  const auto of_user = arena.copy(std::vector<cel::TypeField>{
      {"username", text},
      {"uid", text},
      {"groups", types.list(text)},
      {"extra", types.map(text, types.list(text))},
  });
  const auto fields = arena.copy(std::vector<cel::TypeField>{
      {"kind", kind},
      {"resource", resource},
      {"subResource", text},
      {"requestKind", kind},
      {"requestResource", resource},
      {"requestSubResource", text},
      {"name", text},
      {"namespace", text},
      {"operation", text},
      {"userInfo", types.object("kubernetes.UserInfo", of_user)},
      {"dryRun", &cel::types::kBool},
      {"options", &cel::types::kDyn},
  });
  return types.object("kubernetes.AdmissionRequest", fields);
}

const cel::Type* namespace_type(base::Arena& arena) {
  cel::Types types(arena);
  const cel::Type* text = &cel::types::kString;
  const cel::Type* texts = types.map(text, text);
  const auto of_metadata = arena.copy(std::vector<cel::TypeField>{
      {"name", text},
      {"generateName", text},
      {"namespace", text},
      {"labels", texts},
      {"annotations", texts},
      {"UID", text},
      {"creationTimestamp", &cel::types::kTimestamp},
      {"deletionGracePeriodSeconds", &cel::types::kInt},
      {"deletionTimestamp", &cel::types::kTimestamp},
      {"generation", &cel::types::kInt},
      {"resourceVersion", text},
      {"finalizers", types.list(text)},
  });
  const auto of_spec = arena.copy(std::vector<cel::TypeField>{{"finalizers", types.list(text)}});
  const auto of_status = arena.copy(std::vector<cel::TypeField>{{"phase", text}});
  const auto fields = arena.copy(std::vector<cel::TypeField>{
      {"metadata", types.object("kubernetes.NamespaceMetadata", of_metadata)},
      {"spec", types.object("kubernetes.NamespaceSpec", of_spec)},
      {"status", types.object("kubernetes.NamespaceStatus", of_status)},
  });
  return types.object("kubernetes.Namespace", fields);
}

// The rule of a refusal, by who gets it.
std::string_view rule_of(const Subject& subject) {
  const std::string_view kind = subject.kind->kind;
  if (kind == "JobSet") return "jobset/admission-policy";
  return kind == "Job" || kind == "Pod" ? "job/admission-policy" : "input/admission-policy";
}

// What a refusal means for a job.
std::string_view consequence_of(const Subject& subject) {
  const std::string_view kind = subject.kind->kind;
  if (kind == "JobSet") return "Trainer can't create the JobSet";
  if (kind == "Job") return "JobSet can't create the Job";
  return kind == "Pod" ? "the Job controller can create no pod" : "";
}

bool has_action(const Node& binding, std::string_view action) {
  return std::ranges::any_of(yaml::items_at(binding, {"spec", "validationActions"}),
                             [&](const Node* one) { return one->text() == action; });
}

// Of an expression that fails; `again` is its value for what may be shown.
std::string error_message(const Expression& expression, const Value& again) {
  return fmt::format("expression '{}' resulted in error: {}", expression.text(),
                     again.kind == cel::Kind::Error ? again.text() : "it reads a secret");
}

// What is not known of a value, in words.
std::string names_of(const Value& unknown) {
  return fmt::format("{}", fmt::join(unknown.unknown_names(), ", "));
}

}  // namespace

// The objects that expressions see.
struct AdmissionPolicy::Seen {
  const Node* object = nullptr;
  const Node* old_object = nullptr;  // nullptr at creation
  const Node* ns = nullptr;          // nullptr if the inputs have none
  const Node* param = nullptr;       // nullptr if the binding names none
};

struct AdmissionPolicy::Request {
  const Subject& subject;
  const Node& binding;
  const std::string& owner;
  Seen seen;
  base::Arena arena;
  cel::Context context{arena};
  uint64_t left = 0;  // of the budget
  Values values;

  Value evaluate(const Expression& expression, std::span<const Value> given) {
    context.allow(std::min(cel::Context::kCallBudget, left));
    const Value value = expression.program().evaluate(given, context);
    left -= std::min(left, context.cost());
    return value;
  }
};

AdmissionPolicy::AdmissionPolicy(const Node& root, const std::vector<const Node*>& objects,
                                 bool needs_no_binding, base::Diagnostics& problems)
    : root_(root) {
  const std::string_view own_name = yaml::text_at(root, {"metadata", "name"});
  const Node* kind = root.at({"spec", "paramKind"});
  for (const Node* object : objects) {
    if (is_policy_object(*object)) {
      if (yaml::text_at(*object, "kind") == "ValidatingAdmissionPolicyBinding" &&
          yaml::text_at(*object, {"spec", "policyName"}) == own_name)
        bindings_.push_back(object);
    } else if (kind && yaml::text_at(*object, "kind") == yaml::text_at(*kind, "kind") &&
               yaml::text_at(*object, "apiVersion") == yaml::text_at(*kind, "apiVersion")) {
      params_.push_back(object);
    }
  }
  declare(problems);
  compile_conditions(problems);
  compile_validations(problems);
  if (bindings_.empty() && needs_no_binding) {
    const yaml::Maker make(types_);
    bindings_.push_back(
        make.map({{"metadata", root.get("metadata")},
                  {"spec", make.map({{"validationActions", make.list({make.string("Deny")})}})}}));
  }
  if (!bindings_.empty()) return;
  base::Diagnostic unbound = rules::finding(
      "advice/admission-policy-unbound",
      fmt::format("{} does nothing: the inputs have no ValidatingAdmissionPolicyBinding for it", name()),
      "bind it, or add the binding's file to the inputs", place_of_object(root_));
  unbound.object = fmt::format("ValidatingAdmissionPolicy//{}", own_name);
  problems.add(std::move(unbound));
}

std::string AdmissionPolicy::name() const {
  return fmt::format("the ValidatingAdmissionPolicy \"{}\"", yaml::text_at(root_, {"metadata", "name"}));
}

bool AdmissionPolicy::is_ignoring_failures() const {
  return yaml::text_at(root_, {"spec", "failurePolicy"}) == "Ignore";
}

void AdmissionPolicy::declare(base::Diagnostics& problems) {
  base_ = {{"object", &cel::types::kDyn},
           {"oldObject", &cel::types::kDyn},
           {"request", request_type(types_)},
           {"namespaceObject", namespace_type(types_)}};
  if (root_.at({"spec", "paramKind"})) base_.push_back({"params", &cel::types::kDyn});
  cel::Types types(types_);
  for (const Node* item : yaml::items_at(root_, {"spec", "variables"})) {
    of_variables_ = types.object("kubernetes.variables", types_.copy(fields_));
    auto expression = compile(*item, "expression", variables_for(true, true), nullptr, problems);
    if (!expression) continue;
    const std::string_view variable = yaml::text_at(*item, "name");
    fields_.push_back({variable, &expression->program().type()});
    variables_.push_back({variable, std::move(*expression)});
  }
  of_variables_ = types.object("kubernetes.variables", types_.copy(fields_));
}

std::vector<Variable> AdmissionPolicy::variables_for(bool has_authorizer, bool has_variables) const {
  std::vector<Variable> all = base_;
  if (has_variables) all.push_back({"variables", of_variables_});
  if (has_authorizer) {
    static const cel::Type kAuthorizer{cel::TypeKind::Opaque, "kubernetes.authorization.Authorizer"};
    static const cel::Type kResource{cel::TypeKind::Opaque, "kubernetes.authorization.ResourceCheck"};
    all.push_back({"authorizer", &kAuthorizer});
    all.push_back({"authorizer.requestResource", &kResource});
  }
  return all;
}

std::optional<Expression> AdmissionPolicy::compile(const Node& item, std::string_view key,
                                                   const std::vector<Variable>& variables,
                                                   const cel::Type* type, base::Diagnostics& problems) {
  const Node* text = item.get(key);
  if (!text || !text->is_string()) {
    is_usable_ = false;
    return std::nullopt;
  }
  base::Diagnostics found;
  auto expression = Expression::compile(*text, variables, type, kPolicyProblem, found);
  for (base::Diagnostic& one : found.take()) {
    one.object = fmt::format("ValidatingAdmissionPolicy//{}", yaml::text_at(root_, {"metadata", "name"}));
    problems.add(std::move(one));
  }
  if (!expression) is_usable_ = false;
  return expression;
}

void AdmissionPolicy::compile_conditions(base::Diagnostics& problems) {
  for (const Node* item : yaml::items_at(root_, {"spec", "matchConditions"})) {
    auto expression = compile(*item, "expression", variables_for(true, false), &cel::types::kBool, problems);
    if (expression) conditions_.push_back({yaml::text_at(*item, "name"), std::move(*expression)});
  }
}

void AdmissionPolicy::compile_validations(base::Diagnostics& problems) {
  for (const Node* item : yaml::items_at(root_, {"spec", "validations"})) {
    auto expression = compile(*item, "expression", variables_for(true, true), &cel::types::kBool, problems);
    std::optional<Expression> message;
    if (item->get("messageExpression"))
      message =
          compile(*item, "messageExpression", variables_for(false, true), &cel::types::kString, problems);
    if (expression)
      validations_.push_back({std::move(*expression), item->get("message"), std::move(message)});
  }
}

void AdmissionPolicy::check(const Subject& subject, const Node* ns, const std::string& owner,
                            base::Diagnostics& found) const {
  const Node* constraints = root_.at({"spec", "matchConstraints"});
  if (!is_usable_ || !constraints) return;
  const Match match = match_request(*constraints, subject, ns);
  if (match == Match::No) return;
  for (const Node* binding : bindings_) {
    const Node* resources = binding->at({"spec", "matchResources"});
    const Match bound = resources ? match_request(*resources, subject, ns) : Match::Yes;
    if (bound == Match::No) continue;
    Request request{.subject = subject,
                    .binding = *binding,
                    .owner = owner,
                    .seen = {subject.root, subject.old_root, ns}};
    if (match == Match::Unknown || bound == Match::Unknown) {
      say_unknown(request, fmt::format("the labels of the namespace \"{}\"", subject.ns), found);
    } else {
      check_binding(request, found);
    }
  }
}

bool AdmissionPolicy::asks_for_params(const Node& binding) const {
  return root_.at({"spec", "paramKind"}) && binding.at({"spec", "paramRef"});
}

// Those that a binding refers to, for an object in that namespace.
std::vector<const Node*> AdmissionPolicy::params_of(const Node& binding, const Subject& subject) const {
  const Node& reference = *binding.at({"spec", "paramRef"});
  const std::string_view name = yaml::text_at(reference, "name");
  const Node* selector = reference.get("selector");
  const std::string_view given = yaml::text_at(reference, "namespace");
  const std::string_view ns = given.empty() ? std::string_view(subject.ns) : given;
  std::vector<const Node*> params;
  for (const Node* object : params_) {
    const Node* own = object->at({"metadata", "namespace"});
    const bool is_in_place = !own || ns.empty() || own->text() == ns;
    const bool is_meant = selector ? match_labels(selector, object->at({"metadata", "labels"}))
                                   : yaml::text_at(*object, {"metadata", "name"}) == name;
    if (is_in_place && is_meant) params.push_back(object);
  }
  return params;
}

void AdmissionPolicy::check_binding(Request& request, base::Diagnostics& found) const {
  if (!asks_for_params(request.binding)) return run(request, found);
  const std::vector<const Node*> params = params_of(request.binding, request.subject);
  if (params.empty()) return say_unknown(request, "its parameters, which the inputs don't have", found);
  for (const Node* param : params) {
    request.seen.param = param;
    run(request, found);
  }
}

std::vector<Value> AdmissionPolicy::basic_values(Request& request, const Seen& seen) const {
  cel::Context& context = request.context;
  const Subject& subject = request.subject;
  const KindFacts& kind = *subject.kind;
  const auto text = [&](std::string_view value) { return context.text(value); };
  const auto entry = [&](std::vector<Value>& map, std::string_view key, const Value& value) {
    map.push_back(text(key));
    map.push_back(value);
  };
  const auto triple = [&](std::string_view last, std::string_view value) {
    return context.map(
        {text("group"), text(kind.group), text("version"), text(kind.version), text(last), text(value)});
  };
  const Value of_kind = triple("kind", kind.kind);
  const Value of_resource = triple("resource", kind.resource);
  std::vector<Value> fields;
  entry(fields, "kind", of_kind);
  entry(fields, "resource", of_resource);
  entry(fields, "requestKind", of_kind);
  entry(fields, "requestResource", of_resource);
  // What is empty is missing, and so are subresources.
  const std::string_view name = yaml::text_at(*subject.root, {"metadata", "name"});
  if (!name.empty()) entry(fields, "name", text(name));
  if (!subject.ns.empty()) entry(fields, "namespace", text(subject.ns));
  entry(fields, "operation", text(operation_of(subject)));
  entry(fields, "userInfo", context.unknown("request.userInfo"));
  entry(fields, "dryRun", Value::boolean_of(false));
  entry(fields, "options", context.unknown("request.options"));
  std::vector<Value> values{cel::value_of(*seen.object),
                            seen.old_object ? cel::value_of(*seen.old_object) : Value(), context.map(fields)};
  if (!kind.is_namespaced) {
    values.emplace_back();
  } else {
    values.push_back(seen.ns ? cel::value_of(*seen.ns) : context.unknown("namespaceObject"));
  }
  if (root_.at({"spec", "paramKind"})) values.push_back(seen.param ? cel::value_of(*seen.param) : Value());
  return values;
}

// With what only a cluster knows.
std::vector<Value> AdmissionPolicy::with_authorizer(std::vector<Value> values, Request& request) {
  values.push_back(request.context.unknown("authorizer"));
  values.push_back(request.context.unknown("authorizer"));
  return values;
}

AdmissionPolicy::Values AdmissionPolicy::values_of(Request& request, const Seen& seen) const {
  const std::vector<Value> base = basic_values(request, seen);
  std::vector<Value> entries;  // keys and values
  const auto with_variables = [&] {
    std::vector<Value> values = base;
    values.push_back(request.context.map(entries));
    return values;
  };
  for (const NamedExpression& variable : variables_) {
    Value value = request.evaluate(variable.expression, with_authorizer(with_variables(), request));
    if (value.kind == cel::Kind::Error)
      value = request.context.fail(
          fmt::format("composited variable \"{}\" fails to evaluate: {}", variable.name, value.text()));
    entries.push_back(request.context.text(variable.name));
    entries.push_back(value);
  }
  Values values;
  values.of_messages = with_variables();
  values.of_validations = with_authorizer(values.of_messages, request);
  return values;
}

// What may be shown of the objects.
AdmissionPolicy::Seen AdmissionPolicy::shown(Request& request) {
  const yaml::Maker make(request.arena);
  const auto masked = [&](const Node* node) { return node ? secret::masked_object(*node, make) : nullptr; };
  const Seen& seen = request.seen;
  return {masked(seen.object), masked(seen.old_object), masked(seen.ns), masked(seen.param)};
}

AdmissionPolicy::Values AdmissionPolicy::shown_values(Request& request) const {
  return values_of(request, shown(request));
}

// An API server (1.36) gives no Namespace to match conditions.
std::vector<Value> AdmissionPolicy::condition_values(Request& request, const Seen& seen) const {
  std::vector<Value> values = basic_values(request, seen);
  values[kNamespaceValue] = Value();
  return with_authorizer(std::move(values), request);
}

// Why match conditions fail, as an API server says it.
std::string AdmissionPolicy::failure_message(const std::vector<const NamedExpression*>& failed,
                                             Request& request) const {
  const std::vector<Value> values = condition_values(request, shown(request));
  std::vector<std::string> messages;
  for (const NamedExpression* one : failed) {
    request.left = kConditionBudget;
    std::string message = error_message(one->expression, request.evaluate(one->expression, values));
    if (!base::contains(messages, message)) messages.push_back(std::move(message));
  }
  return messages.size() == 1 ? messages.front() : fmt::format("[{}]", fmt::join(messages, ", "));
}

// Whether all conditions hold; otherwise what there is to say has been appended.
bool AdmissionPolicy::meets_conditions(Request& request, base::Diagnostics& found) const {
  const std::vector<Value> values = condition_values(request, request.seen);
  request.left = kConditionBudget;
  std::vector<const NamedExpression*> failed;
  std::string unknown;
  for (const NamedExpression& condition : conditions_) {
    const Value value = request.evaluate(condition.expression, values);
    if (value.is_true()) continue;
    if (!value.is_failure()) return false;  // whatever the others say
    if (value.kind == cel::Kind::Error) {
      failed.push_back(&condition);
    } else if (unknown.empty()) {
      unknown = names_of(value);
    }
  }
  if (failed.empty() && unknown.empty()) return true;
  if (failed.empty()) {
    say_unknown(request, unknown, found);
  } else if (!is_ignoring_failures()) {
    refuse(request, failed.front()->expression, values, failure_message(failed, request), found);
  }
  return false;
}

void AdmissionPolicy::run(Request& request, base::Diagnostics& found) const {
  request.context.restart();
  if (!meets_conditions(request, found)) return;
  request.left = kPolicyBudget;
  request.values = values_of(request, request.seen);
  for (const Validation& validation : validations_) validate(validation, request, found);
}

void AdmissionPolicy::validate(const Validation& validation, Request& request,
                               base::Diagnostics& found) const {
  const Value value = request.evaluate(validation.expression, request.values.of_validations);
  if (value.is_true()) return;
  if (value.kind == cel::Kind::Unknown) return say_unknown(request, names_of(value), found);
  if (value.kind == cel::Kind::Error && is_ignoring_failures()) return;
  refuse(request, validation.expression, request.values.of_validations,
         message_for(validation, value, request), found);
}

std::string AdmissionPolicy::message_for(const Validation& validation, const Value& value,
                                         Request& request) const {
  if (value.kind == cel::Kind::Error) {
    const Values shown = shown_values(request);
    return error_message(validation.expression,
                         request.evaluate(validation.expression, shown.of_validations));
  }
  if (validation.message_expression) {
    const Values shown = shown_values(request);
    if (auto message = message_in(request.evaluate(*validation.message_expression, shown.of_messages)))
      return std::move(*message);
  }
  if (validation.message) return std::string(base::trimmed(validation.message->text()));
  return fmt::format("failed expression: {}", validation.expression.text());
}

void AdmissionPolicy::refuse(Request& request, const Expression& culprit, std::span<const Value> values,
                             const std::string& message, base::Diagnostics& found) const {
  const Subject& subject = request.subject;
  const bool denies = has_action(request.binding, "Deny");
  const bool warns = has_action(request.binding, "Warn");
  const std::string_view rule = denies  ? rule_of(subject)
                                : warns ? "advice/admission-policy-warning"
                                        : "advice/admission-policy-audit";
  request.context.allow(cel::Context::kCallBudget);
  const cel::Failure failure = culprit.program().explain(values, request.context);
  const Place place = place_of_failure(failure, *subject.root,
                                       {request.seen.old_object, request.seen.param, request.seen.ns});
  const std::string object = subject.kind->kind == "Pod"
                                 ? fmt::format("the pods of Job \"{}\"", subject.name)
                                 : fmt::format("{}the {} \"{}\"", subject.old_root ? "the change of " : "",
                                               subject.kind->kind, subject.name);
  base::Diagnostic finding =
      rules::finding(rule,
                     fmt::format("{} {} {}: {}", name(),
                                 denies  ? "denies"
                                 : warns ? "warns of"
                                         : "records",
                                 object, message),
                     denies ? std::string(consequence_of(subject)) : "", place.location);
  finding.object = request.owner;
  finding.field = subject.field.empty() || place.field.empty()
                      ? subject.field + place.field
                      : fmt::format("{}.{}", subject.field, place.field);
  const std::string part = failing_part(culprit, failure);
  finding.notes.push_back(
      {part.empty() ? "the expression"
                    : fmt::format("the expression: {} is not {}", part, failure.wanted ? "true" : "false"),
       yaml::locate(culprit.node())});
  const bool is_bound = request.binding.get("kind") != nullptr;
  finding.notes.push_back({is_bound ? "the binding" : "the policy", place_of_object(request.binding)});
  found.add(std::move(finding));
}

void AdmissionPolicy::say_unknown(const Request& request, const std::string& what,
                                  base::Diagnostics& found) const {
  const Subject& subject = request.subject;
  base::Diagnostic finding = rules::finding(kPolicyUnknown,
                                            fmt::format("{} may deny the {} \"{}\": that depends on {}",
                                                        name(), subject.kind->kind, subject.name, what),
                                            "", place_of_object(*subject.root));
  finding.object = request.owner;
  finding.field = subject.field;
  finding.notes.push_back({"the policy", place_of_object(root_)});
  found.add(std::move(finding));
}

}  // namespace trainjobc::platform
