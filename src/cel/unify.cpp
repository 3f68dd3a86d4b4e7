// SPDX-License-Identifier: Apache-2.0

#include "cel/unify.h"

#include <algorithm>

namespace trainjobc::cel {
namespace {

bool is_any(const Type& type) {
  return type.kind == TypeKind::Dyn || type.kind == TypeKind::Error;
}

bool takes_null(const Type& type) {
  switch (type.kind) {
    case TypeKind::Null:
    case TypeKind::Timestamp:
    case TypeKind::Duration:
    case TypeKind::Opaque:
    case TypeKind::Object: return true;
    default: return false;
  }
}

bool is_as_general(const Type& a, const Type& b) {
  if (a.kind == TypeKind::Dyn || a.kind == TypeKind::Param) return true;
  if (b.kind == TypeKind::Dyn || b.kind == TypeKind::Param || a.kind != b.kind) return false;
  if (a.kind == TypeKind::Type) return true;
  if (a.name != b.name || a.schema != b.schema || a.params.size() != b.params.size()) return false;
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (!is_as_general(*a.params[i], *b.params[i])) return false;
  }
  return true;
}

}  // namespace

uint32_t Unifier::reserve(uint32_t count) {
  const auto base = static_cast<uint32_t>(bindings_.size());
  bindings_.resize(base + count);
  return base;
}

const Type* Unifier::fresh() {
  return types_.param(reserve(1));
}

const Type* Unifier::renumbered(const Type& type, uint32_t base) {
  if (type.kind == TypeKind::Param) return types_.param(base + type.param);
  if (type.params.empty()) return &type;
  std::vector<const Type*> params;
  for (const Type* param : type.params) params.push_back(renumbered(*param, base));
  return types_.with_params(type, params);
}

const Type* Unifier::binding(const Type& param) const {
  return param.kind == TypeKind::Param ? bindings_[param.param] : nullptr;
}

bool Unifier::is_free_of(const Type& param, const Type& within) const {
  if (is_same(param, within)) return false;
  if (const Type* bound = binding(within)) return is_free_of(param, *bound);
  return std::ranges::all_of(within.params, [&](const Type* inner) { return is_free_of(param, *inner); });
}

bool Unifier::bind(const Type& type, const Type& param, bool& has_binding) {
  has_binding = is_same(type, param);
  if (has_binding) return true;
  const Type* bound = binding(param);
  has_binding = bound != nullptr;
  if (!bound) {
    if (!is_free_of(param, type)) return false;
    bindings_[param.param] = &type;
    return true;
  }
  if (is_same(type, *bound)) return true;
  if (!fits(type, *bound)) return false;
  const Type* general = more_general(type, *bound);
  if (is_free_of(param, *general)) bindings_[param.param] = general;
  return true;
}

bool Unifier::fits(const Type& to, const Type& from) {
  bool has_binding = false;
  if (from.kind == TypeKind::Param) {
    if (bind(to, from, has_binding)) return true;
    if (has_binding) return false;
  }
  if (to.kind == TypeKind::Param) return bind(from, to, has_binding);
  if (is_any(to) || is_any(from)) return true;
  if (to.kind == TypeKind::Null) return takes_null(from);
  if (from.kind == TypeKind::Null) return takes_null(to);
  if (to.kind != from.kind) return false;
  if (to.kind == TypeKind::Type) return true;
  if (to.name != from.name || to.schema != from.schema || to.params.size() != from.params.size())
    return false;
  for (size_t i = 0; i < to.params.size(); ++i) {
    if (!fits(*to.params[i], *from.params[i])) return false;
  }
  return true;
}

bool Unifier::is_assignable(const Type& to, const Type& from) {
  const std::vector<const Type*> before = bindings_;
  if (fits(to, from)) return true;
  bindings_ = before;
  return false;
}

bool Unifier::are_assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  const std::vector<const Type*> before = bindings_;
  for (size_t i = 0; i < to.size(); ++i) {
    if (fits(*to[i], *from[i])) continue;
    bindings_ = before;
    return false;
  }
  return true;
}

const Type* Unifier::more_general(const Type& a, const Type& b) {
  return is_as_general(a, b) ? &a : &b;
}

const Type* Unifier::substitute(const Type& type, bool to_dyn) {
  if (const Type* bound = binding(type)) return substitute(*bound, to_dyn);
  if (type.kind == TypeKind::Param) return to_dyn ? &types::kDyn : &type;
  if (type.params.empty()) return &type;
  std::vector<const Type*> params;
  for (const Type* param : type.params) params.push_back(substitute(*param, to_dyn));
  return types_.with_params(type, params);
}

}  // namespace trainjobc::cel
