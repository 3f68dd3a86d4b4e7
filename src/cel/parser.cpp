// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text/text.h"
#include "cel/lexer.h"
#include "cel/syntax.h"

namespace trainjobc::cel {
namespace {

struct Operator {
  std::string_view sign;
  Op op;
  int level;  // the higher, the tighter it binds
};

constexpr int kOrLevel = 1;
constexpr int kAndLevel = 2;

constexpr std::array kOperators = std::to_array<Operator>({
    {"||", Op::Or, kOrLevel},
    {"&&", Op::And, kAndLevel},
    {"==", Op::Equal, 3},
    {"!=", Op::NotEqual, 3},
    {"<", Op::Less, 3},
    {"<=", Op::LessEqual, 3},
    {">", Op::Greater, 3},
    {">=", Op::GreaterEqual, 3},
    {"in", Op::In, 3},
    {"+", Op::Add, 4},
    {"-", Op::Subtract, 4},
    {"*", Op::Multiply, 5},
    {"/", Op::Divide, 5},
    {"%", Op::Modulo, 5},
});

constexpr auto kReserved = std::to_array<std::string_view>(
    {"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
     "namespace", "return", "var", "void", "while"});

class Parser {
 public:
  Parser(std::string_view text, base::Arena& arena, std::vector<Issue>& issues)
      : arena_(arena), issues_(issues), lexer_(text), token_(lexer_.next()) {}

  Expr* parse_all() {
    Expr* expr = parse_expr();
    if (is_fine() && token_.token != Token::End) unexpected();
    return is_fine() ? expr : nullptr;
  }

 private:
  bool is_fine() const { return issues_.empty(); }
  bool is_sign(std::string_view sign) const { return token_.token == Token::Sign && token_.text == sign; }

  void report(uint32_t begin, uint32_t end, std::string message) {
    if (is_fine()) issues_.push_back({begin, end, std::move(message)});
  }
  void unexpected() {
    const std::string what = token_.token == Token::End     ? "the end of the expression"
                             : token_.token == Token::Wrong ? fmt::format("token {}", token_.text)
                                                            : fmt::format("'{}'", token_.text);
    report(token_.begin, token_.end, fmt::format("Syntax error: unexpected {}", what));
  }

  Lexeme take() {
    const Lexeme taken = token_;
    last_end_ = taken.end;
    token_ = lexer_.next();
    return taken;
  }
  bool accept(std::string_view sign) {
    if (!is_sign(sign)) return false;
    take();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) unexpected();
  }

  // A node that ends at the last token.
  Expr* make(Op op, uint32_t begin, uint32_t at, const std::vector<Expr*>& args = {}) {
    Expr expr;
    expr.op = op;
    expr.begin = begin;
    expr.end = std::max(last_end_, begin);
    expr.at = at;
    set_args(expr, args, arena_);
    if (expr.depth > kMostDepth) too_deep(begin);
    return arena_.make(expr);
  }
  void too_deep(uint32_t begin) {
    report(begin, token_.end, fmt::format("expression recursion limit exceeded: {}", kMostDepth));
  }

  Expr* parse_expr() {
    if (++nesting_ > kMostDepth) too_deep(token_.begin);
    Expr* expr = is_fine() ? parse_conditional() : nullptr;
    --nesting_;
    return expr;
  }

  Expr* parse_conditional() {
    Expr* condition = parse_binary(kOrLevel);
    if (!is_fine() || !is_sign("?")) return condition;
    const uint32_t at = take().begin;
    Expr* yes = parse_binary(kOrLevel);
    expect(":");
    Expr* no = parse_expr();
    return is_fine() ? make(Op::Conditional, condition->begin, at, {condition, yes, no}) : nullptr;
  }

  const Operator* operator_at(int level) const {
    const bool may_be = token_.token == Token::Sign || token_.text == "in";
    const Operator* found = may_be ? base::find(kOperators, token_.text, &Operator::sign) : nullptr;
    return found && found->level >= level ? found : nullptr;
  }

  Expr* parse_binary(int level) {
    Expr* left = parse_unary();
    while (const Operator* op = is_fine() ? operator_at(level) : nullptr) {
      std::vector<Expr*> args{left};
      uint32_t at = 0;
      do {
        at = take().begin;
        args.push_back(parse_binary(op->level + 1));
        // Chains of && and || are flat, as in the API server.
      } while (is_fine() && op->level <= kAndLevel && operator_at(op->level) == op);
      if (!is_fine()) return nullptr;
      left = make(op->op, left->begin, at, args);
    }
    return left;
  }

