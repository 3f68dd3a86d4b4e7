// SPDX-License-Identifier: Apache-2.0

// TreeBuilder: turns scalars, aliases and the ends of collections, in the order of the text, into nodes. It
// handles merge keys, duplicate keys and the limits; it does not know the syntax of YAML or JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "yaml/node.h"
#include "yaml/read/events.h"
#include "yaml/read/reader.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {

// Thrown inside the reader when reading on makes no sense; the reason has been reported.
struct StopReading {};

// The text, cut if it is too long for a message.
std::string shorten(std::string_view text);

// A scalar as a value and, if possible, as a key. Its texts must outlive the tree.
struct BuiltScalar {
  const Node* node = nullptr;           // may be missing for a key without an anchor
  std::optional<std::string_view> key;  // may be missing for a value without an anchor
  std::string_view not_a_key;           // why it can't be a key, for the message
  bool is_merge_word = false;           // the scalar is `<<`
};

class TreeBuilder {
 public:
  // `text` is the document's, as a part of the file.
  TreeBuilder(const base::SourceFile& file, std::string_view text, base::Arena& arena,
              base::Diagnostics& diagnostics, const ReadLimits& limits)
      : file_(file), text_(text), make_(arena), diagnostics_(diagnostics), limits_(limits) {}

  const Maker& make() const { return make_; }
  // nullptr if nothing was read or an error was reported.
  const Node* root() const { return failed_ ? nullptr : root_; }
  bool failed() const { return failed_; }
  // Whether the next node is the key of a map.
  bool expects_key() const { return !stack_.empty() && stack_.back().is_map && stack_.back().expects_key; }
  // The key whose value comes next.
  const Origin& key_origin() const { return stack_.back().key_origin; }

  void scalar(const BuiltScalar& scalar, std::string_view anchor, const Origin& at);
  void alias(std::string_view name, const Origin& at);
  void open(bool is_map, std::string_view anchor, const Origin& at);
  void close();

  void fail(std::string_view rule, const Origin& at, std::string message, std::string hint = "",
            std::vector<base::Note> notes = {}, std::vector<base::Edit> fix = {});
  void warn(std::string_view rule, const Origin& at, std::string message, std::string hint,
            std::vector<base::Note> notes = {}, std::vector<base::Edit> fix = {});

 private:
  struct Anchored {
    BuiltScalar scalar;
    const Node* node = nullptr;  // nullptr while the collection is being read
    size_t weight = 0;
    size_t bytes = 0;
    size_t depth = 0;  // while the collection is being read
  };

  // A collection that is being read. Its entries or items are the tail of entries_ or items_.
  struct Frame {
    bool is_map = false;
    bool expects_key = true;
    bool key_is_merge = false;
    std::string_view anchor;
    size_t begin = 0;
    size_t indexed = 0;  // how many of its entries are in its index
    size_t weight = 1;   // the number of decoding steps in Kubernetes' parser, aliases expanded
    size_t bytes = 0;    // the size of its keys and scalars, aliases expanded
    Origin origin;
    std::string_view key;
    Origin key_origin;
  };

  using KeyIndex = std::unordered_map<std::string_view, size_t>;

  void count(size_t own, size_t repeated, const Origin& at);
  void repeat(size_t bytes, const Origin& at);
  void put(const Node* node, size_t weight, size_t bytes, const Origin& at, bool is_alias);
  void set_key(const BuiltScalar& scalar, const Origin& at);
  void add_entry(Frame& frame, const Entry& entry);
  size_t index_of(Frame& frame, std::string_view key);
  void merge(Frame& frame, const Node& value, const Origin& at, bool is_alias);
  void merge_entries(Frame& frame, const Node& map);

  const base::SourceFile& file_;
  std::string_view text_;
  Maker make_;
  base::Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  std::vector<Frame> stack_;
  std::vector<Entry> entries_;
  std::vector<char> is_own_;  // parallel to entries_: the map itself sets the key, instead of merging it
  std::vector<const Node*> items_;
  std::vector<KeyIndex> indexes_;  // indexed by depth
  std::unordered_map<std::string_view, Anchored> anchors_;
  const Node* root_ = nullptr;
  size_t steps_ = 1;
  size_t repeated_steps_ = 0;
  size_t repeated_bytes_ = 0;
  bool failed_ = false;
  bool lacks_separator_ = false;  // keys set twice at the top level were reported as a second object
};

// Turns a scalar event into a value or a key.
class ScalarBuilder {
 public:
  // Does not copy text that is within `source`, which must outlive the tree.
  ScalarBuilder(TreeBuilder& builder, base::Arena& arena, std::string_view source)
      : builder_(builder), arena_(arena), source_(source) {}

  // Adds the scalar to the tree, as what the tree expects next.
  void add(const Event& scalar, const Origin& at);

 private:
  BuiltScalar lasting_string(std::string_view text, const Origin& at) const;
  BuiltScalar string(std::string_view text, const Origin& at) const;
  BuiltScalar plain(const PlainValue& value, std::string_view text, const Origin& at);
  BuiltScalar tagged(const Event& scalar, const Origin& at);
  const Node* json_node(const PlainValue& value, std::string_view text, const Origin& at);

  TreeBuilder& builder_;
  base::Arena& arena_;
  std::string_view source_;
  bool wants_key_ = false;  // whether the tree expects the current scalar as a key
  bool wants_node_ = false;
};

}  // namespace trainjobc::yaml
