// SPDX-License-Identifier: Apache-2.0

// The functions of lists, sets and optional values.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

bool has_order(const Value& item) {
  return item.kind >= Kind::Bool && item.kind <= Kind::Duration;
}

std::vector<Value> items_of(const Value& list) {
  std::vector<Value> items;
  items.reserve(list.size);
  for (size_t i = 0; i < list.size; ++i) items.push_back(item_of(list, i));
  return items;
}

bool has_item(const Value& list, const Value& item, Context& context) {
  for (size_t i = 0; i < list.size; ++i) {
    if (is_equal(item_of(list, i), item, context)) return true;
  }
  return false;
}

bool has_all(const Value& list, const Value& part, Context& context) {
  for (size_t i = 0; i < part.size; ++i) {
    if (!has_item(list, item_of(part, i), context)) return false;
  }
  return true;
}

// The item that comes last, or with `direction` -1 first, in the order.
Value extreme(const Call& call, int direction) {
  Value found;
  for (size_t i = 0; i < call[0].size; ++i) {
    const Value item = item_of(call[0], i);
    if (!has_order(item)) return call.context.no_such_overload();
    if (i == 0 || compare(item, found) == direction) found = item;
  }
  if (call[0].size == 0) return call.context.fail(fmt::format("{} called on empty list", call.expr.name));
  return found;
}

void flatten_into(const Value& list, int64_t depth, std::vector<Value>& out) {
  for (size_t i = 0; i < list.size; ++i) {
    const Value item = item_of(list, i);
    if (item.kind == Kind::List && depth > 0) {
      flatten_into(item, depth - 1, out);
    } else {
      out.push_back(item);
    }
  }
}

bool is_zero(const Value& value) {
  switch (value.kind) {
    case Kind::Null: return true;
    case Kind::Bool: return !value.boolean;
    case Kind::Double: return value.real == 0;
    case Kind::Int:
    case Kind::Uint:
    case Kind::Duration: return value.integer == 0;
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map:
    case Kind::Optional: return value.size == 0;
    default: return false;
  }
}

}  // namespace

Value is_sorted(const Call& call) {
  for (size_t i = 0; i < call[0].size; ++i) {
    const Value item = item_of(call[0], i);
    if (!has_order(item)) return call.context.no_such_overload();
    if (i > 0 && compare(item_of(call[0], i - 1), item) == 1) return Value::boolean_of(false);
  }
  return Value::boolean_of(true);
}

Value sum(const Call& call) {
  const Type& type = *call.expr.overloads.front()->result;
  Value total{.kind = call[0].size > 0 ? item_of(call[0], 0).kind : Kind::Int};
  if (call[0].size == 0) {
    total.kind = type.kind == TypeKind::Uint       ? Kind::Uint
                 : type.kind == TypeKind::Double   ? Kind::Double
                 : type.kind == TypeKind::Duration ? Kind::Duration
                                                   : Kind::Int;
  }
  for (size_t i = 0; i < call[0].size && !total.is_failure(); ++i)
    total = add(total, item_of(call[0], i), call.context);
  return total;
}

Value least(const Call& call) {
  return extreme(call, -1);
}

Value greatest(const Call& call) {
  return extreme(call, 1);
}

Value list_index(const Call& call) {
  for (size_t i = 0; i < call[0].size; ++i) {
    if (is_equal(item_of(call[0], i), call[1], call.context))
      return Value::integer_of(static_cast<int64_t>(i));
  }
  return Value::integer_of(-1);
}

Value list_last_index(const Call& call) {
  for (size_t i = call[0].size; i-- > 0;) {
    if (is_equal(item_of(call[0], i), call[1], call.context))
      return Value::integer_of(static_cast<int64_t>(i));
  }
  return Value::integer_of(-1);
}

