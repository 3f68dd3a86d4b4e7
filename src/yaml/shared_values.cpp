// SPDX-License-Identifier: Apache-2.0

#include "yaml/shared_values.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace trainjobc::yaml {
namespace {

void add_to_hash(size_t& hash, size_t part) {
  hash = hash * 31 + part;
}

}  // namespace

size_t SharedValues::Hash::operator()(const Node* node) const {
  size_t hash = std::hash<std::string_view>()(node->text());
  add_to_hash(hash, static_cast<size_t>(node->kind()));
  for (const Node* item : node->items()) add_to_hash(hash, std::hash<const Node*>()(item));
  for (const Entry& entry : node->entries()) {
    add_to_hash(hash, std::hash<const char*>()(entry.key.data()));
    add_to_hash(hash, std::hash<const Node*>()(entry.value));
  }
  return hash;
}

bool SharedValues::Equal::operator()(const Node* a, const Node* b) const {
  const auto is_same_entry = [](const Entry& one, const Entry& other) {
    return one.key == other.key && one.value == other.value;
  };
  return a->kind() == b->kind() && a->origin().is_secret() == b->origin().is_secret() &&
         a->text() == b->text() && std::ranges::equal(a->items(), b->items()) &&
         std::ranges::equal(a->entries(), b->entries(), is_same_entry);
}

std::string_view SharedValues::copy(std::string_view text) {
  const auto known = texts_.find(text);
  return known != texts_.end() ? *known : *texts_.insert(arena_.copy(text)).first;
}

const Node* SharedValues::copy(const Node* node) {
  const Node* copied = node ? shared(*node) : nullptr;
  candidates_.clear();
  return copied;
}

const Node* SharedValues::shared(const Node& node) {
  const Origin origin = node.origin().is_secret() ? Origin().as_secret() : Origin();
  std::vector<const Node*> items;
  std::vector<Entry> entries;
  for (const Node* item : node.items()) items.push_back(shared(*item));
  for (const Entry& entry : node.entries())
    entries.push_back({copy(entry.key), shared(*entry.value), Origin()});
  const auto made_in = [&](base::Arena& arena) {
    const Maker make(arena);
    if (node.is_list()) return make.list(items, origin);
    if (node.is_map()) return make.map(entries, origin);
    return make.plain(node.kind(), arena.copy(node.text()), origin);
  };
  const auto known = nodes_.find(made_in(candidates_));
  return known != nodes_.end() ? *known : *nodes_.insert(made_in(arena_)).first;
}

}  // namespace trainjobc::yaml
