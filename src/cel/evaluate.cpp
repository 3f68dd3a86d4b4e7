// SPDX-License-Identifier: Apache-2.0

// The evaluation of a checked expression. Errors and unknown values are values: all operators pass the first
// one on, but for those of logic, which may not need it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.h"
#include "cel/cel.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

constexpr uint64_t kNewList = 10;
constexpr uint64_t kNewMap = 30;
constexpr uint64_t kReadCost = 1;

// What a macro has computed so far.
struct Fold {
  Value result;
  int64_t count = 0;         // of ExistsOne
  std::vector<Value> items;  // of List, or keys and values of a map
};

class Evaluator {
 public:
  Evaluator(std::span<const Value> globals, uint32_t slots, Context& context,
            std::vector<Read>* reads = nullptr)
      : globals_(globals), locals_(slots), context_(context), reads_(reads) {}

  Value run(const Expr& expr) {
    if (context_.is_spent()) return context_.fail("operation cancelled: actual cost limit exceeded");
    switch (expr.op) {
      case Op::Literal: return expr.value;
      case Op::Ident:
        context_.spend(kReadCost);
        if (expr.is_global) return globals_[expr.slot];
        note(expr, locals_[expr.slot].node, false);
        return locals_[expr.slot];
      case Op::Select:
      case Op::Has:
      case Op::OptSelect: return select(expr, run(*expr.args[0]));
      case Op::And:
      case Op::Or: return run_logic(expr);
      case Op::Conditional: return run_conditional(expr);
      case Op::List: return run_list(expr);
      case Op::Map: return run_map(expr);
      case Op::Fold: return run_fold(expr);
      case Op::Call: return run_call(expr);
      default: return run_operator(expr);
    }
  }

 private:
  void note(const Expr& expr, const yaml::Node* node, bool is_missing) {
    if (reads_ && node) reads_->push_back({&expr, node, is_missing});
  }

  // ---- Fields and elements ----

  // The outcome of a read: `found`, or nothing.
  Value outcome(const Expr& expr, const Value& operand, const std::optional<Value>& found, bool is_optional,
                std::string_view complaint) {
    if (found && found->kind == Kind::Unknown) return *found;
    note(expr, found ? found->node : operand.node, !found);
    if (expr.op == Op::Has) return Value::boolean_of(found.has_value());
    if (found) return is_optional ? context_.optional(*found) : *found;
    if (is_optional) return Value::optional_of(nullptr);
    return context_.fail(complaint);
  }

  Value select(const Expr& expr, const Value& operand) {
    if (operand.is_failure()) return operand;
    if (expr.op != Op::Has) context_.spend(expr.args[0]->op == Op::Call ? 2 * kReadCost : kReadCost);
    if (operand.kind == Kind::Optional) {
      if (operand.size == 0) return expr.op == Op::Has ? Value::boolean_of(false) : operand;
      return read(expr, *operand.items, Value::text_of(expr.name), true);
    }
    return read(expr, operand, Value::text_of(expr.name), expr.op == Op::OptSelect);
  }

  Value index(const Expr& expr) {
    const Value operand = run(*expr.args[0]);
    if (operand.is_failure()) return operand;
    const Value key = run(*expr.args[1]);
    if (key.is_failure()) return key;
    context_.spend(kReadCost);
    if (operand.kind == Kind::Optional)
      return operand.size == 0 ? operand : read(expr, *operand.items, key, true);
    return read(expr, operand, key, expr.op == Op::OptIndex);
  }

  Value read(const Expr& expr, const Value& operand, const Value& key, bool is_optional) {
    if (key.kind < Kind::Bool || key.kind > Kind::String)
      return context_.fail(fmt::format("invalid qualifier type: {}", type_name(key.kind)));
    if (operand.kind == Kind::Map) {
      const auto found = find_key(operand, key);
      return outcome(expr, operand, found, is_optional, found ? "" : missing_key(key));
    }
    if (operand.kind == Kind::List) {
      const auto at = index_of(key);
      if (!at) return context_.fail(fmt::format("unsupported index type '{}' in list", type_name(key.kind)));
      const bool is_there = *at >= 0 && *at < operand.size;
      return outcome(expr, operand,
                     is_there ? std::optional(item_of(operand, static_cast<size_t>(*at))) : std::nullopt,
                     is_optional, is_there ? "" : fmt::format("index out of bounds: {}", *at));
    }
    return outcome(expr, operand, std::nullopt, is_optional, missing_key(key));
  }

