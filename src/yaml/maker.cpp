// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <charconv>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::yaml {

const Node* Maker::null(Origin origin) const {
  return plain(Kind::Null, "null", origin);
}

const Node* Maker::boolean(bool value, Origin origin) const {
  return plain(Kind::Bool, value ? "true" : "false", origin);
}

const Node* Maker::integer(int64_t value, Origin origin) const {
  std::array<char, 24> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  static_cast<void>(error);
  return plain(Kind::Int, arena_->copy(std::string_view(buffer.data(), end)), origin);
}

const Node* Maker::plain(Kind kind, std::string_view text, Origin origin) const {
  Node node;
  node.kind_ = kind;
  node.size_ = static_cast<uint32_t>(text.size());
  node.data_ = text.data();
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::string(std::string_view text, Origin origin) const {
  return plain(Kind::String, text, origin);
}

const Node* Maker::copied(std::string_view text, Origin origin) const {
  return string(arena_->copy(text), origin);
}

const Node* Maker::list(std::span<const Node* const> items, Origin origin) const {
  Node node;
  node.kind_ = Kind::List;
  node.size_ = static_cast<uint32_t>(items.size());
  node.data_ = arena_->copy(items).data();
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::map(std::span<const Entry> entries, Origin origin) const {
  Node node;
  node.kind_ = Kind::Map;
  node.size_ = static_cast<uint32_t>(entries.size());
  node.data_ = arena_->copy(entries).data();
  node.origin_ = origin;
  return arena_->make(node);
}

const Node* Maker::with_origin(const Node& node, Origin origin) const {
  Node moved = node;
  moved.origin_ = origin;
  return arena_->make(moved);
}

Origin Maker::made(std::string_view rule, std::initializer_list<const Node*> inputs) const {
  std::vector<const Node*> given;
  bool is_secret = false;
  for (const Node* input : inputs) {
    if (input) given.push_back(input);
    is_secret = is_secret || (input && input->origin().is_secret());
  }
  const Origin origin(arena_->make(Derivation{rule, arena_->copy(given)}));
  return is_secret ? origin.as_secret() : origin;
}

const Node* Maker::with(const Node* map, std::string_view key, const Node* value) const {
  std::vector<Entry> entries;
  bool found = false;
  if (map) {
    entries.reserve(map->size() + 1);
    for (const Entry& entry : map->entries()) {
      if (entry.key != key) {
        entries.push_back(entry);
        continue;
      }
      found = true;
      if (value) entries.push_back({entry.key, value, entry.key_origin});
    }
  }
  if (!found && value) entries.push_back({key, value, {}});
  return this->map(entries, map ? map->origin() : Origin{});
}

const Node* Maker::with_path(const Node* map, std::span<const std::string_view> path,
                             const Node* value) const {
  if (path.size() == 1) return with(map, path.front(), value);
  const Node* child = map ? map->get(path.front()) : nullptr;
  if (!child && !value) return map;
  if (child && !child->is_map()) child = nullptr;
  return with(map, path.front(), with_path(child, path.subspan(1), value));
}

const Node* Maker::with_path(const Node* map, std::initializer_list<std::string_view> path,
                             const Node* value) const {
  return with_path(map, std::span<const std::string_view>(path.begin(), path.size()), value);
}

}  // namespace trainjobc::yaml
