// SPDX-License-Identifier: Apache-2.0

// CEL expressions that stand in YAML files: what is wrong with them, at the character, and where the value
// comes from that makes one false.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "cel/cel.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// A scalar with an expression, compiled.
class Expression {
 public:
  // `result` is the type that it must have; nullptr: any. What is wrong with it are findings of `rule`, at
  // their character. nullopt then.
  static std::optional<Expression> compile(const yaml::Node& text, std::span<const cel::Variable> variables,
                                           const cel::Type* result, std::string_view rule,
                                           base::Diagnostics& problems);

  const cel::Program& program() const { return *program_; }
  const yaml::Node& node() const { return *text_; }
  // Its text on one line.
  std::string text() const;

 private:
  Expression(const yaml::Node& text, std::unique_ptr<cel::Program> program)
      : text_(&text), program_(std::move(program)) {}

  const yaml::Node* text_;
  std::unique_ptr<cel::Program> program_;
};

// The findings of `rule` for what the checker refuses in the scalar if the variables have these types.
void report_issues(const yaml::Node& text, std::span<const cel::Issue> issues, std::string_view rule,
                   base::Diagnostics& problems);

// Where the failing part of an expression has read what makes it false: the last field of the object, or what
// a value of the plan was computed from; of the others, such as parameters, only if there is nothing else. If
// a field is missing, its nearest parent.
Place place_of_failure(const cel::Failure& failure, const yaml::Node& object,
                       std::initializer_list<const yaml::Node*> others = {});

// The failing part of the expression, if it is not all of it; "" otherwise.
std::string failing_part(const Expression& expression, const cel::Failure& failure);

// The text that a messageExpression gives; nullopt if it fails, or gives none that an API server takes.
std::optional<std::string> message_in(const cel::Value& value);

}  // namespace trainjobc::platform
