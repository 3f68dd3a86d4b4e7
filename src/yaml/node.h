// SPDX-License-Identifier: Apache-2.0

// Node: the one tree of input and output. An ordered map, a list or a scalar, with the place it came from.
//
// Nodes are immutable and live in a base::Arena; trees share subtrees freely (an alias, a runtime used by a
// thousand jobs). A changed tree is a new tree that shares what did not change.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/source.h"

namespace trainjobc::yaml {

class Node;

// How a computed value was derived: the rule ("torch/PET_NNODES", "default") and the input nodes it was
// computed from, the most relevant first; none of them is null. Only Maker::made creates one.
class Derivation {
 public:
  const std::string_view rule;
  const std::span<const Node* const> inputs;
  const std::string_view
      input_name;  // the input that it repeats: "numNodes"; if "", messages use the value's own name

 private:
  friend class Maker;
  Derivation(std::string_view by, std::span<const Node* const> from, std::string_view name)
      : rule(by), inputs(from), input_name(name) {}
};

// Where a node came from: a place in a file, or a derivation; nodes made in tests have neither.
class Origin {
 public:
  Origin() = default;
  // Line and column count from 1; the column counts bytes.
  Origin(const base::SourceFile* file, uint32_t line, uint32_t column, bool in_flow = false)
      : source_(file), line_(line), column_(column | (in_flow ? kInFlow : 0U)) {}
  explicit Origin(const Derivation* made) : source_(made) {}

  const base::SourceFile* file() const {
    return line_ != 0 ? static_cast<const base::SourceFile*>(source_) : nullptr;
  }
  const Derivation* derivation() const {
    return line_ == 0 ? static_cast<const Derivation*>(source_) : nullptr;
  }
  uint32_t line() const { return line_; }
  uint32_t column() const { return column_ & ~(kInFlow | kSecret); }
  // The offset in bytes in the text of file(), which must not be nullptr.
  size_t offset() const { return file()->line_start(line_) + column() - 1; }
  // Whether the place is inside brackets, where a comma ends a plain scalar.
  bool in_flow() const { return (column_ & kInFlow) != 0; }
  // Whether the value is a secret, which only manifests may show: see secret/secret.h.
  bool is_secret() const { return (column_ & kSecret) != 0; }
  Origin as_secret() const {
    Origin secret = *this;
    secret.column_ |= kSecret;
    return secret;
  }

 private:
  static constexpr uint32_t kInFlow = uint32_t{1} << 31U;
  static constexpr uint32_t kSecret = uint32_t{1} << 30U;
  const void* source_ = nullptr;
  uint32_t line_ = 0;
  uint32_t column_ = 0;
};

enum class Kind : uint8_t { Null, Bool, Int, Float, String, List, Map };

std::string_view to_string(Kind kind);

// One key of a map and its value. `key_origin` is where the key is.
struct Entry {
  std::string_view key;
  const Node* value = nullptr;
  Origin key_origin;
};

class Node {
 public:
  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::Null; }
  bool is_string() const { return kind_ == Kind::String; }
  bool is_int() const { return kind_ == Kind::Int; }
  bool is_bool() const { return kind_ == Kind::Bool; }
  bool is_number() const { return kind_ == Kind::Int || kind_ == Kind::Float; }
  bool is_list() const { return kind_ == Kind::List; }
  bool is_map() const { return kind_ == Kind::Map; }
  bool is_scalar() const { return !is_list() && !is_map(); }
  // Whether Go's `omitempty` drops the value: null, an empty string, list or map, zero or false.
  bool is_empty_value() const;

  const Origin& origin() const { return origin_; }

  // The text of a scalar: a string's own, a number in JSON's spelling, "true", "false", "null"; "" for lists
  // and maps.
  std::string_view text() const;
  // The value of an Int if it fits.
  std::optional<int64_t> as_int() const;
  std::optional<bool> as_bool() const;

  // Empty for scalars and maps.
  std::span<const Node* const> items() const;
  // Empty for scalars and lists. Keys are unique.
  std::span<const Entry> entries() const;
  size_t size() const { return size_; }

  // The value of `key`; nullptr if the node is not a map or has no such key.
  const Node* get(std::string_view key) const;
  const Entry* find(std::string_view key) const;
  // Follows keys; nullptr as soon as one is missing.
  const Node* at(std::initializer_list<std::string_view> path) const;

 private:
  friend class Maker;
  Kind kind_ = Kind::Null;
  uint32_t size_ = 0;
  const void* data_ = nullptr;
  Origin origin_;
};

// Whether the values are the same: map entries in any order, and an Int equals a Float of the same number.
// Origins don't count.
bool equal(const Node& a, const Node& b);

// Makes nodes in an arena. Text given to it must outlive the arena, or be copied with `copy`.
class Maker {
 public:
  explicit Maker(base::Arena& arena) : arena_(&arena) {}

  base::Arena& arena() const { return *arena_; }

