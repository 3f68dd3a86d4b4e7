// SPDX-License-Identifier: Apache-2.0

// Value: what a CEL expression computes. Values are cheap to copy; what they point to lives in trees of nodes
// and in the arena of a Context. A list or map that was read from a tree is a view of its node.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "k8s/quantity.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::cel {

enum class Kind : uint8_t {
  Error,
  Unknown,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Timestamp,
  Duration,
  List,
  Map,
  Type,
  Optional,
  Quantity,
  Url,
  Ip,
  Cidr,
  Semver,
  Format,
};

struct Value {
  Kind kind = Kind::Null;
  int16_t offset = 0;  // of a Timestamp, the minutes of its zone east of UTC
  // Of a text in bytes, of a list or map in elements; the nanoseconds of a Timestamp; of an Optional, whether
  // it has a value; of Unknown, how many names there are.
  uint32_t size = 0;
  union {
    int64_t integer = 0;  // also the nanoseconds of a Duration, and the seconds of a Timestamp since 1970
    bool boolean;
    uint64_t natural;
    double real;
    const char* data;               // of String, Bytes, Error (its message) and Type (its name)
    const Value* items;             // of a List; of a Map, each key before its value; of an Optional
    const std::string_view* names;  // of Unknown: the variables that are not known
    const void* object;             // of the kinds of Kubernetes' libraries
  };
  // Where it was read from, if it was; the value of a List or Map without `items`.
  const yaml::Node* node = nullptr;
  const schema::Schema* schema = nullptr;  // of `node`; nullptr: it is read as plain JSON

  static Value boolean_of(bool value);
  static Value integer_of(int64_t value);
  static Value natural_of(uint64_t value);
  static Value real_of(double value);
  static Value text_of(std::string_view text, Kind kind = Kind::String);
  static Value list_of(std::span<const Value> items);
  // Each key before its value.
  static Value map_of(std::span<const Value> items);
  static Value optional_of(const Value* value);
  static Value object_of(Kind kind, const void* object);
  static Value timestamp_of(int64_t seconds, uint32_t nanoseconds);
  static Value duration_of(int64_t nanoseconds);

  bool is_failure() const { return kind <= Kind::Unknown; }
  bool is_true() const { return kind == Kind::Bool && boolean; }
  bool is_false() const { return kind == Kind::Bool && !boolean; }
  bool is_number() const { return kind >= Kind::Int && kind <= Kind::Double; }
  std::string_view text() const { return {data, size}; }
  std::span<const std::string_view> unknown_names() const { return {names, size}; }
};

// The object of a Quantity. Kubernetes keeps an amount as a small number with a power of ten if it can, and
// only what is kept so, with a power that is not negative, counts as an integer: 1000m does not.
struct Amount {
  k8s::Quantity quantity;
  int32_t exponent = 0;
  bool is_small = true;
  bool is_computed = false;  // by add or sub: the API server compares nothing with it by ==
};

// The memory of evaluations, and what they may cost.
class Context {
 public:
  // What an API server lets one expression of a policy cost.
  static constexpr uint64_t kCallBudget = 1'000'000;

  explicit Context(base::Arena& arena) : arena_(&arena) {}

  base::Arena& arena() { return *arena_; }

  Value fail(std::string_view message);
  // What can't be known: the name says what that would take.
  Value unknown(std::string_view name);
  Value no_such_overload() { return fail("no such overload"); }
  // Copies the text.
  Value text(std::string_view text, Kind kind = Kind::String);
  Value list(const std::vector<Value>& items);
  Value map(const std::vector<Value>& items);
  Value optional(const Value& value);
  Value quantity(Amount amount);
  template <class T>
  Value object(Kind kind, const T& object) {
    return Value::object_of(kind, arena_->make(object));
  }

  // False once the budget is spent; what is computed then is an error.
  bool spend(uint64_t cost) {
    cost_ += cost;
    return cost_ <= budget_;
  }
  void spend_all() { cost_ = budget_ + 1; }
  bool is_spent() const { return cost_ > budget_; }
  uint64_t cost() const { return cost_; }
  // What the next expression may cost; what was computed before stays.
  void allow(uint64_t budget) {
    cost_ = 0;
    budget_ = budget;
  }
  // For the next expression, which needs nothing that was computed before.
  void restart(uint64_t budget = kCallBudget) {
    cost_ = 0;
    budget_ = budget;
    allocated_ = 0;
    quantities_.clear();
  }

 private:
  // Whether so many more bytes may be made; a small expression can ask for any amount.
  bool allows(size_t bytes);

  base::Arena* arena_;
  uint64_t cost_ = 0;
  uint64_t budget_ = kCallBudget;
  uint64_t allocated_ = 0;
  std::deque<Amount> quantities_;
};

// The value of a node, as the API server reads what has this schema.
Value value_of(const yaml::Node& node, const schema::Schema* schema = nullptr);

// Of a List or Map.
Value item_of(const Value& list, size_t index);
Value key_of(const Value& map, size_t index);
Value entry_of(const Value& map, size_t index);
std::optional<Value> find_key(const Value& map, const Value& key);

// As Unknown, what either of the two does not know.
Value merge_unknown(const Value& a, const Value& b, Context& context);

// Bool, or an error where a value can't be compared with one of another kind.
Value equal(const Value& a, const Value& b, Context& context);
inline bool is_equal(const Value& a, const Value& b, Context& context) {
  return equal(a, b, context).is_true();
}
// -1, 0 or 1; nullopt if the two have no order.
std::optional<int> compare(const Value& a, const Value& b);

// What type() gives: "int", "google.protobuf.Timestamp".
std::string_view type_name(Kind kind);

// How many code points a text has.
size_t count_runes(std::string_view text);
// What size() gives; 1 for what has no size. Costs are computed from it.
uint64_t size_of(const Value& value);

}  // namespace trainjobc::cel
