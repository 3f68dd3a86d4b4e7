// SPDX-License-Identifier: Apache-2.0

// How a document is written: the extent of every value in its file. A rewriter needs this in addition to the
// tree.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// One value. Offsets are bytes of the file's text.
struct Syntax {
  enum class Kind : uint8_t { Absent, Scalar, Alias, List, Map };

  Kind kind = Kind::Absent;
  bool flow = false;             // collections: written in brackets
  bool plain = true;             // has no anchor, tag or `?` key
  size_t lead = 0;               // a block list's item: its dash; otherwise equals begin
  size_t begin = 0;              // including its anchor or tag; a missing value: after its key or dash
  size_t end = 0;                // after its last character that is not white space
  std::vector<Syntax> children;  // lists: the items; maps: keys and values in turn

  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
};

// The syntax of a document of `file`; nullopt if it is not YAML, as some JSON is not.
std::optional<Syntax> read_syntax(const base::SourceFile& file, const Document& document);

// Builds the syntax from a document's values in the order in which they are written.
class SyntaxRecorder {
 public:
  explicit SyntaxRecorder(const base::SourceFile& file, size_t file_offset)
      : file_(file), file_offset_(file_offset) {}

  // Offsets are those of the document's text.
  void dash(size_t at) { dash_ = at; }
  void question_mark() { plain_ = false; }
  void open(bool is_map, bool is_flow, bool is_plain, size_t begin);
  void close(size_t end);
  void leaf(Syntax::Kind kind, bool is_plain, size_t begin, size_t end);

  std::optional<Syntax> take();

 private:
  void put(Syntax value);
  size_t trimmed(size_t begin, size_t end) const;

  const base::SourceFile& file_;
  size_t file_offset_;
  std::optional<size_t> dash_;
  bool plain_ = true;
  std::vector<Syntax> open_;
  std::optional<Syntax> root_;
};

// Finds how the nodes of a document are written.

// A key of a map, and its value, as they are written in the file.
struct WrittenEntry {
  std::string_view key;
  const Node* value = nullptr;
  const Syntax* key_syntax = nullptr;
  const Syntax* value_syntax = nullptr;
  const Syntax* map = nullptr;  // the map that contains it
  size_t index = 0;             // its position among the entries of the map
};

// The list that contains an item, and the item's position.
struct WrittenItem {
  const Syntax* list = nullptr;
  size_t index = 0;
};

// Refers to the file, the tree and its syntax, which must outlive it.
class SourceIndex {
 public:
  SourceIndex(const base::SourceFile& file, const Document& document, const Syntax& syntax);
  SourceIndex(const SourceIndex&) = delete;  // its maps point into its own lists
  SourceIndex& operator=(const SourceIndex&) = delete;

  const base::SourceFile& file() const { return file_; }
  std::string_view slice(size_t begin, size_t end) const { return file_.text().substr(begin, end - begin); }
  std::string_view line_break() const { return line_break_; }

  // How the node is written; nullptr for a node of another tree.
  const Syntax* of(const Node& node) const;
  // How the collection is written that the new collection `node` replaces; nullptr if it replaces none.
  const Syntax* place_of(const Node& node) const;
  // of(node), or else place_of(node).
  const Syntax* of_or_replaced(const Node& node) const;
  // The entries of a map, without those from a merge key; empty for anything else.
  const std::vector<WrittenEntry>& entries(const Syntax& map) const;
  const WrittenEntry* entry(const Syntax* map, std::string_view key) const;
  // The entry of a value of the old tree, wherever it is in the new one; nullptr for a list's item.
  const WrittenEntry* entry_of(const Node& value) const;
  // The entry whose value is written here; nullptr for anything else.
  const WrittenEntry* entry_at(const Syntax& value) const;
  // The item that is written here; nullptr for anything else.
  const WrittenItem* item_of(const Syntax& value) const;
  // Whether all of the map's entries are plain `key: value` ones.
  bool is_plain_map(const Syntax& map) const;

  // All comments between the first and the last value of the document, in order: each from its `#` to the end
  // of its line.
  std::vector<Extent> comments(const Syntax& root) const;

  // The beginning of the line that contains the byte at `offset`.
  size_t line_start(size_t offset) const;
  size_t line_end(size_t offset) const;  // before the line break
  size_t column(size_t offset) const { return offset - line_start(offset); }
  size_t indent(size_t offset) const;  // the indentation of its line
  // The end of a value's line if only blanks and a comment follow the value; otherwise `end`.
  size_t end_with_comment(size_t end) const;
  // The beginning of the comments and empty lines between `end` and the line of `offset`.
  size_t gap_start(size_t end, size_t offset) const;
  bool begins_line(size_t offset) const { return indent(offset) == column(offset); }

 private:
  void add(const Node& node, const Syntax& syntax);

  const base::SourceFile& file_;
  std::string_view line_break_;
  std::unordered_map<const Node*, const Syntax*> nodes_;
  std::map<size_t, const Syntax*> collections_;  // by the offset at which they are written
  std::unordered_map<const Syntax*, std::vector<WrittenEntry>> entries_;
  std::unordered_map<const Node*, const WrittenEntry*> entry_of_;
  std::unordered_map<const Syntax*, const WrittenEntry*> entry_at_;  // by the syntax of the value
  std::unordered_map<const Syntax*, WrittenItem> items_;
};

}  // namespace trainjobc::yaml
