// SPDX-License-Identifier: Apache-2.0

// Path: the path of a field. Field: a value together with the path that the API server reports for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::k8s {

// The path of a field, as a link to its parent's path, which must outlive it.
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
  // "" for the root and for a list's item.
  std::string_view key() const { return key_; }
  size_t index() const { return index_; }

  // spec.trainer.env[0].name; "" for the root.
  std::string str() const;

 private:
  const Path* parent_ = nullptr;
  std::string_view key_;
  size_t index_ = 0;
  bool is_index_ = false;
};

// One step of a walk through a Job. The value may be absent (a null counts as absent); the step still has its
// path. A Field refers to the one it was reached from, which must outlive it.
class Field {
 public:
  // Begins a walk: `root` has the empty path.
  explicit Field(const yaml::Node* root) : node_(given(root)) {}
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  // path.name
  Field child(std::string_view name) const&;
  Field child(std::string_view name) const&& = delete;
  // path.name, for a value whose name in the API server differs from the one in the input.
  Field child(std::string_view name, const yaml::Node* node) const& {
    return {*this, Step::Child, name, 0, node, nullptr};
  }
  Field child(std::string_view name, const yaml::Node* node) const&& = delete;
  // path[index]
  Field item(size_t index) const&;
  Field item(size_t index) const&& = delete;
  // path[key]
  Field entry(std::string_view key) const&;
  Field entry(std::string_view key) const&& = delete;
  Field entry(const yaml::Entry& own) const& { return {*this, Step::Key, own.key, 0, own.value, &own}; }
  Field entry(const yaml::Entry& own) const&& = delete;

  explicit operator bool() const { return node_ != nullptr; }
  const yaml::Node* node() const { return node_; }
  // The size of a list or map; 0 if it is absent.
  size_t size() const { return node_ ? node_->size() : 0; }
  // A scalar's text; "" if it is absent.
  std::string_view text() const { return node_ ? node_->text() : std::string_view(); }
  std::optional<int64_t> integer() const { return node_ ? node_->as_int() : std::nullopt; }
  // Whether the value is given and true.
  bool is_true() const { return node_ && node_->as_bool() == true; }

  std::string path() const;
  // The last step of the path: "ports", "ports[0]", "limits[cpu]". For a value that repeats an input, that
  // input's name.
  std::string name() const;
  // The parent's name: "containers[0]" for containers[0].image.
  std::string owner() const { return parent_ ? parent_->name() : ""; }
  // The value's place; if it is absent, that of its parent.
  base::Location location() const;
  // The place of the value's key, if it has one.
  base::Location key_location() const;

 private:
  enum class Step : uint8_t { Root, Child, Index, Key };

  Field(const Field& parent, Step step, std::string_view key, size_t index, const yaml::Node* node,
        const yaml::Entry* entry)
      : parent_(&parent), node_(given(node)), entry_(entry), key_(key), index_(index), step_(step) {}

  static const yaml::Node* given(const yaml::Node* node) { return node && !node->is_null() ? node : nullptr; }
  void append_step(std::string& out) const;

  const Field* parent_ = nullptr;
  const yaml::Node* node_ = nullptr;
  const yaml::Entry* entry_ = nullptr;
  std::string_view key_;
  size_t index_ = 0;
  Step step_ = Step::Root;
};

// Calls `visit` with each element of a list.
template <class Visit>
void for_each_item(const Field& list, Visit visit) {
  const size_t count = list.node() && list.node()->is_list() ? list.size() : 0;
  for (size_t i = 0; i < count; ++i) {
    const Field item = list.item(i);
    visit(item);
  }
}

// Calls `visit` with the key and the value of each entry of a map.
template <class Visit>
void for_each_entry(const Field& map, Visit visit) {
  if (!map) return;
  for (const yaml::Entry& entry : map.node()->entries()) {
    const Field value = map.entry(entry);
    visit(entry.key, value);
  }
}

}  // namespace trainjobc::k8s
