// SPDX-License-Identifier: Apache-2.0

// An error-tolerant syntax tree of a YAML document, even an incomplete one: keys, items and values by their
// indentation and brackets. It serves to find what is at the cursor; yaml/read reads what a document means.
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
  bool flow = false;      // collections: in brackets
  bool own_line = false;  // scalars: only dashes come before it, so it may become a key
  bool is_block = false;  // scalars: the lines below a | or >
  // Scalars: begin and end of the text. Collections: of stray text after the key, such as `spec: x` above the
  // keys of spec.
  size_t begin = 0;
  size_t end = 0;
  std::string text;                  // without quotes
  std::vector<SyntaxEntry> entries;  // of a map or list, in order

  bool is_map() const { return kind == Kind::Map; }
  bool is_list() const { return kind == Kind::List; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  // The map's first entry with that key; nullptr if there is none.
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
  std::string key;          // for a map, without quotes
  size_t begin = 0;         // of the key with its quotes, or of the item's dash
  size_t key_end = 0;       // after the key, or after the item's dash
  size_t end = 0;           // after the last character of the value
  bool is_complete = true;  // whether the key has its colon, or the item its dash
  SyntaxNode value;
};

// The entries of a value; none for nullptr.
std::span<const SyntaxEntry> entries_of(const SyntaxNode* value);

// The extent of one document in a file: between lines that begin with `---`.
struct DocumentExtent {
  size_t begin = 0;
  size_t end = 0;
};
std::vector<DocumentExtent> document_extents(std::string_view text);

// Parses one document; leaves out what is nested too deeply.
SyntaxNode parse_syntax(std::string_view text, DocumentExtent extent);

}  // namespace trainjobc::lsp