  static std::string missing_key(const Value& key) {
    return fmt::format("no such key: {}", text_of(key).value_or("?"));
  }

  static std::optional<int64_t> index_of(const Value& key) {
    if (key.kind == Kind::Int) return key.integer;
    if (key.kind == Kind::Uint) return static_cast<int64_t>(std::min<uint64_t>(key.natural, INT64_MAX));
    const bool is_whole =
        key.kind == Kind::Double && std::abs(key.real) < 1e18 && std::trunc(key.real) == key.real;
    return is_whole ? std::optional(static_cast<int64_t>(key.real)) : std::nullopt;
  }

  // ---- Logic ----

  // What is left of terms of which none decided it.
  Value undecided(const Value& unknown, const Value& error, bool neutral) {
    if (unknown.kind == Kind::Unknown) return unknown;
    return error.kind == Kind::Error ? error : Value::boolean_of(neutral);
  }

  // Keeps the first error, and all that is unknown.
  void keep(const Value& term, Value& unknown, Value& error) {
    if (term.kind == Kind::Unknown) {
      unknown = merge_unknown(unknown, term, context_);
    } else if (term.kind != Kind::Bool && error.kind != Kind::Error) {
      error = term.kind == Kind::Error ? term : context_.no_such_overload();
    }
  }

  Value run_logic(const Expr& expr) {
    const bool decides = expr.op == Op::Or;
    Value unknown;
    Value error;
    for (const Expr* arg : expr.args) {
      const Value term = run(*arg);
      if (term.kind == Kind::Bool && term.boolean == decides) return term;
      keep(term, unknown, error);
    }
    return undecided(unknown, error, !decides);
  }

  Value run_conditional(const Expr& expr) {
    const Value condition = run(*expr.args[0]);
    if (condition.kind == Kind::Bool) return run(*expr.args[condition.boolean ? 1 : 2]);
    return condition.is_failure() ? condition : context_.no_such_overload();
  }

  // ---- Lists and maps ----

  static bool is_constant(const Expr& expr) {
    return std::ranges::all_of(expr.args, [](const Expr* arg) { return arg->op == Op::Literal; });
  }

  // False if an optional element has no value, which leaves it out.
  bool take_optional(const Expr& expr, size_t index, Value& value) {
    if (index >= 64 || (expr.optionals >> index & 1U) == 0) return true;
    if (value.kind != Kind::Optional) {
      value = context_.fail("cannot initialize an optional element from a value that is not optional");
      return true;
    }
    const bool has_value = value.size > 0;
    if (has_value) value = *value.items;
    return has_value;
  }

