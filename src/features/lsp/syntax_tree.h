// SPDX-License-Identifier: Apache-2.0

// An error-tolerant syntax tree of a YAML document: keys, items and values by their indentation and brackets.
// An incomplete document has one, too. It serves to find what is at the cursor; what a document means is read
// by yaml/read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::lsp {

struct SyntaxEntry;

// A value. Offsets are bytes of the file's text.
struct SyntaxNode {
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
  std::vector<SyntaxEntry> entries;  // of a map or list, in their order

  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  // Of a map: the first entry of that key; nullptr if there is none.
  const SyntaxEntry* find(std::string_view key) const;
  // The value of the key; nullptr if there is none.
  const SyntaxNode* get(std::string_view key) const;
  // The value at a path of keys; nullptr if there is none.
  const SyntaxNode* at(std::initializer_list<std::string_view> keys) const;
  // The text of the key's scalar; "" if there is none.
  std::string_view text_of(std::string_view key) const;
};

// A key with its value, or an item of a list.
struct SyntaxEntry {
  std::string key;          // of a map; without quotes
  size_t begin = 0;         // of the key with its quotes, or of the item's dash
  size_t key_end = 0;       // after the key; of an item: after its dash
  size_t end = 0;           // after the last character of the value
  bool is_complete = true;  // the key has its colon, the item its dash
  SyntaxNode value;
};

// None of no value.
std::span<const SyntaxEntry> entries_of(const SyntaxNode* value);

// The text of one document of a file: between lines that begin with `---`.
struct DocumentExtent {
  size_t begin = 0;
  size_t end = 0;
};
std::vector<DocumentExtent> document_extents(std::string_view text);

// What is nested too deeply is left out.
SyntaxNode parse_syntax(std::string_view text, DocumentExtent extent);

}  // namespace trainjobc::lsp
