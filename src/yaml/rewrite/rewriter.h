// SPDX-License-Identifier: Apache-2.0

// Rewrites a document in its file: what the new tree shares with the old one keeps its bytes, including
// comments; new values are written in the style of their surroundings.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/read/syntax.h"

namespace trainjobc::yaml {

// Bytes of the file's text and what to put in their place.
struct Replacement {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

// Why a document can't be rewritten without losing something: a merge key, a comment without a new place.
struct RewriteProblem {
  std::string message;
  base::Location location;
};

// The replacement that turns `document` into `new_root`. Parts of the old tree may be anywhere in the new
// one, even more than once, and are recognised by their address; a new map or list with the origin of an old
// one replaces it and keeps its comments. Every comment of the document is in the result.
//
// Does not check that the text reads back as `new_root`: see reads_back_as.
std::variant<Replacement, RewriteProblem> rewrite(const base::SourceFile& file, const Document& document,
                                                  const Node& new_root);

// Several documents in the place of one.

// The replacement that turns `document` into documents with these roots, with a line `---` between them. What
// they share with it keeps its bytes and the comments beside it, under a new key too; other comments are left
// out. Nothing checks here that the text reads back as the roots.
std::variant<Replacement, RewriteProblem> rewrite_as_parts(const base::SourceFile& file,
                                                           const Document& document,
                                                           std::span<const Node* const> roots);

// The same without comments, in this program's own style.
Replacement write_as_parts(const base::SourceFile& file, const Document& document,
                           std::span<const Node* const> roots);

// Whether two parsers find documents with these roots, and no others, in the text.
bool reads_back_as(std::string text, std::span<const Node* const> roots);

// What follows is shared by rewrite.cpp and the files beside it.

// Thrown for what can't be rewritten; caught in rewrite().
struct Stop {
  std::string message;
  size_t offset = 0;
};

// One entry or item: the comments above it, whole lines, and its own text without the indentation of its
// first line and the line break of its last.
struct Piece {
  std::string gap;
  std::string body;
};

struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// How new collections in brackets are laid out.
struct FlowStyle {
  bool lines = false;  // one item per line
  size_t indent = 0;   // of the line that the collection opens on
  size_t step = 2;
  bool quotes_keys = false;
};

// As YAML, or with `quoted` strings as JSON.
std::string scalar_text(const Node& node, bool quoted);
std::string key_text(std::string_view key, bool quoted);

class Rewriter {
 public:
  Rewriter(const base::SourceFile& file, const Document& document, const Syntax& syntax)
      : index_(file, document, syntax), root_(syntax) {
    find_style(syntax);
  }

  Replacement run(const Node& new_root);

  // The texts of several roots. Comments that belong to none of them are left out.
  Replacement run_parts(std::span<const Node* const> roots);

 private:
  std::string write(const Node& new_root);

  bool has_other_breaks(size_t begin, size_t end) const;

  // The steps of the document's first nested map and list.
  void find_style(const Syntax& syntax);

  size_t map_step() const { return map_step_.value_or(2); }
  size_t list_step() const { return list_step_.value_or(map_step()); }

  std::string_view use(size_t begin, size_t end);

  // By offset.
  std::map<size_t, Comment> unused_comments();

  // `text` with another indentation; its first line is unchanged.
  static std::string shifted(std::string_view text, size_t from, size_t to);

  // The comments above a child of a block collection; `end` is the end of what precedes it.
  std::string gap(size_t end, const Syntax& child, size_t indent);

  // The end of what precedes the child of a collection.
  size_t end_before(const Syntax& collection, size_t child) const;

  std::string joined(const std::vector<Piece>& pieces, size_t indent) const;

  // A collection that is not empty, as lines of a block.
  std::string block_lines(const Node& node, size_t indent);

  const Syntax* block_place(const Node& node) const;

  std::vector<Piece> map_pieces(const Node& map, size_t indent);

  // The entry of the old map that the new one is, by its key; nullptr for a new entry.
  const WrittenEntry* own_entry(const Syntax* place, const Entry& entry) const;

  // The entry that has the value, or that had a value which this one replaces; nullptr for a new value.
  const WrittenEntry* moved_entry(const Node& value) const;

  // The position that a new entry counts as: that of a removed entry after the entry before it, otherwise
  // that entry's own.
  size_t source_after(const Syntax* place, const Node& map, const std::vector<size_t>& sources) const;

  Piece entry_piece(const WrittenEntry* written, const Entry& entry, size_t indent);

  std::string new_entry(std::string_view key, const Node& value, size_t indent);

  // What follows `key:`: " scalar", " {…}", or a line break and a block. `indent` is the key's.
  std::string value_text(const Node& value, size_t indent);

  // In brackets, many on a line; `indent` is the key's.
  std::string number_lines(const Node& list, size_t indent) const;

  // Whether it contains a part of the old document that can't be in brackets.
  bool holds_block(const Node& node) const;

  // A scalar, or a collection in brackets; `indent` is that of the line.
  std::string inline_text(const Node& value, size_t indent);

  std::vector<Piece> list_pieces(const Node& list, size_t indent);

  // A new item of a block list, after its dash.
  void add_item(const Node& item, size_t indent, Piece& piece);

  // Comments of values that are not in the new tree stay where they were, on their own lines.
  struct PlacedComments {
    size_t child = 0;  // of the old collection: an item or an entry
    std::vector<Comment> comments;
  };

  // Those of the entries that the new map does not have.
  std::vector<PlacedComments> take_removed(const Syntax* place, const Node& map);

  void take_comments(const Syntax& place, size_t child, std::vector<PlacedComments>& placed);

  void place_comments(const Syntax* place, std::vector<PlacedComments> placed,
                      const std::vector<size_t>& sources, size_t indent, std::vector<Piece>& pieces);

  FlowStyle flow_style_of(const Syntax& place, FlowStyle outer) const;

  // In brackets.
  std::string flow_text(const Node& node, FlowStyle style);

  std::string flow_entry(const Syntax* place, const Entry& entry, const FlowStyle& style);

  std::string in_brackets(const std::vector<std::string>& items, bool is_map, const Syntax* place,
                          const FlowStyle& style) const;

  SourceIndex index_;
  const Syntax& root_;
  std::optional<size_t> map_step_;
  std::optional<size_t> list_step_;
  std::vector<Range> used_;
  std::set<size_t> taken_gaps_;         // a comment above a value that is written twice is written once
  std::map<size_t, Comment> unplaced_;  // of the second pass: those that the first one did not write
  bool keeps_renamed_ = false;          // a value under another key takes its comments along
};

}  // namespace trainjobc::yaml