  Value run_list(const Expr& expr) {
    std::vector<Value> items;
    items.reserve(expr.args.size());
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Value item = run(*expr.args[i]);
      if (item.is_failure()) return item;
      if (!take_optional(expr, i, item)) continue;
      if (item.is_failure()) return item;
      items.push_back(item);
    }
    if (!is_constant(expr)) context_.spend(kNewList);
    return context_.list(items);
  }

  Value run_map(const Expr& expr) {
    std::vector<Value> entries;
    for (size_t i = 0; i < expr.args.size(); i += 2) {
      const Value key = run(*expr.args[i]);
      if (key.is_failure()) return key;
      Value value = run(*expr.args[i + 1]);
      if (value.is_failure()) return value;
      if (!take_optional(expr, i / 2, value)) continue;
      if (value.is_failure()) return value;
      put(entries, key, value);
    }
    if (!is_constant(expr)) context_.spend(kNewMap);
    return context_.map(entries);
  }

  // In a literal, the last of two values of a key counts.
  void put(std::vector<Value>& entries, const Value& key, const Value& value) {
    for (size_t i = 0; i < entries.size(); i += 2) {
      if (entries[i].kind != key.kind || !is_equal(entries[i], key, context_)) continue;
      entries[i + 1] = value;
      return;
    }
    entries.push_back(key);
    entries.push_back(value);
  }

  // An error if the key is in the map, or can't be a key.
  Value insert(std::vector<Value>& entries, const Value& key, const Value& value) {
    const bool is_key =
        key.kind == Kind::String || key.kind == Kind::Bool || key.kind == Kind::Int || key.kind == Kind::Uint;
    if (!is_key) return context_.fail("unsupported key type");
    if (!context_.spend(entries.size() / 64)) return context_.fail("");
    if (find_key(Value::map_of(entries), key))
      return context_.fail(fmt::format("insert failed: key {} already exists", text_of(key).value_or("")));
    entries.push_back(key);
    entries.push_back(value);
    return {};
  }

  // ---- Macros ----

  Value run_fold(const Expr& expr) {
    const Value range = run(*expr.args[0]);
    if (expr.fold == FoldKind::Bind) {
      locals_[expr.slot] = range;
      return run(*expr.args[2]);
    }
    if (range.is_failure()) return range;
    if (expr.fold == FoldKind::OptMap || expr.fold == FoldKind::OptFlatMap) return run_opt_map(expr, range);
    if (range.kind != Kind::List && range.kind != Kind::Map)
      return context_.fail("unsupported comprehension range");
    Fold fold{.result = Value::boolean_of(expr.fold == FoldKind::All)};
    for (size_t i = 0; i < range.size; ++i) {
      bind(expr, range, i);
      if (!step(expr, fold) || context_.is_spent()) break;
    }
    return result_of(expr, fold);
  }

  Value run_opt_map(const Expr& expr, const Value& range) {
    if (range.kind != Kind::Optional) return context_.no_such_overload();
    if (range.size == 0) return range;
    locals_[expr.slot] = *range.items;
    const Value value = run(*expr.args[2]);
    return value.is_failure() || expr.fold == FoldKind::OptFlatMap ? value : context_.optional(value);
  }

  void bind(const Expr& expr, const Value& range, size_t index) {
    const bool is_list = range.kind == Kind::List;
    const bool has_two = expr.vars.size() == 2;
    if (has_two) {
      locals_[expr.slot] = is_list ? Value::integer_of(static_cast<int64_t>(index)) : key_of(range, index);
      locals_[expr.slot + 1] = is_list ? item_of(range, index) : entry_of(range, index);
    } else {
      locals_[expr.slot] = is_list ? item_of(range, index) : key_of(range, index);
    }
  }

  // Whether to go on.
  bool step(const Expr& expr, Fold& fold) {
    if (expr.fold == FoldKind::All || expr.fold == FoldKind::Exists) return step_logic(expr, fold);
    const Expr* condition = expr.fold == FoldKind::ExistsOne ? expr.args[2] : expr.args[1];
    if (condition) {
      Value fits = run(*condition);
      if (!fits.is_failure() && fits.kind != Kind::Bool) fits = context_.no_such_overload();
      if (fits.is_failure()) fold.result = fits;
      context_.spend(1);
      if (!fits.is_true()) return true;
    }
    if (expr.fold == FoldKind::ExistsOne) {
      ++fold.count;
      context_.spend(1);
      return true;
    }
    const Value value = run(*expr.args[2]);
    context_.spend(expr.fold == FoldKind::List ? kNewList + (condition ? 1 : 2) : 2);
    if (fold.result.is_failure()) return true;
    if (value.is_failure()) {
      fold.result = value;
    } else if (expr.fold == FoldKind::List) {
      fold.items.push_back(value);
    } else {
      add_entries(expr, value, fold);
    }
    return true;
  }

  bool step_logic(const Expr& expr, Fold& fold) {
    const bool decides = expr.fold == FoldKind::Exists;
    const Value term = run(*expr.args[2]);
    context_.spend(decides ? 4 : 3);
    if (term.kind == Kind::Bool && term.boolean == decides) {
      fold.result = term;
      return false;
    }
    Value unknown = fold.result.kind == Kind::Unknown ? fold.result : Value();
    Value error = fold.result.kind == Kind::Error ? fold.result : Value();
    keep(term, unknown, error);
    fold.result = undecided(unknown, error, !decides);
    return true;
  }

  void add_entries(const Expr& expr, const Value& value, Fold& fold) {
    if (expr.fold == FoldKind::Map) {
      const Value problem = insert(fold.items, locals_[expr.slot], value);
      if (problem.is_failure()) fold.result = problem;
      return;
    }
    if (value.kind != Kind::Map) fold.result = context_.no_such_overload();
    for (size_t i = 0; value.kind == Kind::Map && i < value.size && !fold.result.is_failure(); ++i) {
      const Value problem = insert(fold.items, key_of(value, i), entry_of(value, i));
      if (problem.is_failure()) fold.result = problem;
    }
  }

  Value result_of(const Expr& expr, const Fold& fold) {
    context_.spend(1);
    if (context_.is_spent()) return context_.fail("");
    if (fold.result.is_failure()) return fold.result;
    switch (expr.fold) {
      case FoldKind::ExistsOne: return Value::boolean_of(fold.count == 1);
      case FoldKind::List: return context_.list(fold.items);
      case FoldKind::Map:
      case FoldKind::MapEntry: return context_.map(fold.items);
      default: return fold.result;
    }
  }

  // ---- Operators and functions ----

  Value run_operator(const Expr& expr) {
    if (expr.op == Op::Index || expr.op == Op::OptIndex) return index(expr);
    const bool is_of_list = expr.op == Op::In && expr.args[1]->op == Op::List;
    if (is_of_list && expr.args[1]->args.empty()) return Value::boolean_of(false);  // whatever the item is
    std::array<Value, 2> args;
    for (size_t i = 0; i < expr.args.size(); ++i) args[i] = run(*expr.args[i]);
    const std::span<const Value> given(args.data(), expr.args.size());
    for (const Value& arg : given) {
      if (arg.is_failure()) return arg;
    }
    const Value result = apply(expr.op, args[0], args[1]);
    if (!is_of_list || !is_constant(*expr.args[1])) context_.spend(call_cost(expr, given, result));
    return result;
  }

  Value apply(Op op, const Value& a, const Value& b) {
    switch (op) {
      case Op::Not: return a.kind == Kind::Bool ? Value::boolean_of(!a.boolean) : context_.no_such_overload();
      case Op::Negate: return negate(a, context_);
      case Op::Equal: return equal(a, b, context_);
      case Op::NotEqual: return Value::boolean_of(!is_equal(a, b, context_));
      case Op::Add: return add(a, b, context_);
      case Op::Subtract: return subtract(a, b, context_);
      case Op::Multiply: return multiply(a, b, context_);
      case Op::Divide: return divide(a, b, context_);
      case Op::Modulo: return modulo(a, b, context_);
      case Op::In: return is_member(a, b);
      default: return order(op, a, b);
    }
  }

  Value is_member(const Value& item, const Value& in) {
    if (in.kind == Kind::Map) return Value::boolean_of(find_key(in, item).has_value());
    if (in.kind != Kind::List) return context_.no_such_overload();
    for (size_t i = 0; i < in.size; ++i) {
      if (is_equal(item, item_of(in, i), context_)) return Value::boolean_of(true);
    }
    return Value::boolean_of(false);
  }

  Value order(Op op, const Value& a, const Value& b) {
    const bool may_be = a.kind != Kind::Quantity && a.kind != Kind::List && a.kind != Kind::Map;
    const auto found = may_be ? compare(a, b) : std::nullopt;
    if (!found) return context_.no_such_overload();
    switch (op) {
      case Op::Less: return Value::boolean_of(*found < 0);
      case Op::LessEqual: return Value::boolean_of(*found <= 0);
      case Op::Greater: return Value::boolean_of(*found > 0);
      default: return Value::boolean_of(*found >= 0);
    }
  }

  Value run_call(const Expr& expr) {
    if (expr.is_member && (expr.name == "or" || expr.name == "orValue")) return run_or(expr);
    constexpr size_t kMost = 4;
    std::array<Value, kMost> args;
    const size_t count = expr.args.size();
    for (size_t i = 0; i < count; ++i) args[i] = run(*expr.args[i]);
    const std::span<const Value> given(args.data(), count);
    for (const Value& arg : given) {
      if (arg.is_failure()) return arg;
    }
    for (const Overload* overload : expr.overloads) {
      if (!overload->run || !takes_all(*overload, given)) continue;
      const bool is_of_result = is_cost_of_result(expr);
      if (!is_of_result && !context_.spend(call_cost(expr, given, {}))) return context_.fail("");
      const Value result = overload->run({context_, given, expr});
      if (is_of_result) context_.spend(call_cost(expr, given, result));
      return result;
    }
    return context_.fail(fmt::format("no such overload: {}", expr.name));
  }

  static bool has_size(Kind kind) {
    return kind == Kind::String || kind == Kind::Bytes || kind == Kind::List || kind == Kind::Map;
  }

  static bool takes_all(const Overload& overload, std::span<const Value> args) {
    // Some take what they can at run time, whatever the checker has chosen.
    constexpr auto kLoose = std::to_array<std::string_view>({"flatten", "sort", "@sortByAssociatedKeys"});
    if (overload.name == "size") return has_size(args[0].kind);
    if (base::contains(kLoose, overload.name)) return args[0].kind == Kind::List;
    return std::ranges::equal(overload.args, args,
                              [](const Type* type, const Value& arg) { return takes(*type, arg); });
  }

  Value run_or(const Expr& expr) {
    const Value first = run(*expr.args[0]);
    if (first.kind != Kind::Optional) return first;
    if (first.size == 0) return run(*expr.args[1]);
    return expr.name == "or" ? first : *first.items;
  }

  std::span<const Value> globals_;
  std::vector<Value> locals_;
  Context& context_;
  std::vector<Read>* reads_;

  friend class Explainer;
};

