// SPDX-License-Identifier: Apache-2.0

// The path of a field during a walk through a tree; its text is built only when needed.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::k8s {

// A link to the path of the parent, which must outlive it.
class Path {
 public:
  Path() = default;
  Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key) {}
  Path(const Path& parent, size_t index) : parent_(&parent), index_(index), is_index_(true) {}

  Path child(std::string_view key) const { return {*this, key}; }
  Path child(size_t index) const { return {*this, index}; }

  bool is_root() const { return parent_ == nullptr; }
  const Path* parent() const { return parent_; }
  bool is_index() const { return is_index_; }
  // "" for the root and for an index.
  std::string_view key() const { return key_; }

  // spec.trainer.env[0].name; "" for the root.
  std::string str() const;

 private:
  const Path* parent_ = nullptr;
  std::string_view key_;
  size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace trainjobc::k8s
