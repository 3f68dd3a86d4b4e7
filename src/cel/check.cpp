// SPDX-License-Identifier: Apache-2.0

// The types of an expression, the functions that its calls may mean, and what the API server refuses in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "cel/cel.h"
#include "cel/library/library.h"
#include "cel/unify.h"

namespace trainjobc::cel {
namespace {

constexpr auto kOperatorNames = std::to_array<std::pair<Op, std::string_view>>({
    {Op::OptSelect, "_?._"}, {Op::Index, "_[_]"},        {Op::OptIndex, "_[?_]"},
    {Op::And, "_&&_"},       {Op::Or, "_||_"},           {Op::Not, "!_"},
    {Op::Negate, "-_"},      {Op::Conditional, "_?_:_"}, {Op::Equal, "_==_"},
    {Op::NotEqual, "_!=_"},  {Op::Less, "_<_"},          {Op::LessEqual, "_<=_"},
    {Op::Greater, "_>_"},    {Op::GreaterEqual, "_>=_"}, {Op::In, "@in"},
    {Op::Add, "_+_"},        {Op::Subtract, "_-_"},      {Op::Multiply, "_*_"},
    {Op::Divide, "_/_"},     {Op::Modulo, "_%_"},
});

}  // namespace

std::string_view operator_name(Op op) {
  const auto* found = base::find(kOperatorNames, op, &std::pair<Op, std::string_view>::first);
  return found ? found->second : "";
}

class Checker {
 public:
  Checker(Program& program, std::span<const Variable> globals, std::vector<Issue>& issues)
      : program_(program), globals_(globals), issues_(issues), types_(program.arena_), unifier_(types_) {}

  void check_all(Expr& root) {
    check(root);
    if (issues_.empty()) finish(root, false);
  }

 private:
  using TypeList = std::vector<const Type*>;

  struct Local {
    std::string_view name;
    const Type* type = nullptr;
  };

  void report(const Expr& expr, std::string message) {
    const bool is_seen = std::ranges::any_of(
        issues_, [&](const Issue& issue) { return issue.begin == expr.begin && issue.message == message; });
    if (!is_seen) issues_.push_back({expr.begin, expr.end, std::move(message)});
  }
  // At the field's name.
  void report_field(const Expr& expr) {
    const auto length = static_cast<uint32_t>(expr.name.size());
    const uint32_t begin =
        expr.op == Op::Has ? expr.args[0]->end + 1 : std::max(expr.begin, expr.end - length);
    issues_.push_back({begin, begin + length, fmt::format("undefined field '{}'", expr.name)});
  }
  void mismatch(const Expr& expr, const Type& wanted, const Type& found) {
    report(expr, fmt::format("expected type '{}' but found '{}'", to_string(*unifier_.substitute(wanted)),
                             to_string(*unifier_.substitute(found))));
  }
  void undeclared(const Expr& expr, std::string_view name) {
    report(expr, fmt::format("undeclared reference to '{}' (in container '')", name));
    // The rest is checked as if it were there.
  }

  void check(Expr& expr) { expr.type = type_of(expr); }

  const Type* type_of(Expr& expr) {
    switch (expr.op) {
      case Op::Literal: return literal_type(expr.value.kind);
      case Op::Ident:
        return find_name(expr, expr.name) ? expr.type : (undeclared(expr, expr.name), &types::kError);
      case Op::Select:
      case Op::Has:
      case Op::OptSelect: return check_select(expr);
      case Op::And:
      case Op::Or: return check_logic(expr);
      case Op::List: return check_list(expr);
      case Op::Map: return check_map(expr);
      case Op::Message: undeclared(expr, expr.name); return &types::kError;
      case Op::Fold: return check_fold(expr);
      case Op::Call: return check_call(expr);
      default: return resolve(expr, operator_name(expr.op), false, check_args(expr));
    }
  }

  static const Type* literal_type(Kind kind) {
    constexpr std::array kTypes{&types::kNull,   &types::kBool,   &types::kInt,  &types::kUint,
                                &types::kDouble, &types::kString, &types::kBytes};
    return kTypes[static_cast<size_t>(kind) - static_cast<size_t>(Kind::Null)];
  }

  TypeList check_args(Expr& expr) {
    TypeList out;
    for (Expr* arg : expr.args) {
      check(*arg);
      out.push_back(arg->type);
    }
    return out;
  }

  // ---- Names ----

