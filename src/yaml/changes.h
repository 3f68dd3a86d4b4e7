// SPDX-License-Identifier: Apache-2.0

// Maps and lists whose values may change: copied at the first change, and the same node without one.
#pragma once

#include <algorithm>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::yaml {

// Replaces the entry with that key, or adds it at the end.
inline void put(std::vector<Entry>& entries, const Entry& entry) {
  const auto same = std::ranges::find(entries, entry.key, &Entry::key);
  if (same != entries.end()) {
    *same = entry;
  } else {
    entries.push_back(entry);
  }
}

class ChangedMap {
 public:
  // The map must outlive it.
  explicit ChangedMap(const Node& map) : map_(map), next_(map.entries().data()) {}

  // Takes the value of the map's next entry; nullptr leaves the entry out.
  void take(const Node* value) {
    if (changed_ || value != next_->value) take_changed(value);
    ++next_;
  }

  // Adds an entry at the end, in the place of one with the same key. Call it after take() for all entries of
  // the map.
  void set(const Entry& entry) {
    change();
    std::erase_if(entries_, [&](const Entry& other) { return other.key == entry.key; });
    entries_.push_back(entry);
  }

  const Node* node(const Maker& make) const { return changed_ ? make.map(entries_, map_.origin()) : &map_; }

 private:
  void take_changed(const Node* value) {
    change();
    if (value) entries_.push_back({next_->key, value, next_->key_origin});
  }

  void change() {
    if (changed_) return;
    changed_ = true;
    entries_.reserve(map_.size() + 2);
    entries_.assign(map_.entries().data(), next_);
  }

  const Node& map_;
  const Entry* next_;  // the entry to take next
  bool changed_ = false;
  std::vector<Entry> entries_;
};

class ChangedList {
 public:
  // The list must outlive it.
  explicit ChangedList(const Node& list) : list_(list) {}

  // Takes the list's next item.
  void take(const Node* item) {
    if (item != list_.items()[taken_] && items_.empty())
      items_.assign(list_.items().begin(), list_.items().end());
    if (!items_.empty()) items_[taken_] = item;
    ++taken_;
  }

  const Node* node(const Maker& make) const {
    return items_.empty() ? &list_ : make.list(items_, list_.origin());
  }

 private:
  const Node& list_;
  size_t taken_ = 0;
  std::vector<const Node*> items_;  // filled when the list changes
};

// The list with what `change` makes of each item.
template <class Change>
const Node* with_each(const Node& list, const Maker& make, const Change& change) {
  ChangedList changed(list);
  for (const Node* item : list.items()) changed.take(change(*item));
  return changed.node(make);
}

// The map or list with what `change` makes of each value and its key ("" in a list); for nullptr, an entry of
// a map is left out. A scalar is returned as it is.
template <class Change>
const Node* with_values(const Node& node, const Maker& make, const Change& change) {
  if (node.is_map()) {
    ChangedMap map(node);
    for (const Entry& entry : node.entries()) map.take(change(entry.key, *entry.value));
    return map.node(make);
  }
  if (!node.is_list()) return &node;
  return with_each(node, make, [&](const Node& item) { return change(std::string_view(), item); });
}

// The tree with what `origin_of` makes of the origins of its values and keys.
template <class OriginOf>
const Node* with_origins(const Node& node, const Maker& make, const OriginOf& origin_of) {
  const Origin origin = origin_of(node.origin());
  if (node.is_scalar()) return make.with_origin(node, origin);
  std::vector<Entry> entries;
  for (const Entry& entry : node.entries())
    entries.push_back({entry.key, with_origins(*entry.value, make, origin_of), origin_of(entry.key_origin)});
  std::vector<const Node*> items;
  for (const Node* item : node.items()) items.push_back(with_origins(*item, make, origin_of));
  return node.is_map() ? make.map(entries, origin) : make.list(items, origin);
}

}  // namespace trainjobc::yaml