// Follows an expression that is not as wanted to the part that decides it.
class Explainer {
 public:
  Explainer(std::span<const Value> globals, uint32_t slots, Context& context)
      : evaluator_(globals, slots, context, &failure_.reads) {}

  Failure explain(const Expr& expr) {
    follow(expr, true);
    return std::move(failure_);
  }

 private:
  Value look(const Expr& expr) {
    failure_.reads.clear();
    return evaluator_.run(expr);
  }

  void follow(const Expr& expr, bool wanted) {
    failure_.expr = &expr;
    failure_.wanted = wanted;
    const bool is_logic = expr.op == Op::And || expr.op == Op::Or;
    if (expr.op == Op::Not) return follow(*expr.args[0], !wanted);
    if (is_logic && (expr.op == Op::And) == wanted) return follow_term(expr, wanted);
    if (expr.op == Op::Conditional) {
      const Value condition = look(*expr.args[0]);
      if (condition.kind == Kind::Bool) return follow(*expr.args[condition.boolean ? 1 : 2], wanted);
    }
    if (expr.op == Op::Fold && expr.fold == (wanted ? FoldKind::All : FoldKind::Exists) &&
        follow_element(expr, wanted))
      return;
    failure_.expr = &expr;
    failure_.wanted = wanted;
    failure_.value = look(expr);
  }