  Expr* parse_unary() {
    if (!is_sign("!") && !is_sign("-")) return parse_member();
    const Lexeme first = take();
    bool is_odd = true;
    while (is_sign(first.text)) {
      take();
      is_odd = !is_odd;
    }
    const bool is_negative = first.text == "-";
    if (is_negative && is_odd && (token_.token == Token::Int || token_.token == Token::Double))
      return parse_suffixes(number(first.begin, true));
    Expr* operand = parse_member();
    if (!is_fine() || !is_odd) return operand;
    return make(is_negative ? Op::Negate : Op::Not, first.begin, first.begin, {operand});
  }

  Expr* parse_member() { return parse_suffixes(parse_primary()); }

  Expr* parse_suffixes(Expr* expr) {
    while (is_fine()) {
      if (is_sign(".")) {
        expr = parse_dot(expr);
      } else if (is_sign("[")) {
        const uint32_t at = take().begin;
        const bool is_optional = accept("?");
        Expr* index = parse_expr();
        expect("]");
        if (is_fine()) expr = make(is_optional ? Op::OptIndex : Op::Index, expr->begin, at, {expr, index});
      } else if (is_sign("{") && is_name(*expr)) {
        expr = parse_message(*expr);
      } else {
        return expr;
      }
    }
    return nullptr;
  }

  static bool is_name(const Expr& expr) {
    const Expr* at = &expr;
    while (at->op == Op::Select) at = at->args[0];
    return at->op == Op::Ident;
  }

  Lexeme take_field() {
    const bool is_name = token_.token == Token::Ident && token_.text != "in" && token_.text != "true" &&
                         token_.text != "false" && token_.text != "null";
    if (!is_name) unexpected();
    return take();
  }

  Expr* parse_dot(Expr* operand) {
    const uint32_t dot = take().begin;
    const bool is_optional = accept("?");
    const Lexeme field = take_field();
    if (!is_fine()) return nullptr;
    if (is_optional || !is_sign("(")) {
      Expr* select = make(is_optional ? Op::OptSelect : Op::Select, operand->begin, dot, {operand});
      select->name = field.text;
      return select;
    }
    return parse_call(field, operand->begin, operand);
  }

  Expr* parse_call(const Lexeme& name, uint32_t begin, Expr* target) {
    const uint32_t at = take().begin;
    std::vector<Expr*> args;
    if (target) args.push_back(target);
    if (!is_sign(")")) {
      do {
        args.push_back(parse_expr());
      } while (is_fine() && accept(","));
    }
    expect(")");
    if (!is_fine()) return nullptr;
    Expr* call = make(Op::Call, begin, at, args);
    call->name = name.text;
    call->is_member = target != nullptr;
    MacroProblem problem;
    Expr* expanded = expand_macro(*call, arena_, problem);
    if (problem.culprit) report(problem.culprit->begin, problem.culprit->end, problem.message);
    if (expanded->depth > kMostDepth) too_deep(begin);
    return expanded;
  }

  // The elements of a list, or the keys and values of a map or message, up to `close`.
  Expr* parse_elements(Op op, uint32_t begin, std::string_view close) {
    const uint32_t at = take().begin;
    std::vector<Expr*> args;
    uint64_t optionals = 0;
    for (size_t count = 0; is_fine() && !is_sign(close); ++count) {
      const uint32_t optional_at = token_.begin;
      if (accept("?")) {
        optionals |= uint64_t{1} << count;
        if (count >= 64)
          report(optional_at, token_.end, "Syntax error: too many elements before an optional one");
      }
      args.push_back(op == Op::Message ? parse_field_name() : parse_expr());
      if (op != Op::List) {
        expect(":");
        if (is_fine()) args.push_back(parse_expr());
      }
      if (!accept(",")) break;
    }
    expect(close);
    if (!is_fine()) return nullptr;
    Expr* expr = make(op, begin, at, args);
    expr->optionals = optionals;
    return expr;
  }

  Expr* parse_field_name() {
    const Lexeme field = take_field();
    Expr* name = make(Op::Literal, field.begin, field.begin);
    name->value = Value::text_of(field.text);
    return name;
  }

  Expr* parse_message(const Expr& type) {
    Expr* message = parse_elements(Op::Message, type.begin, "}");
    if (message) message->name = path_of(type);
    return message;
  }

  std::string_view path_of(const Expr& expr) {
    if (expr.op == Op::Ident) return expr.name;
    return arena_.copy(fmt::format("{}.{}", path_of(*expr.args[0]), expr.name));
  }

