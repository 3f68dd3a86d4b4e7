// SPDX-License-Identifier: Apache-2.0

// ValidatingAdmissionPolicies of the inputs, with their bindings and parameters, as an API server runs them
// when an object is created or changed.
// Source of the rules: k8s.io/apiserver 1.36, pkg/admission/plugin/policy/validating.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "cel/cel.h"
#include "platform/expression.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

enum class Match : uint8_t {
  No,
  Yes,
  Unknown,  // the labels of the namespace decide it, and the inputs don't have them
};

// Whether `resources`, a matchConstraints or matchResources, matches the creation or change of the object.
// `ns` is its Namespace; nullptr if the inputs have none.
Match match_request(const yaml::Node& resources, const Subject& subject, const yaml::Node* ns);

// Whether a label selector, or none, matches. `labels` may be nullptr.
bool match_labels(const yaml::Node* selector, const yaml::Node* labels);

// One policy, compiled. Threads may share it.
class AdmissionPolicy {
 public:
  // Appends what is wrong with its expressions. `objects` are all that there are: bindings and parameters.
  // One that `needs_no_binding` denies without.
  AdmissionPolicy(const yaml::Node& root, const std::vector<const yaml::Node*>& objects,
                  bool needs_no_binding, base::Diagnostics& problems);

  // Appends what it says about the creation, or the change, of an object of `owner`.
  void check(const Subject& subject, const yaml::Node* ns, const std::string& owner,
             base::Diagnostics& found) const;

 private:
  struct Validation {
    Expression expression;
    const yaml::Node* message = nullptr;
    std::optional<Expression> message_expression;
  };
  struct NamedExpression {
    std::string_view name;
    Expression expression;
  };
  // The values of variables, for each kind of expression.
  struct Values {
    std::vector<cel::Value> of_validations;
    std::vector<cel::Value> of_messages;
  };
  struct Seen;
  // One request for one binding and one of its parameters.
  struct Request;

  void declare(base::Diagnostics& problems);
  void compile_conditions(base::Diagnostics& problems);
  void compile_validations(base::Diagnostics& problems);
  std::vector<cel::Variable> variables_for(bool has_authorizer, bool has_variables) const;
  std::optional<Expression> compile(const yaml::Node& item, std::string_view key,
                                    const std::vector<cel::Variable>& variables, const cel::Type* type,
                                    base::Diagnostics& problems);

  std::vector<const yaml::Node*> params_of(const yaml::Node& binding, const Subject& subject) const;
  bool asks_for_params(const yaml::Node& binding) const;
  std::vector<cel::Value> basic_values(Request& request, const Seen& seen) const;
  static std::vector<cel::Value> with_authorizer(std::vector<cel::Value> values, Request& request);
  Values values_of(Request& request, const Seen& seen) const;
  static Seen shown(Request& request);
  Values shown_values(Request& request) const;
  std::vector<cel::Value> condition_values(Request& request, const Seen& seen) const;
  std::string failure_message(const std::vector<const NamedExpression*>& failed, Request& request) const;
  void check_binding(Request& request, base::Diagnostics& found) const;
  bool meets_conditions(Request& request, base::Diagnostics& found) const;
  void run(Request& request, base::Diagnostics& found) const;
  void validate(const Validation& validation, Request& request, base::Diagnostics& found) const;
  std::string message_for(const Validation& validation, const cel::Value& value, Request& request) const;
  void refuse(Request& request, const Expression& culprit, std::span<const cel::Value> values,
              const std::string& message, base::Diagnostics& found) const;
  void say_unknown(const Request& request, const std::string& what, base::Diagnostics& found) const;
  bool is_ignoring_failures() const;
  std::string name() const;

  const yaml::Node& root_;
  std::vector<const yaml::Node*> bindings_;
  std::vector<const yaml::Node*> params_;  // the objects of paramKind
  base::Arena types_;
  std::vector<cel::Variable> base_;     // without those below
  std::vector<cel::TypeField> fields_;  // of `variables`
  const cel::Type* of_variables_ = nullptr;
  std::vector<NamedExpression> conditions_;
  std::vector<NamedExpression> variables_;
  std::vector<Validation> validations_;
  bool is_usable_ = true;
};

}  // namespace trainjobc::platform