Value slice(const Call& call) {
  const int64_t begin = call[1].integer;
  const int64_t end = call[2].integer;
  const std::string_view problem = begin < 0 || end < 0 ? "negative indexes not supported"
                                   : begin > end ? "start index must be less than or equal to end index"
                                   : end > call[0].size ? "the list is shorter"
                                                        : "";
  if (!problem.empty())
    return call.context.fail(fmt::format("cannot slice({}, {}), {}", begin, end, problem));
  const std::vector<Value> items = items_of(call[0]);
  return call.context.list({items.begin() + begin, items.begin() + end});
}

Value flatten(const Call& call) {
  const int64_t depth = call.args.size() == 2 ? call[1].integer : 1;
  if (depth < 0) return call.context.fail("level must be non-negative");
  std::vector<Value> items;
  flatten_into(call[0], depth, items);
  return call.context.list(items);
}

Value sort(const Call& call) {
  const Value& keys = call.args.back();
  if (keys.size != call[0].size) return call.context.fail("as many keys as elements are needed");
  if (keys.size == 0) return call[0];
  const std::vector<Value> by = items_of(keys);
  if (!has_order(by.front())) return call.context.fail("list elements must be comparable");
  const auto is_other = [&](const Value& key) { return key.kind != by.front().kind; };
  if (std::ranges::any_of(by, is_other)) return call.context.fail("list elements must have the same type");
  std::vector<size_t> order(by.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return compare(by[a], by[b]) == -1; });
  std::vector<Value> items;
  items.reserve(order.size());
  for (const size_t index : order) items.push_back(item_of(call[0], index));
  return call.context.list(items);
}

Value range(const Call& call) {
  const int64_t count = std::max<int64_t>(call[0].integer, 0);
  if (!call.context.spend(static_cast<uint64_t>(count))) return call.context.fail("");
  std::vector<Value> items;
  for (int64_t i = 0; i < count; ++i) items.push_back(Value::integer_of(i));
  return call.context.list(items);
}

Value reverse(const Call& call) {
  std::vector<Value> items = items_of(call[0]);
  std::ranges::reverse(items);
  return call.context.list(items);
}

Value distinct(const Call& call) {
  std::vector<Value> items;
  for (size_t i = 0; i < call[0].size; ++i) {
    const Value item = item_of(call[0], i);
    if (!has_item(Value::list_of(items), item, call.context)) items.push_back(item);
    if (!call.context.spend(items.size() / 16)) return call.context.fail("");
  }
  return call.context.list(items);
}

Value first(const Call& call) {
  return call[0].size == 0 ? Value::optional_of(nullptr) : call.context.optional(item_of(call[0], 0));
}

Value last(const Call& call) {
  return call[0].size == 0 ? Value::optional_of(nullptr)
                           : call.context.optional(item_of(call[0], call[0].size - 1));
}

Value set_contains(const Call& call) {
  return Value::boolean_of(has_all(call[0], call[1], call.context));
}

Value set_equivalent(const Call& call) {
  return Value::boolean_of(has_all(call[0], call[1], call.context) &&
                           has_all(call[1], call[0], call.context));
}

Value set_intersects(const Call& call) {
  for (size_t i = 0; i < call[0].size; ++i) {
    if (has_item(call[1], item_of(call[0], i), call.context)) return Value::boolean_of(true);
  }
  return Value::boolean_of(false);
}

Value optional_of(const Call& call) {
  return call.context.optional(call[0]);
}

Value optional_of_non_zero(const Call& call) {
  return is_zero(call[0]) ? Value::optional_of(nullptr) : call.context.optional(call[0]);
}

Value optional_none(const Call& /*call*/) {
  return Value::optional_of(nullptr);
}

Value optional_value(const Call& call) {
  return call[0].size == 0 ? call.context.fail("optional.none() dereference") : *call[0].items;
}

Value optional_has_value(const Call& call) {
  return Value::boolean_of(call[0].size > 0);
}

Value optional_unwrap(const Call& call) {
  std::vector<Value> items;
  for (const Value& item : items_of(call[0])) {
    if (item.kind != Kind::Optional) return call.context.fail("value is not optional");
    if (item.size > 0) items.push_back(*item.items);
  }
  return call.context.list(items);
}

}  // namespace trainjobc::cel
