// SPDX-License-Identifier: Apache-2.0

// What type parameters stand for, as far as an expression has been checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/types.h"

namespace trainjobc::cel {

class Unifier {
 public:
  explicit Unifier(Types& types) : types_(types) {}

  const Type* fresh();
  // The type with fresh parameters from number `base` on in the place of its own.
  const Type* renumbered(const Type& type, uint32_t base);
  // Room for so many parameters; the number of the first.
  uint32_t reserve(uint32_t count);

  // Whether a value of type `from` fits where `to` is expected; then, what the parameters stand for.
  bool is_assignable(const Type& to, const Type& from);
  bool are_assignable(std::span<const Type* const> to, std::span<const Type* const> from);
  // The more general one of two types that fit.
  static const Type* more_general(const Type& a, const Type& b);
  // The type with what its parameters stand for; `to_dyn`: those that stand for nothing are dyn.
  const Type* substitute(const Type& type, bool to_dyn = false);

 private:
  bool fits(const Type& to, const Type& from);
  bool bind(const Type& type, const Type& param, bool& has_binding);
  bool is_free_of(const Type& param, const Type& within) const;
  const Type* binding(const Type& param) const;

  Types& types_;
  std::vector<const Type*> bindings_;
};

}  // namespace trainjobc::cel