  // Into the first term that decides it; an error only does if no other term does.
  void follow_term(const Expr& expr, bool wanted) {
    const Expr* culprit = nullptr;
    for (const Expr* arg : expr.args) {
      const Value value = look(*arg);
      if (value.kind == Kind::Bool && value.boolean == wanted) continue;
      const bool decides = value.kind == Kind::Bool;
      if (!culprit || decides) culprit = arg;
      if (decides) break;
    }
    follow(culprit ? *culprit : *expr.args[0], wanted);
  }

  bool follow_element(const Expr& expr, bool wanted) {
    const Value range = look(*expr.args[0]);
    if (range.kind != Kind::List && range.kind != Kind::Map) return false;
    for (size_t i = 0; i < range.size; ++i) {
      evaluator_.bind(expr, range, i);
      const Value value = look(*expr.args[2]);
      if (value.kind != Kind::Bool || value.boolean == wanted) continue;
      evaluator_.bind(expr, range, i);
      follow(*expr.args[2], wanted);
      return true;
    }
    return false;
  }

  Failure failure_;
  Evaluator evaluator_;
};

}  // namespace

Value Program::evaluate(std::span<const Value> values, Context& context) const {
  const Value value = Evaluator(values, slots_, context).run(*root_);
  if (context.is_spent()) return context.fail("operation cancelled: actual cost limit exceeded");
  return value;
}

Failure Program::explain(std::span<const Value> values, Context& context) const {
  return Explainer(values, slots_, context).explain(*root_);
}

}  // namespace trainjobc::cel
