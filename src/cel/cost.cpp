// SPDX-License-Identifier: Apache-2.0

// What an API server counts for an operation: one, or a share of the size of what it has to look at.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/text.h"
#include "cel/cel.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

constexpr double kTraversal = 0.1;  // of each character
constexpr double kPattern = 0.25;   // of each character of a regular expression
constexpr uint64_t kListCost = 10;

enum class Measure : uint8_t {
  List,       // the length of the list
  Text,       // the characters of the first argument
  TwoTexts,   // twice as many: what is read, and what is written
  Result,     // the characters of the result, twice
  Pattern,    // the text times its pattern
  Contained,  // the text times what is searched for
  Smaller,    // the smaller of two sizes
  Both,       // the characters of both
  Output,     // a list that is made
  Pairs,      // each element with each other one
  Sets,       // each of the one with each of the other
  BothSets,   // twice
};

struct FunctionCost {
  std::string_view name;
  Measure measure;
};

constexpr std::array kCosts = std::to_array<FunctionCost>({
    {"isSorted", Measure::List},
    {"sum", Measure::List},
    {"max", Measure::List},
    {"min", Measure::List},
    {"indexOf", Measure::List},
    {"lastIndexOf", Measure::List},
    {"url", Measure::Text},
    {"lowerAscii", Measure::Text},
    {"upperAscii", Measure::Text},
    {"substring", Measure::Text},
    {"trim", Measure::Text},
    {"cidr", Measure::Text},
    {"ip", Measure::Text},
    {"isIP", Measure::Text},
    {"isCIDR", Measure::Text},
    {"quantity", Measure::Text},
    {"isQuantity", Measure::Text},
    {"semver", Measure::Text},
    {"isSemver", Measure::Text},
    {"startsWith", Measure::Text},
    {"endsWith", Measure::Text},
    {"strings.quote", Measure::Text},
    {"format", Measure::Text},
    {"bytes", Measure::Text},
    {"replace", Measure::TwoTexts},
    {"split", Measure::TwoTexts},
    {"ip.isCanonical", Measure::TwoTexts},
    {"join", Measure::Result},
    {"matches", Measure::Pattern},
    {"find", Measure::Pattern},
    {"findAll", Measure::Pattern},
    {"validate", Measure::Pattern},
    {"contains", Measure::Contained},
    {"slice", Measure::Output},
    {"flatten", Measure::Output},
    {"lists.range", Measure::Output},
    {"reverse", Measure::Output},
    {"distinct", Measure::Pairs},
    {"sort", Measure::Pairs},
    {"@sortByAssociatedKeys", Measure::Pairs},
    {"sets.contains", Measure::Sets},
    {"sets.intersects", Measure::Sets},
    {"sets.equivalent", Measure::BothSets},
});

uint64_t share(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

uint64_t pairs_cost(const Value& list) {
  const bool are_texts =
      list.size > 0 && (item_of(list, 0).kind == Kind::String || item_of(list, 0).kind == Kind::Bytes);
  const auto size = static_cast<double>(list.size);
  return static_cast<uint64_t>(size * size * (are_texts ? 2 + kTraversal : 2)) + 1 + kListCost;
}

uint64_t measured(Measure measure, std::span<const Value> args, const Value& result) {
  const auto size = [&](size_t index) { return size_of(args[index]); };
  switch (measure) {
    case Measure::List: return size(0);
    case Measure::Text: return share(size(0), kTraversal);
    case Measure::TwoTexts: return share(size(0), 2 * kTraversal);
    case Measure::Result: return share(size_of(result), 2 * kTraversal);
    case Measure::Pattern: {
      const bool is_format = args[0].kind == Kind::Format;
      const uint64_t text = share((is_format ? size(1) : size(0)) + 1, kTraversal);
      return text * share(is_format ? format_size(args[0]) : size(1), kPattern);
    }
    case Measure::Contained: return share(size(0), kTraversal) * share(size(1), kTraversal);
    case Measure::Smaller: return share(std::min(size(0), size(1)), kTraversal);
    case Measure::Both: return share(size(0) + size(1), kTraversal);
    case Measure::Output: return size_of(result) + 1 + kListCost;
    case Measure::Pairs: return pairs_cost(args.back());
    default: return 1 + size(0) * size(1) * (measure == Measure::BothSets ? 2 : 1);
  }
}

bool has_text(const Value& value) {
  return value.kind == Kind::String || value.kind == Kind::Bytes;
}

}  // namespace

bool is_cost_of_result(const Expr& call) {
  const FunctionCost* found = base::find(kCosts, call.name, &FunctionCost::name);
  return found && (found->measure == Measure::Result || found->measure == Measure::Output);
}

uint64_t call_cost(const Expr& call, std::span<const Value> args, const Value& result) {
  switch (call.op) {
    case Op::Equal:
    case Op::NotEqual: return measured(Measure::Smaller, args, result);
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual: return has_text(args[0]) ? measured(Measure::Smaller, args, result) : 1;
    case Op::Add: return has_text(args[0]) ? measured(Measure::Both, args, result) : 1;
    case Op::In: return args[1].kind == Kind::List ? size_of(args[1]) : 1;
    case Op::Call: break;
    default: return 1;
  }
  const FunctionCost* found = base::find(kCosts, call.name, &FunctionCost::name);
  const bool is_address = call.name == "ip" && args[0].kind == Kind::Cidr;
  const bool is_plain_bytes = call.name == "bytes" && args[0].kind == Kind::Bytes;
  return found && !is_address && !is_plain_bytes ? measured(found->measure, args, result) : 1;
}

}  // namespace trainjobc::cel