  // Makes it a variable or the name of a type, and sets its type.
  bool find_name(Expr& expr, std::string_view name) {
    for (size_t i = locals_.size(); i-- > 0;) {
      if (locals_[i].name != name) continue;
      expr.slot = static_cast<uint32_t>(i);
      expr.type = locals_[i].type;
      return become(expr, Op::Ident);
    }
    for (size_t i = 0; i < globals_.size(); ++i) {
      if (globals_[i].name != name) continue;
      expr.slot = static_cast<uint32_t>(i);
      expr.is_global = true;
      expr.type = globals_[i].type;
      return become(expr, Op::Ident);
    }
    const Type* type = find_named_type(name);
    if (!type) return false;
    expr.value = Value::text_of(type->name, Kind::Type);
    expr.type = types_.type_of(type);
    return become(expr, Op::Literal);
  }

  static bool become(Expr& expr, Op op) {
    expr.op = op;
    expr.args = {};
    return true;
  }

  // a.b.c, if the expression is that; "" otherwise.
  static std::string qualified_name(const Expr& expr) {
    if (expr.op == Op::Ident) return std::string(expr.name);
    if (expr.op != Op::Select) return "";
    const std::string prefix = qualified_name(*expr.args[0]);
    return prefix.empty() ? "" : fmt::format("{}.{}", prefix, expr.name);
  }

  const Type* check_select(Expr& expr) {
    if (expr.op == Op::Select) {
      const std::string name = qualified_name(expr);
      if (!name.empty() && find_name(expr, name)) return expr.type;
    }
    Expr& operand = *expr.args[0];
    check(operand);
    const Type* target = unifier_.substitute(*operand.type);
    const bool is_optional_target = is_optional(*target);
    if (is_optional_target) target = target->params[0];
    const Type* found = field_type(expr, *target);
    if (expr.op == Op::Has) return &types::kBool;
    return unifier_.substitute(is_optional_target || expr.op == Op::OptSelect ? *types_.optional(found)
                                                                              : *found);
  }

  const Type* field_type(Expr& expr, const Type& target) {
    switch (target.kind) {
      case TypeKind::Map: return target.params[1];
      case TypeKind::Object: {
        const Type* found = types_.field(target, expr.name);
        if (!found) report_field(expr);
        if (target.schema) expr.name = program_.arena_.copy(std::string_view(unescape_field(expr.name)));
        return found ? found : &types::kError;
      }
      case TypeKind::Param: unifier_.is_assignable(types::kDyn, target); return &types::kDyn;
      case TypeKind::Dyn:
      case TypeKind::Error: return &types::kDyn;
      default:
        report(expr, fmt::format("type '{}' does not support field selection", to_string(target)));
        return &types::kDyn;
    }
  }

  // ---- Calls ----

  const Type* check_call(Expr& expr) {
    if (expr.is_member) {
      const std::string prefix = qualified_name(*expr.args[0]);
      const std::string full = fmt::format("{}.{}", prefix, expr.name);
      if (!prefix.empty() && !find_overloads(full).empty()) {
        expr.name = program_.arena_.copy(std::string_view(full));
        expr.is_member = false;
        expr.args = expr.args.subspan(1);
      }
    }
    const TypeList args = check_args(expr);
    if (find_overloads(expr.name).empty()) {
      undeclared(expr, expr.name);
      return &types::kError;
    }
    return resolve(expr, expr.name, expr.is_member, args);
  }

  const Type* resolve(Expr& expr, std::string_view name, bool is_member, const TypeList& args) {
    const Type* result = nullptr;
    std::vector<const Overload*> fitting;
    for (const Overload& overload : find_overloads(name)) {
      if (overload.is_member != is_member || overload.args.size() != args.size()) continue;
      constexpr uint32_t kMostParams = 3;
      const uint32_t base = unifier_.reserve(kMostParams);
      TypeList wanted;
      for (const Type* arg : overload.args) wanted.push_back(unifier_.renumbered(*arg, base));
      if (!unifier_.are_assignable(args, wanted)) continue;
      fitting.push_back(&overload);
      const Type* found = unifier_.substitute(*unifier_.renumbered(*overload.result, base));
      if (!result) {
        result = found;
      } else if (result->kind != TypeKind::Dyn && !is_same(*result, *found)) {
        result = &types::kDyn;
      }
    }
    if (!result) {
      no_overload(expr, name, is_member, args);
      return &types::kError;
    }
    if (expr.op == Op::Call) expr.overloads = program_.arena_.copy(fitting);
    return result;
  }

  void no_overload(const Expr& expr, std::string_view name, bool is_member, const TypeList& args) {
    std::string signature;
    for (size_t i = is_member ? 1 : 0; i < args.size(); ++i)
      signature += (signature.empty() ? "" : ", ") + to_string(*unifier_.substitute(*args[i], true));
    const std::string target = is_member ? to_string(*unifier_.substitute(*args[0], true)) + "." : "";
    report(expr,
           fmt::format("found no matching overload for '{}' applied to '{}({})'", name, target, signature));
  }

