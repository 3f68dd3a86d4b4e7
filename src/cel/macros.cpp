// SPDX-License-Identifier: Apache-2.0

// The macros: calls that stand for something that no function can do.
#include <algorithm>
#include <array>
#include <optional>

#include "base/text/text.h"
#include "cel/syntax.h"

namespace trainjobc::cel {
namespace {

struct Macro {
  std::string_view name;
  FoldKind kind;
  size_t vars;
  bool has_filter;  // takes a filter between the variables and the body
};

constexpr std::array kMacros = std::to_array<Macro>({
    {"all", FoldKind::All, 1, false},
    {"all", FoldKind::All, 2, false},
    {"exists", FoldKind::Exists, 1, false},
    {"exists", FoldKind::Exists, 2, false},
    {"exists_one", FoldKind::ExistsOne, 1, false},
    {"exists_one", FoldKind::ExistsOne, 2, false},
    {"existsOne", FoldKind::ExistsOne, 1, false},
    {"existsOne", FoldKind::ExistsOne, 2, false},
    {"map", FoldKind::List, 1, false},
    {"map", FoldKind::List, 1, true},
    {"transformList", FoldKind::List, 2, false},
    {"transformList", FoldKind::List, 2, true},
    {"transformMap", FoldKind::Map, 2, false},
    {"transformMap", FoldKind::Map, 2, true},
    {"transformMapEntry", FoldKind::MapEntry, 2, false},
    {"transformMapEntry", FoldKind::MapEntry, 2, true},
});

constexpr std::string_view kSortInput = "@__sortBy_input__";

class Expander {
 public:
  Expander(Expr& call, base::Arena& arena, MacroProblem& problem)
      : call_(call), args_(call.args), arena_(arena), problem_(problem) {}

  Expr* expand() {
    if (!call_.is_member) return call_.name == "has" && args_.size() == 1 ? presence() : &call_;
    if (args_.size() == 3) {
      if (call_.name == "filter") return filter();
      if (call_.name == "sortBy") return sort_by();
      if (call_.name == "optMap" || call_.name == "optFlatMap") return opt_map();
    }
    for (const Macro& macro : kMacros) {
      const size_t count = 1 + macro.vars + (macro.has_filter ? 1 : 0) + 1;
      if (macro.name == call_.name && count == args_.size()) return fold_of(macro);
    }
    return &call_;
  }

 private:
  Expr* refuse(std::string_view message, const Expr& culprit) {
    problem_ = {std::string(message), &culprit};
    return &call_;
  }

  // A node in the place of the call.
  Expr* make(Op op, std::initializer_list<Expr*> args) {
    Expr expr;
    expr.op = op;
    expr.begin = call_.begin;
    expr.end = call_.end;
    expr.at = call_.at;
    set_args(expr, std::span(args.begin(), args.size()), arena_);
    return arena_.make(expr);
  }

  Expr* make_call(std::string_view name, bool is_member, std::initializer_list<Expr*> args) {
    Expr* call = make(Op::Call, args);
    call->name = name;
    call->is_member = is_member;
    return call;
  }

  Expr* make_fold(FoldKind kind, const std::vector<std::string_view>& vars, Expr* filter, Expr* body,
                  Expr* range = nullptr) {
    Expr* fold = make(Op::Fold, {range ? range : args_[0], filter, body});
    fold->fold = kind;
    fold->name = call_.name;
    fold->vars = arena_.copy(vars);
    return fold;
  }

  Expr* presence() {
    if (args_[0]->op != Op::Select) return refuse("invalid argument to has() macro", *args_[0]);
    Expr* has = make(Op::Has, {args_[0]->args[0]});
    has->name = args_[0]->name;
    return has;
  }

  std::optional<std::string_view> variable(size_t index, std::string_view complaint) {
    const Expr& arg = *args_[index];
    if (arg.op != Op::Ident) {
      refuse(complaint, arg);
    } else if (arg.name == "__result__") {
      refuse("iteration variable overwrites accumulator variable", arg);
    } else {
      return arg.name;
    }
    return std::nullopt;
  }

  Expr* fold_of(const Macro& macro) {
    const std::string_view complaint =
        call_.name == "map" ? "argument is not an identifier" : "argument must be a simple name";
    std::vector<std::string_view> vars;
    for (size_t i = 0; i < macro.vars; ++i) {
      const auto name = variable(i + 1, complaint);
      if (!name) return &call_;
      vars.push_back(*name);
    }
    if (vars.size() == 2 && vars[0] == vars[1])
      return refuse("duplicate variable name: " + std::string(vars[0]), *args_[2]);
    return make_fold(macro.kind, vars, macro.has_filter ? args_[macro.vars + 1] : nullptr, args_.back());
  }

  Expr* filter() {
    const auto name = variable(1, "argument is not an identifier");
    return name ? make_fold(FoldKind::List, {*name}, args_[2], args_[1]) : &call_;
  }

  Expr* ident(std::string_view name) {
    Expr* expr = make(Op::Ident, {});
    expr->name = name;
    return expr;
  }

  // The list is bound to a name, so that it is computed once.
  Expr* sort_by() {
    if (args_[0]->op == Op::Literal || args_[0]->op == Op::Map || args_[0]->op == Op::Message) {
      return refuse(
          "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
          *args_[0]);
    }
    const auto name = variable(1, "argument is not an identifier");
    if (!name) return &call_;
    Expr* keys = make_fold(FoldKind::List, {*name}, nullptr, args_[2], ident(kSortInput));
    Expr* sorted = make_call("@sortByAssociatedKeys", true, {ident(kSortInput), keys});
    return make_fold(FoldKind::Bind, {kSortInput}, nullptr, sorted);
  }

  Expr* opt_map() {
    const bool is_flat = call_.name == "optFlatMap";
    const auto name = variable(1, is_flat ? "optFlatMap() variable name must be a simple identifier"
                                          : "optMap() variable name must be a simple identifier");
    return name ? make_fold(is_flat ? FoldKind::OptFlatMap : FoldKind::OptMap, {*name}, nullptr, args_[2])
                : &call_;
  }

  Expr& call_;
  std::span<Expr*> args_;
  base::Arena& arena_;
  MacroProblem& problem_;
};

}  // namespace

Expr* expand_macro(Expr& call, base::Arena& arena, MacroProblem& problem) {
  return Expander(call, arena, problem).expand();
}

}  // namespace trainjobc::cel