  Expr* parse_primary() {
    const Lexeme& first = token_;
    switch (first.token) {
      case Token::Int:
      case Token::Uint:
      case Token::Double: return number(first.begin, false);
      case Token::String:
      case Token::Bytes: return text();
      case Token::Ident: return parse_name(first.begin);
      case Token::Sign: break;
      default: unexpected(); return nullptr;
    }
    if (first.text == "[") return parse_elements(Op::List, first.begin, "]");
    if (first.text == "{") return parse_elements(Op::Map, first.begin, "}");
    const uint32_t begin = first.begin;
    if (accept(".")) return parse_name(begin);
    expect("(");
    Expr* expr = is_fine() ? parse_expr() : nullptr;
    expect(")");
    return is_fine() ? expr : nullptr;
  }

  Expr* parse_name(uint32_t begin) {
    if (begin == token_.begin) {
      if (token_.text == "true" || token_.text == "false")
        return literal(Value::boolean_of(token_.text == "true"));
      if (token_.text == "null") return literal({});
    }
    const Lexeme name = take_field();
    if (!is_fine()) return nullptr;
    if (base::contains(kReserved, name.text)) {
      report(name.begin, name.end, fmt::format("reserved identifier: {}", name.text));
      return nullptr;
    }
    if (is_sign("(")) return parse_call(name, begin, nullptr);
    Expr* ident = make(Op::Ident, begin, name.begin);
    ident->name = name.text;
    return ident;
  }

  // The value of the token that is next.
  Expr* literal(const Value& value) {
    const Lexeme token = take();
    Expr* expr = make(Op::Literal, token.begin, token.begin);
    expr->value = value;
    return expr;
  }

  Expr* text() {
    std::string problem;
    const bool is_bytes = token_.token == Token::Bytes;
    const std::string value = unescape(token_.text, is_bytes, problem);
    if (!problem.empty()) report(token_.begin, token_.end, problem);
    return literal(
        Value::text_of(arena_.copy(std::string_view(value)), is_bytes ? Kind::Bytes : Kind::String));
  }

  Expr* number(uint32_t begin, bool is_negative) {
    const Token kind = token_.token;
    std::string_view digits = token_.text;
    std::optional<Value> value;
    if (kind == Token::Double) {
      double real = 0;
      const std::errc error = base::read_double(digits, real);
      const bool is_tiny = error == std::errc::result_out_of_range && digits.find('-') != digits.npos;
      if (error == std::errc() || is_tiny) value = Value::real_of(is_negative ? -real : real);
    } else {
      if (kind == Token::Uint) digits.remove_suffix(1);
      value = whole(digits, kind == Token::Uint, is_negative);
    }
    if (!value) {
      report(token_.begin, token_.end,
             fmt::format("invalid {} literal", kind == Token::Int    ? "int"
                                               : kind == Token::Uint ? "uint"
                                                                     : "double"));
      return nullptr;
    }
    Expr* expr = literal(*value);
    expr->begin = expr->at = begin;
    return expr;
  }

  static std::optional<Value> whole(std::string_view digits, bool is_natural, bool is_negative) {
    const bool is_hex = digits.starts_with("0x");
    if (is_hex) digits.remove_prefix(2);
    uint64_t read = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), read, is_hex ? 16 : 10);
    if (error != std::errc()) return std::nullopt;
    if (is_natural) return Value::natural_of(read);
    const uint64_t most = uint64_t{1} << 63U;
    if (read > most || (read == most && !is_negative)) return std::nullopt;
    return Value::integer_of(static_cast<int64_t>(is_negative ? ~read + 1 : read));
  }

  base::Arena& arena_;
  std::vector<Issue>& issues_;
  Lexer lexer_;
  Lexeme token_;
  uint32_t last_end_ = 0;
  int nesting_ = 0;
};

}  // namespace

void set_args(Expr& expr, std::span<Expr* const> args, base::Arena& arena) {
  auto* to = arena.reserve<Expr*>(args.size());
  std::ranges::copy(args, to);
  expr.args = {to, args.size()};
  for (const Expr* arg : args) {
    if (arg) expr.depth = std::max<uint16_t>(expr.depth, arg->depth + 1);
  }
}

Expr* parse(std::string_view text, base::Arena& arena, std::vector<Issue>& issues) {
  text = arena.copy(text);
  if (count_runes(text) > kMostRunes) {
    issues.push_back({0, 0,
                      fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                  count_runes(text), kMostRunes)});
    return nullptr;
  }
  std::vector<Issue> found;
  Expr* expr = Parser(text, arena, found).parse_all();
  base::append(issues, found);
  return expr;
}

}  // namespace trainjobc::cel
