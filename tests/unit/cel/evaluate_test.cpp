// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cel/cel.h"
#include "cel/library/library.h"
#include "support/reading.h"

namespace trainjobc::cel::evaluate_test {
namespace {

const test::Reading& job() {
  static const test::Reading reading(
      "metadata:\n  name: bert\n  labels: {team: a}\nspec:\n  replicas: 4\n  ratio: 0.5\n  images: [a:1, "
      "b:latest]\n"
      "  queue: null\n");
  return reading;
}

std::string shown(const Value& value) {
  if (value.kind == Kind::Error) return fmt::format("error: {}", value.text());
  if (value.kind == Kind::Unknown) return fmt::format("unknown: {}", fmt::join(value.unknown_names(), ", "));
  if (value.kind == Kind::Null) return "null";
  if (value.kind == Kind::Optional) return value.size > 0 ? "optional " + shown(*value.items) : "none";
  std::string out;
  for (size_t i = 0; i < value.size && (value.kind == Kind::List || value.kind == Kind::Map); ++i) {
    if (i > 0) out += ", ";
    out += value.kind == Kind::List
               ? shown(item_of(value, i))
               : fmt::format("{}: {}", shown(key_of(value, i)), shown(entry_of(value, i)));
  }
  if (value.kind == Kind::List) return "[" + out + "]";
  if (value.kind == Kind::Map) return "{" + out + "}";
  return text_of(value).value_or(std::string(type_name(value.kind)));
}

// `object` is the job, `user` is unknown.
struct Run {
  explicit Run(std::string_view text) {
    const std::vector<Variable> variables{{"object", &types::kDyn}, {"user", &types::kDyn}};
    program = Program::compile(text, variables, issues);
  }

  std::string result() {
    if (!program) return fmt::format("{}-{}: {}", issues[0].begin, issues[0].end, issues[0].message);
    return shown(program->evaluate(values(), context));
  }
  std::vector<Value> values() { return {value_of(job().root()), context.unknown("user")}; }