  const Node* null(Origin origin = {}) const;
  const Node* boolean(bool value, Origin origin = {}) const;
  const Node* integer(int64_t value, Origin origin = {}) const;
  // `text` is a number in JSON's spelling.
  const Node* plain(Kind kind, std::string_view text, Origin origin = {}) const;
  // Does not copy the text.
  const Node* string(std::string_view text, Origin origin = {}) const;
  // Copies the text.
  const Node* copied(std::string_view text, Origin origin = {}) const;
  const Node* list(std::span<const Node* const> items, Origin origin = {}) const;
  const Node* list(std::initializer_list<const Node*> items, Origin origin = {}) const {
    return list(std::span<const Node* const>(items.begin(), items.size()), origin);
  }
  // Does not copy the keys. All entries must have a value.
  const Node* map(std::span<const Entry> entries, Origin origin = {}) const;
  // Leaves out entries without a value.
  const Node* map(std::initializer_list<Entry> entries, Origin origin = {}) const;
  // The node with another origin.
  const Node* with_origin(const Node& node, Origin origin) const;

  // `list` with these items; the same node if it has them already. A `list` of nullptr counts as empty.
  const Node* with_items(const Node* list, std::span<const Node* const> items) const;

  // The origin of a value that `rule` computed from `inputs`, of which null pointers are left out. A value
  // computed from a secret is a secret. `input_name`: see Derivation.
  Origin made(std::string_view rule, std::span<const Node* const> inputs,
              std::string_view input_name = {}) const;
  Origin made(std::string_view rule, std::initializer_list<const Node*> inputs = {}) const {
    return made(rule, std::span<const Node* const>(inputs.begin(), inputs.size()));
  }

  // `map` with `key` set to `value` (in place, or appended), or without it if `value` is nullptr. A `map` of
  // nullptr counts as empty.
  const Node* with(const Node* map, std::string_view key, const Node* value) const;
  // Like `with`, along a path of keys; creates missing maps on the way.
  const Node* with_path(const Node* map, std::span<const std::string_view> path, const Node* value) const;
  const Node* with_path(const Node* map, std::initializer_list<std::string_view> path,
                        const Node* value) const;

 private:
  // A map of entries that are already in the arena.
  const Node* map_of(std::span<const Entry> entries, Origin origin) const;

  base::Arena* arena_;
};

// The place to point at for a node: its own, or, for a computed one, that of the first input that is in a
// file.
base::Location locate(const Node& node);
// The place of an entry's key, or of its value if the key's is unknown.
base::Location locate_key(const Entry& entry);

// Fields by key or path, for callers that need the value and not the node.

// A scalar's text, "null" for a null; "" if the node is missing or not a scalar.
inline std::string_view text_of(const Node* node) {
  return node ? node->text() : std::string_view();
}
inline std::string_view text_at(const Node& map, std::string_view key) {
  return text_of(map.get(key));
}
inline std::string_view text_at(const Node& root, std::initializer_list<std::string_view> path) {
  return text_of(root.at(path));
}

// The text of the scalar at the path; "" for a null, too.
inline std::string_view value_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* node = root.at(path);
  return node && !node->is_null() ? node->text() : std::string_view();
}

// Whether the value at the path is the boolean true.
inline bool is_true_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* node = root.at(path);
  return node && node->as_bool() == true;
}
inline bool is_true_at(const Node& map, std::string_view key) {
  const Node* node = map.get(key);
  return node && node->as_bool() == true;
}

// The text of a string; "" for anything else.
inline std::string_view string_of(const Node* node) {
  return node && node->is_string() ? node->text() : std::string_view();
}
inline std::string_view string_at(const Node& map, std::string_view key) {
  return string_of(map.get(key));
}
inline std::string_view string_at(const Node& root, std::initializer_list<std::string_view> path) {
  return string_of(root.at(path));
}

// The items of a list; none for anything else.
inline std::span<const Node* const> items_of(const Node* node) {
  return node ? node->items() : std::span<const Node* const>();
}
inline std::vector<const Node*> copied_items(const Node* node) {
  const auto items = items_of(node);
  return {items.begin(), items.end()};
}
inline std::span<const Node* const> items_at(const Node& map, std::string_view key) {
  return items_of(map.get(key));
}
inline std::span<const Node* const> items_at(const Node& root, std::initializer_list<std::string_view> path) {
  return items_of(root.at(path));
}

// The item with this name; nullptr if there is none.
inline const Node* find_named(std::span<const Node* const> items, std::string_view name) {
  for (const Node* item : items) {
    if (text_at(*item, "name") == name) return item;
  }
  return nullptr;
}

// A range of byte offsets in a file's text.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
};
base::Location location_of(const base::SourceFile& file, Extent extent);

// The position of the quote that closes the one at `at`; npos if it isn't closed.
size_t closing_quote(std::string_view text, size_t at);

// The extent of one YAML token in its source text, for carets.

// The range of the scalar, alias or bracket that begins at line and column (both from 1). A quoted string may
// end on a later line. For a block scalar it is the indicator, for an unquoted one the part on this line,
// which ends before a comment, a ':' or, inside brackets, a comma or bracket.
base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column, bool in_flow);

}  // namespace trainjobc::yaml