  const Type* check_logic(Expr& expr) {
    for (Expr* arg : expr.args) {
      check(*arg);
      if (!unifier_.is_assignable(*arg->type, types::kBool)) mismatch(*arg, types::kBool, *arg->type);
    }
    return &types::kBool;
  }

  // ---- Lists and maps ----

  // The type of all elements so far; nullptr before the first one.
  const Type* joined(const Type* before, const Type& type) {
    if (!before) return &type;
    return unifier_.is_assignable(*before, type) ? Unifier::more_general(*before, type) : &types::kDyn;
  }

  const Type* element_type(const Expr& expr, size_t index, const Expr& element) {
    const Type* type = element.type;
    if (index >= 64 || (expr.optionals >> index & 1U) == 0) return type;
    const Type* plain = unifier_.substitute(*type);
    if (is_optional(*plain)) return plain->params[0];
    if (plain->kind != TypeKind::Dyn && plain->kind != TypeKind::Error)
      mismatch(element, *types_.optional(plain), *plain);
    return type;
  }

  const Type* check_list(Expr& expr) {
    const Type* items = nullptr;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      check(*expr.args[i]);
      items = joined(items, *element_type(expr, i, *expr.args[i]));
    }
    return types_.list(items ? items : unifier_.fresh());
  }

  const Type* check_map(Expr& expr) {
    const Type* keys = nullptr;
    const Type* values = nullptr;
    for (size_t i = 0; i < expr.args.size(); i += 2) {
      check(*expr.args[i]);
      keys = joined(keys, *expr.args[i]->type);
      check(*expr.args[i + 1]);
      values = joined(values, *element_type(expr, i / 2, *expr.args[i + 1]));
    }
    return types_.map(keys ? keys : unifier_.fresh(), values ? values : unifier_.fresh());
  }

  // ---- Macros ----

