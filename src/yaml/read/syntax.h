// SPDX-License-Identifier: Apache-2.0

// How a document is written: the extent of every value in its file. A rewriter needs this in addition to the
// tree.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/source.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"

namespace trainjobc::yaml {

// One value. Offsets are bytes of the file's text.
struct Syntax {
  enum class Kind : uint8_t { Absent, Scalar, Alias, List, Map };

  Kind kind = Kind::Absent;
  bool flow = false;             // of a collection: in brackets
  bool plain = true;             // without anchor, tag or `?` key
  size_t lead = 0;               // of a block list's item: its dash; otherwise the same as begin
  size_t begin = 0;              // including its anchor or tag; of an absent value: after its key or dash
  size_t end = 0;                // after its last character that is not white space
  std::vector<Syntax> children;  // of a list: the items; of a map: keys and values in turn

  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
};

// The syntax of a document of `file`; nullopt if it is not YAML: some JSON is not.
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

}  // namespace trainjobc::yaml