  base::Arena arena;
  Context context{arena};
  std::vector<Issue> issues;
  std::unique_ptr<Program> program;
};

std::string run(std::string_view text) {
  return Run(text).result();
}

// The text of the part that fails, and the lines of what it read.
std::string culprit(std::string_view text) {
  Run failed(text);
  const Failure failure = failed.program->explain(failed.values(), failed.context);
  std::string out(text.substr(failure.expr->begin, failure.expr->end - failure.expr->begin));
  for (const Read& read : failure.reads)
    out += fmt::format(" {}{}", read.node->origin().line(), read.is_missing ? " missing" : "");
  return out;
}

}  // namespace

TEST_CASE("CEL: operators") {
  CHECK(run("1 + 2 * 3 - 4 / 2 == 5 && 7 % 4 == 3") == "true");
  CHECK(run("-9223372036854775808 - 1") == "error: integer overflow");
  CHECK(run("1 / 0") == "error: division by zero");
  CHECK(run("1 < 1.5 && 2u > 1 && 'a' < 'b'") == "true");
  CHECK(run("dyn(1) == 1.0 && [1, 2] == [1, 2] && {'a': 1} == {'a': 1}") == "true");
  CHECK(run("'a' + 'b'") == "ab");
  CHECK(run("[1] + [2, 3]") == "[1, 2, 3]");
  CHECK(run("2 in [1, 2] && 'a' in {'a': 1}") == "true");
  CHECK(run("!true ? 'x' : 'y'") == "y");
  CHECK(run("r'a\\b' + '\\u00e9\\x41'") ==
        "a\\b\xC3\xA9"
        "A");
}

TEST_CASE("CEL: && and || need no order") {
  CHECK(run("1 / 0 > 0 || true") == "true");
  CHECK(run("false && 1 / 0 > 0") == "false");
  CHECK(run("1 / 0 > 0 && true") == "error: division by zero");
  CHECK(run("user.groups == [] && false") == "false");
  CHECK(run("user.groups == [] || 1 / 0 > 0") == "unknown: user");
  CHECK(run("user ? 1 : 2") == "unknown: user");
}

TEST_CASE("CEL: fields of an object") {
  CHECK(run("object.spec.replicas") == "4");
  CHECK(run("object.spec.ratio * 2.0") == "1");
  CHECK(run("object.metadata.labels['team']") == "a");
  CHECK(run("has(object.spec.queue) && object.spec.queue == null") == "true");
  CHECK(run("has(object.spec.gpus)") == "false");
  CHECK(run("object.spec.gpus") == "error: no such key: gpus");
  CHECK(run("object.spec.images[2]") == "error: index out of bounds: 2");
  CHECK(run("object.?spec.?gpus.orValue(1)") == "1");
  CHECK(run("object.metadata.?labels[?'team']") == "optional a");
}

TEST_CASE("CEL: macros") {
  CHECK(run("object.spec.images.all(i, !i.endsWith(':latest'))") == "false");
  CHECK(run("object.spec.images.exists_one(i, i.startsWith('a'))") == "true");
  CHECK(run("[1, 2, 3].filter(x, x > 1).map(x, x * x)") == "[4, 9]");
  CHECK(run("[1, 2, 3].map(x, x > 1, -x)") == "[-2, -3]");
  CHECK(run("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, k + string(v))") == "{b: b2}");
  CHECK(run("['x', 'y'].transformMapEntry(i, v, {v: i})") == "{x: 0, y: 1}");
  CHECK(run("[3, 1, 2].sortBy(x, -x)") == "[3, 2, 1]");
  CHECK(run("optional.of(2).optMap(x, x + 1)") == "optional 3");
  CHECK(run("[0, 1].exists(x, 1 / x == 1)") == "true");
  CHECK(run("[0, 1].all(x, 1 / x == 1)") == "error: division by zero");
}

TEST_CASE("CEL: the libraries") {
  CHECK(run("'a-b-c'.split('-', 2)") == "[a, b-c]");
  CHECK(run("'abc'.matches('^a.c$') && 'ab12'.find('[0-9]+') == '12'") == "true");
  CHECK(run("'%s has %d, %.1f'.format(['x', 3, 1234.56])") == "x has 3, 1,234.6");
  CHECK(run("quantity('1Gi').isGreaterThan(quantity('1G'))") == "true");
  CHECK(run("quantity('1000m').isInteger()") == "false");
  CHECK(run("quantity('1000m').sub(quantity('1000m')).sub(0).isInteger()") == "false");
  CHECK(run("quantity('1.5').add(9223372036854775807).asApproximateFloat()") == "9.223372036854776e+18");
  CHECK(run("'%e'.format([-0.0])") == "0.000000×10⁰⁰");
  CHECK(run("object.none in []") == "false");
  // The API server makes the sum a pointer, which nothing equals.
  CHECK(run("quantity('1').add(quantity('1')) == quantity('2')") == "true");
  CHECK(run("quantity('2') == quantity('1').add(quantity('1'))") == "error: no such overload");
  CHECK(run("quantity('2') != quantity('1').add(quantity('1'))") == "true");
  CHECK(run("dyn([[1, 2]]).sort()") == "error: list elements must be comparable");
  CHECK(run("ip('::1').isLoopback() && cidr('10.0.0.0/8').containsIP('10.2.3.4')") == "true");
  CHECK(run("string(ip('2001:db8:0:0:1:0:0:1'))") == "2001:db8::1:0:0:1");
  CHECK(run("url('https://u@h.com:80/a%20b?x=1&x=2').getQuery()") == "{x: [1, 2]}");
  CHECK(run("semver('1.2.3-rc.1').isLessThan(semver('v1.3', true))") == "true");
  CHECK(run("format.dns1123Label().validate('A').hasValue()") == "true");
  CHECK(run("sets.contains(object.spec.images, ['a:1'])") == "true");
  CHECK(run("[3, 1, 2].max() + [3, 1, 2].sum()") == "9");
  CHECK(run("timestamp('2024-02-29T12:00:00Z') + duration('36h')") == "2024-03-02T00:00:00Z");
  CHECK(run("timestamp('2024-02-29T12:00:00Z').getDayOfWeek()") == "4");
}

TEST_CASE("CEL: what the API server refuses") {
  CHECK(run("object.spec.") == "12-12: Syntax error: unexpected the end of the expression");
  CHECK(run("objekt.spec") == "0-6: undeclared reference to 'objekt' (in container '')");
  CHECK(run("1 + 'a'") == "0-7: found no matching overload for '_+_' applied to '(int, string)'");
  CHECK(run("'a'.size(1)") == "0-11: found no matching overload for 'size' applied to 'string.(int)'");
  CHECK(run("[1, 'a']") == "4-7: expected type 'int' but found 'string'");
  CHECK(run("'a'.matches('(')") == "12-15: invalid matches argument");
  CHECK(run("duration('1 day')") == "9-16: invalid duration argument");
  CHECK(run("1.all(x, true)") ==
        "0-1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)");
  CHECK(run("has(object)") == "4-10: invalid argument to has() macro");
  CHECK(run("'\\q'") == "0-4: unable to unescape string");
  CHECK(run(std::string(300, '(') + "1" + std::string(300, ')')) ==
        "250-251: expression recursion limit exceeded: 250");
}

TEST_CASE("CEL: the arguments of format are counted") {
  CHECK(run("'%d of %d'.format([1])") == "0-22: index 1 out of range");
  CHECK(run("'%d'.format([1, 2])") ==
        "0-19: too many arguments supplied to string.format (expected 1, got 2)");
}

TEST_CASE("CEL: the fields of a declared type") {
  base::Arena arena;
  Types types(arena);
  const std::vector<TypeField> fields{{"replicas", &types::kInt}};
  const std::vector<Variable> variables{{"self", types.object("Spec", fields)}};
  std::vector<Issue> issues;
  CHECK(Program::compile("self.replicas > 1", variables, issues));
  CHECK_FALSE(Program::compile("self.replica > 1", variables, issues));
  CHECK(issues[0].message == "undefined field 'replica'");
}

TEST_CASE("CEL: a budget ends what would not end") {
  const std::string spent = "error: operation cancelled: actual cost limit exceeded";
  CHECK(run("lists.range(100000000).size()") == spent);
  CHECK(run("lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))") == spent);
  std::string doubled = "'aaaaaaaaaaaaaaaa'";
  for (int i = 0; i < 40; ++i) doubled = "[" + doubled + "].map(x, x + x)[0]";
  CHECK(run(doubled) == spent);
}

TEST_CASE("CEL: why an expression is false") {
  CHECK(culprit("object.spec.replicas > 1 && object.spec.replicas <= 2") == "object.spec.replicas <= 2 5 5");
  CHECK(culprit("has(object.spec.gpus) || object.metadata.name == 'x'") ==
        "has(object.spec.gpus) || object.metadata.name == 'x' 5 5 missing 2 2");
  CHECK(culprit("object.spec.images.all(i, !i.endsWith(':latest'))") == "i.endsWith(':latest') 7");
  CHECK(culprit("!(object.spec.replicas == 4)") == "object.spec.replicas == 4 5 5");
}

}  // namespace trainjobc::cel::evaluate_test
