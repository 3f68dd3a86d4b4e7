// SPDX-License-Identifier: Apache-2.0

// Kubernetes' expression language, as the API server of 1.36 compiles and evaluates it:
//
//   std::vector<cel::Issue> issues;
//   const auto program = cel::Program::compile("self.replicas <= 8", variables, issues);
//   const cel::Value value = program->evaluate(values, context);
//
// A program is compiled once and evaluated by any number of threads, each with a Context of its own.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "cel/library/regex.h"
#include "cel/syntax.h"
#include "cel/types.h"
#include "cel/value.h"

namespace trainjobc::cel {

struct Variable {
  std::string_view name;
  const Type* type = nullptr;
};

// A place that an evaluation read.
struct Read {
  const Expr* expr = nullptr;
  const yaml::Node* node = nullptr;  // what is there; if nothing is, the map that has no such key
  bool is_missing = false;
};

// Why an expression is not true.
struct Failure {
  const Expr* expr = nullptr;  // the innermost part that decides it
  Value value;                 // of that part
  bool wanted = true;          // what that part should have been
  std::vector<Read> reads;     // of that part, in order
};

class Program {
 public:
  // nullptr, with issues, if the API server would refuse the expression. Names and types of the variables
  // must outlive the program.
  static std::unique_ptr<Program> compile(std::string_view text, std::span<const Variable> variables,
                                          std::vector<Issue>& issues);

  // `values`: those of the variables, in their order. Errors and unknown values are values, too.
  Value evaluate(std::span<const Value> values, Context& context) const;
  // Where an expression that is false, or an error, becomes so. Its cost is not counted.
  Failure explain(std::span<const Value> values, Context& context) const;

  const Expr& root() const { return *root_; }
  const Type& type() const { return *root_->type; }

 private:
  friend class Checker;
  Program() = default;

  base::Arena arena_;
  Expr* root_ = nullptr;
  uint32_t slots_ = 0;  // of the variables of macros
  std::deque<Regex> patterns_;
};

// The operator's name in the API server's messages: "_+_".
std::string_view operator_name(Op op);

// Whether what the API server counts for a call depends on its result.
bool is_cost_of_result(const Expr& call);
// What the API server counts for a call.
uint64_t call_cost(const Expr& call, std::span<const Value> args, const Value& result);

}  // namespace trainjobc::cel
