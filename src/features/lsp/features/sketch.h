// SPDX-License-Identifier: Apache-2.0
// The shape of a YAML document as far as it can be made out: keys, items and values by their indentation and
// brackets. A half-typed document has one, too, so it serves where the cursor is; values are never read from
// it for anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::lsp {

struct SketchEntry;

// A value. Offsets are bytes of the file's text.
struct Sketch {
  enum class Kind : uint8_t { Absent, Scalar, Map, List };

  Kind kind = Kind::Absent;
  bool flow = false;      // of a collection: in brackets
  bool own_line = false;  // of a scalar: nothing but dashes is before it, so it may become a key
  bool is_block = false;  // of a scalar: the lines below a | or >
  // Of a scalar its text; of a collection the text after the key that doesn't belong there: `spec: x` above
  // the keys of spec.
  size_t begin = 0;
  size_t end = 0;
  std::string text;                  // without quotes
  std::vector<SketchEntry> entries;  // of a map or list, in their order

  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  // Of a map: the first entry of that key; nullptr if there is none.
  const SketchEntry* find(std::string_view key) const;
  // The value of the key; nullptr if there is none.
  const Sketch* get(std::string_view key) const;
  // The text of the key's scalar; "" if there is none.
  std::string_view text_of(std::string_view key) const;
};

// A key with its value, or an item of a list.
struct SketchEntry {
  std::string key;          // of a map; without quotes
  size_t begin = 0;         // of the key with its quotes, or of the item's dash
  size_t key_end = 0;       // after the key; of an item: after its dash
  size_t end = 0;           // after the last character of the value
  bool is_complete = true;  // the key has its colon, the item its dash
  Sketch value;
};

// The text of one document of a file: between lines that begin with `---`.
struct DocumentExtent {
  size_t begin = 0;
  size_t end = 0;
};
std::vector<DocumentExtent> document_extents(std::string_view text);

// Never fails; what is nested too deeply is left out.
Sketch sketch_document(std::string_view text, DocumentExtent extent);

}  // namespace trainjobc::lsp