  // The types of the variables of a macro over a range.
  TypeList variable_types(const Expr& expr) {
    const Expr& range = *expr.args[0];
    const Type* type = unifier_.substitute(*range.type);
    const bool has_two = expr.vars.size() == 2;
    switch (type->kind) {
      case TypeKind::List:
        return has_two ? TypeList{&types::kInt, type->params[0]} : TypeList{type->params[0]};
      case TypeKind::Map:
        return has_two ? TypeList{type->params[0], type->params[1]} : TypeList{type->params[0]};
      case TypeKind::Dyn:
      case TypeKind::Error:
      case TypeKind::Param: unifier_.is_assignable(types::kDyn, *type); return {&types::kDyn, &types::kDyn};
      default:
        report(range,
               fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, map, "
                           "or dynamic)",
                           to_string(*type)));
        return {&types::kError, &types::kError};
    }
  }

  TypeList bound_types(Expr& expr) {
    const Type* range = expr.args[0]->type;
    if (expr.fold == FoldKind::Bind) return {range};
    if (expr.fold != FoldKind::OptMap && expr.fold != FoldKind::OptFlatMap) return variable_types(expr);
    resolve(expr, "hasValue", true, {range});
    return {resolve(expr, "value", true, {range})};
  }

  const Type* check_fold(Expr& expr) {
    check(*expr.args[0]);
    const TypeList vars = bound_types(expr);
    expr.slot = static_cast<uint32_t>(locals_.size());
    for (size_t i = 0; i < expr.vars.size(); ++i) locals_.push_back({expr.vars[i], vars[i]});
    program_.slots_ = std::max(program_.slots_, static_cast<uint32_t>(locals_.size()));
    if (expr.args[1]) check(*expr.args[1]);
    check(*expr.args[2]);
    locals_.resize(expr.slot);
    const Type* result = fold_type(expr, vars);
    return unifier_.substitute(*result);
  }

  const Type* fold_type(Expr& expr, const TypeList& vars) {
    const Type* body = expr.args[2]->type;
    const Type* result = body;
    switch (expr.fold) {
      case FoldKind::All:
      case FoldKind::Exists:
        if (!unifier_.is_assignable(*body, types::kBool)) mismatch(*expr.args[2], types::kBool, *body);
        return &types::kBool;
      case FoldKind::ExistsOne:
        resolve(expr, "_?_:_", false, {body, &types::kInt, &types::kInt});
        return &types::kBool;
      case FoldKind::List: result = types_.list(body); break;
      case FoldKind::Map: result = types_.map(vars[0], body); break;
      case FoldKind::MapEntry: {
        const Type* map = types_.map(unifier_.fresh(), unifier_.fresh());
        if (!unifier_.is_assignable(*map, *body)) no_overload(expr, "cel.@mapInsert", false, {map, body});
        result = map;
        break;
      }
      case FoldKind::OptMap: return types_.optional(body);
      case FoldKind::OptFlatMap:
        return resolve(expr, "_?_:_", false, {&types::kBool, body, types_.optional(unifier_.fresh())});
      case FoldKind::Bind: return body;
    }
    if (expr.args[1]) resolve(expr, "_?_:_", false, {expr.args[1]->type, result, result});
    return result;
  }

  // ---- What is checked once all types are known ----

  void finish(Expr& expr, bool is_mixed) {
    expr.type = unifier_.substitute(*expr.type, true);
    const bool may_mix = is_mixed || (expr.op == Op::Call && expr.name == "format");
    for (Expr* arg : expr.args) {
      if (arg) finish(*arg, may_mix);
    }
    if (expr.op == Op::Call) finish_call(expr);
    if (expr.op == Op::Index || expr.op == Op::OptIndex) check_key(*expr.args[1]);
    if (!may_mix && expr.op == Op::List) check_same_types(expr, 0, 1);
    if (!may_mix && expr.op == Op::Map) {
      check_same_types(expr, 0, 2);
      check_same_types(expr, 1, 2);
    }
  }

  // All elements of a literal have one type.
  void check_same_types(const Expr& expr, size_t first, size_t step) {
    const Type* wanted = nullptr;
    for (size_t i = first; i < expr.args.size(); i += step) {
      const bool is_key = step == 2 && first == 0;
      const Type* type = is_key ? expr.args[i]->type : element_type(expr, i / step, *expr.args[i]);
      if (!wanted) wanted = type;
      if (is_same(*wanted, *type)) continue;
      mismatch(*expr.args[i], *wanted, *type);
      if (step == 1) return;
    }
  }

  // A constant that can't be a key.
  void check_key(const Expr& key) {
    if (key.op != Op::Literal) return;
    if (key.value.kind >= Kind::Bool && key.value.kind <= Kind::String) return;
    report(key, fmt::format("invalid qualifier type: {}", type_name(key.value.kind)));
  }

  void finish_call(Expr& expr) {
    const std::span<Expr*> args = expr.args.subspan(expr.is_member ? 1 : 0);
    const auto is_text = [](const Expr& arg) {
      return arg.op == Op::Literal && arg.value.kind == Kind::String;
    };
    if (expr.name == "matches" && is_text(*args[0]) && !Regex(args[0]->value.text()).problem().empty())
      report(*args[0], "invalid matches argument");
    if (expr.name == "format" && is_text(*expr.args[0]) && args[0]->op == Op::List) {
      const Expr* culprit = nullptr;
      const std::string problem = format_problem(expr.args[0]->value.text(), args[0]->args, culprit);
      if (!problem.empty()) report(culprit ? *culprit : expr, problem);
    }
    const bool has_pattern = expr.name == "matches" || expr.name == "find" || expr.name == "findAll";
    const size_t pattern = expr.is_member ? 0 : 1;
    if (has_pattern && args.size() > pattern && is_text(*args[pattern])) {
      program_.patterns_.emplace_back(args[pattern]->value.text());
      expr.regex = &program_.patterns_.back();
      const std::string problem = program_.patterns_.back().problem();
      if (!problem.empty() && expr.name != "matches")
        report(*args[pattern], fmt::format("error parsing regexp: {}", problem));
    }
    fold_conversion(expr);
  }

  // A conversion of a constant is computed at once, as the API server does when it accepts a policy.
  void fold_conversion(Expr& call) {
    constexpr auto kConversions = std::to_array<std::string_view>(
        {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"});
    const bool is_constant = !call.is_member && call.args.size() == 1 && call.args[0]->op == Op::Literal &&
                             call.overloads.size() == 1;
    if (!is_constant || !base::contains(kConversions, call.name)) return;
    Context context(program_.arena_);
    const Value value = call.overloads[0]->run({context, {&call.args[0]->value, 1}, call});
    if (value.kind == Kind::Error) {
      const bool is_time = call.name == "duration" || call.name == "timestamp";
      report(*call.args[0],
             is_time ? fmt::format("invalid {} argument", call.name) : std::string(value.text()));
    } else {
      call.value = value;
      become(call, Op::Literal);
    }
  }

  Program& program_;
  std::span<const Variable> globals_;
  std::vector<Issue>& issues_;
  Types types_;
  Unifier unifier_;
  std::vector<Local> locals_;
};

std::unique_ptr<Program> Program::compile(std::string_view text, std::span<const Variable> variables,
                                          std::vector<Issue>& issues) {
  std::unique_ptr<Program> program(new Program());
  const size_t before = issues.size();
  program->root_ = parse(text, program->arena_, issues);
  if (!program->root_) return nullptr;
  std::vector<Issue> found;
  Checker(*program, variables, found).check_all(*program->root_);
  base::append(issues, found);
  return issues.size() == before ? std::move(program) : nullptr;
}

}  // namespace trainjobc::cel
