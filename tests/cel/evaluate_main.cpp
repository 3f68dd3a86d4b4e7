// SPDX-License-Identifier: Apache-2.0

// Evaluates expressions for the tests that compare with other implementations of CEL. Each line of the input
// is
// {"expr": TEXT, "variables": {NAME: {"type": TYPE, "expr": TEXT} or {"type": TYPE, "json": VALUE} or
// {"type": TYPE}}}, where a variable without a value is unknown; each line of the output is {"issues": [...]}
// or {"result": TEXT, "type": TYPE, "cost": NUMBER}, where the text names the kinds of all values.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cel/cel.h"
#include "cel/library/library.h"
#include "support/reading.h"

namespace {

using namespace trainjobc;
using cel::Kind;
using cel::Value;

std::string shown(const Value& value);

std::string shown_items(const Value& value) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < value.size; ++i) {
    parts.push_back(value.kind == Kind::List
                        ? shown(item_of(value, i))
                        : fmt::format("{}: {}", shown(key_of(value, i)), shown(entry_of(value, i))));
  }
  if (value.kind == Kind::Map) std::ranges::sort(parts);
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return value.kind == Kind::List ? "[" + out + "]" : "{" + out + "}";
}

std::string shown_number(const Value& value) {
  if (value.kind == Kind::Int) return fmt::format("int {}", value.integer);
  if (value.kind == Kind::Uint) return fmt::format("uint {}", value.natural);
  return fmt::format("double {}", cel::real_text(value.real));
}

std::string shown(const Value& value) {
  switch (value.kind) {
    case Kind::Error: return "error";
    case Kind::Unknown: {
      std::vector<std::string_view> names(value.unknown_names().begin(), value.unknown_names().end());
      std::ranges::sort(names);
      return fmt::format("unknown {}", fmt::join(names, " "));
    }
    case Kind::Null: return "null";
    case Kind::Bool: return value.boolean ? "true" : "false";
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double: return shown_number(value);
    case Kind::String: return nlohmann::json(base::to_valid_utf8(value.text())).dump();
    case Kind::Bytes: return "bytes " + base::base64_encode(value.text());
    case Kind::Timestamp: return fmt::format("timestamp {}", cel::timestamp_text(value));
    case Kind::Duration: return fmt::format("duration {}", value.integer);
    case Kind::List:
    case Kind::Map: return shown_items(value);
    case Kind::Type: return fmt::format("type {}", value.text());
    case Kind::Optional:
      return value.size > 0 ? fmt::format("optional {}", shown(*value.items)) : "optional none";
    case Kind::Quantity: return fmt::format("quantity {}", cel::amount_of(value).quantity.to_string());
    default: return std::string(cel::type_name(value.kind));
  }
}

// The variables of one line.
class Inputs {
 public:
  explicit Inputs(const nlohmann::json& line) {
    const auto variables = line.value("variables", nlohmann::json::object());
    for (const auto& [name, given] : variables.items()) {
      const auto& text = texts_.emplace_back(name);
      variables_.push_back({text, types_.parse(given.value("type", "dyn"))});
      values_.push_back(value_of(text, given));
    }
  }

  nlohmann::json evaluate(const std::string& expr) {
    std::vector<cel::Issue> issues;
    const auto program = cel::Program::compile(expr, variables_, issues);
    nlohmann::json out;
    for (const cel::Issue& issue : issues)
      out["issues"].push_back(fmt::format("{}: {}", issue.begin, issue.message));
    if (!program) return out;
    context_.restart();
    const Value value = program->evaluate(values_, context_);
    out["result"] = shown(value);
    if (value.kind == Kind::Error) out["error"] = std::string(value.text());
    out["type"] = to_string(program->type());
    out["cost"] = context_.cost();
    return out;
  }

 private:
  Value value_of(const std::string& name, const nlohmann::json& given) {
    if (given.contains("json")) return cel::value_of(readings_.emplace_back(given["json"].dump()).root());
    if (!given.contains("expr")) return context_.unknown(name);
    std::vector<cel::Issue> issues;
    programs_.push_back(cel::Program::compile(given["expr"].get<std::string>(), {}, issues));
    return programs_.back() ? programs_.back()->evaluate({}, context_)
                            : context_.fail(issues.front().message);
  }

  base::Arena arena_;
  cel::Context context_{arena_};
  cel::Types types_{arena_};
  std::deque<std::string> texts_;
  std::deque<test::Reading> readings_;
  std::deque<std::unique_ptr<cel::Program>> programs_;
  std::vector<cel::Variable> variables_;
  std::vector<Value> values_;
};

}  // namespace

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    const auto line = nlohmann::json::parse(text);
    std::cout << Inputs(line).evaluate(line.at("expr").get<std::string>()).dump() << '\n';
  }
}
