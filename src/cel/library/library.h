// SPDX-License-Identifier: Apache-2.0

// The functions of CEL and of Kubernetes' libraries. Their declarations are in declarations.cpp: arguments
// have the types that are declared there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/syntax.h"
#include "cel/types.h"
#include "cel/value.h"

namespace trainjobc::cel {

struct Call {
  Context& context;
  std::span<const Value> args;
  const Expr& expr;

  const Value& operator[](size_t index) const { return args[index]; }
  std::string_view text(size_t index) const { return args[index].text(); }
};

// Arithmetic, with an error for what does not fit.
Value add(const Value& a, const Value& b, Context& context);
Value subtract(const Value& a, const Value& b, Context& context);
Value multiply(const Value& a, const Value& b, Context& context);
Value divide(const Value& a, const Value& b, Context& context);
Value modulo(const Value& a, const Value& b, Context& context);
Value negate(const Value& a, Context& context);

// standard.cpp
Value size(const Call& call);
Value type(const Call& call);
Value same(const Call& call);
Value to_bool(const Call& call);
Value to_bytes(const Call& call);
Value to_double(const Call& call);
Value to_int(const Call& call);
Value to_uint(const Call& call);
Value to_string(const Call& call);
// The value as string() writes it; nullopt if it can't.
std::optional<std::string> text_of(const Value& value);
// As Go's %g.
std::string real_text(double value);

// time.cpp
Value to_duration(const Call& call);
Value to_timestamp(const Call& call);
Value duration_part(const Call& call);
Value timestamp_part(const Call& call);
std::optional<Value> read_timestamp(std::string_view text);
std::optional<int64_t> read_duration(std::string_view text);
std::string timestamp_text(const Value& timestamp);
std::string duration_text(int64_t nanoseconds);
Value add_time(const Value& a, const Value& b, Context& context);
Value subtract_time(const Value& a, const Value& b, Context& context);

// strings.cpp
Value contains(const Call& call);
Value starts_with(const Call& call);
Value ends_with(const Call& call);
Value char_at(const Call& call);
Value text_index(const Call& call);
Value text_last_index(const Call& call);
Value lower_ascii(const Call& call);
Value upper_ascii(const Call& call);
Value replace(const Call& call);
Value split(const Call& call);
Value substring(const Call& call);
Value trim(const Call& call);
Value join(const Call& call);
Value quote(const Call& call);
// A text in double quotes, as Go's %q.
std::string quoted(std::string_view text);

// text_format.cpp
Value format(const Call& call);
// What is wrong with a format and the types of its arguments; "" if nothing is.
std::string format_problem(std::string_view format, std::span<Expr* const> args, const Expr*& culprit);

// lists.cpp
Value is_sorted(const Call& call);
Value sum(const Call& call);
Value least(const Call& call);
Value greatest(const Call& call);
Value list_index(const Call& call);
Value list_last_index(const Call& call);
Value slice(const Call& call);
Value flatten(const Call& call);
Value sort(const Call& call);
Value range(const Call& call);
Value reverse(const Call& call);
Value distinct(const Call& call);
Value first(const Call& call);
Value last(const Call& call);
Value set_contains(const Call& call);
Value set_equivalent(const Call& call);
Value set_intersects(const Call& call);
Value optional_of(const Call& call);
Value optional_of_non_zero(const Call& call);
Value optional_none(const Call& call);
Value optional_value(const Call& call);
Value optional_has_value(const Call& call);
Value optional_unwrap(const Call& call);

// regex.cpp
Value matches(const Call& call);
Value find(const Call& call);
Value find_all(const Call& call);

// amounts.cpp
Value to_quantity(const Call& call);
Value is_quantity(const Call& call);
Value quantity_sign(const Call& call);
Value quantity_float(const Call& call);
Value quantity_integer(const Call& call);
Value quantity_is_integer(const Call& call);
Value quantity_add(const Call& call);
Value quantity_subtract(const Call& call);
Value compare_to(const Call& call);
Value is_greater(const Call& call);
Value is_less(const Call& call);
Value to_semver(const Call& call);
Value is_semver(const Call& call);
Value semver_part(const Call& call);
const Amount& amount_of(const Value& value);
int compare_semvers(const Value& a, const Value& b);

// url.cpp
Value to_url(const Call& call);
Value is_url(const Call& call);
Value url_part(const Call& call);
Value url_query(const Call& call);

// network.cpp
Value to_ip(const Call& call);
Value is_ip(const Call& call);
Value is_canonical_ip(const Call& call);
Value ip_family(const Call& call);
Value ip_property(const Call& call);
Value to_cidr(const Call& call);
Value is_cidr(const Call& call);
Value cidr_contains_ip(const Call& call);
Value cidr_contains_cidr(const Call& call);
Value cidr_ip(const Call& call);
Value cidr_length(const Call& call);
Value cidr_masked(const Call& call);
Value address_to_string(const Call& call);
// Of an Ip or Cidr: its size in bytes, or how many the prefix takes.
uint64_t address_size(const Value& value);

// formats.cpp
Value named_format(const Call& call);
Value constant_format(const Call& call);
Value validate_format(const Call& call);
// How long the pattern of a format is, for what a check costs.
uint64_t format_size(const Value& format);

bool equal_addresses(const Value& a, const Value& b);
bool equal_urls(const Value& a, const Value& b);
// Of two Urls, Ips, Cidrs, Semvers or Formats.
bool equal_objects(const Value& a, const Value& b);

}  // namespace trainjobc::cel
