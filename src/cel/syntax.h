// SPDX-License-Identifier: Apache-2.0

// The syntax tree of a CEL expression, and its parser.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "cel/value.h"

namespace trainjobc::cel {

struct Type;
struct Overload;

// What is wrong with an expression, and where: bytes of its text.
struct Issue {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string message;  // as the API server words it
};

enum class Op : uint8_t {
  Literal,
  Ident,
  Select,     // a.name
  Has,        // has(a.name)
  OptSelect,  // a.?name
  Index,
  OptIndex,  // a[?b]
  Call,
  List,
  Map,      // each key before its value
  Message,  // Name{field: value}
  Fold,
  And,
  Or,
  Not,
  Negate,
  Conditional,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
};

// What a macro does with each element of a range.
enum class FoldKind : uint8_t {
  All,
  Exists,
  ExistsOne,
  List,      // map, filter and transformList
  Map,       // transformMap
  MapEntry,  // transformMapEntry
  Bind,      // the body, once, with the range as the variable
  OptMap,    // the body as an optional, with what the range, an optional, has
  OptFlatMap,
};

struct Expr {
  Op op = Op::Literal;
  FoldKind fold = FoldKind::All;
  bool is_member = false;  // of a Call: its first argument is what stands before the dot
  uint16_t depth = 1;
  uint32_t begin = 0;  // in the text, in bytes
  uint32_t end = 0;
  uint32_t at = 0;    // of its name or operator, where the API server reports it
  uint32_t slot = 0;  // of a variable; of a Fold's first one
  std::string_view name;
  Value value;
  // Of a Fold: the range, the filter (nullptr if there is none) and the body.
  std::span<Expr*> args;
  std::span<const std::string_view> vars;  // of a Fold, one or two
  // Of a List or Map, its optional elements: the bits of their numbers; elements after the 64th can't be
  // optional.
  uint64_t optionals = 0;
  // From the checker:
  const Type* type = nullptr;
  bool is_global = false;                      // an Ident that is not a variable of a Fold
  std::span<const Overload* const> overloads;  // of a Call: those that may fit
  const void* regex = nullptr;                 // of a Call with a constant pattern
};

// The deepest nesting of an expression.
inline constexpr uint16_t kMostDepth = 250;
// The longest text of an expression, in code points.
inline constexpr size_t kMostRunes = 100'000;

// The tree in the arena, which also keeps a copy of the text; nullptr, with an issue, if the text is not an
// expression.
Expr* parse(std::string_view text, base::Arena& arena, std::vector<Issue>& issues);

// Gives the expression its arguments, some of which may be nullptr, and the depth that it has with them.
void set_args(Expr& expr, std::span<Expr* const> args, base::Arena& arena);

// Expands a call that is a macro; the same call if it is not one. `problem` and `culprit` say what is wrong
// with its arguments.
struct MacroProblem {
  std::string message;
  const Expr* culprit = nullptr;
};
Expr* expand_macro(Expr& call, base::Arena& arena, MacroProblem& problem);

}  // namespace trainjobc::cel
