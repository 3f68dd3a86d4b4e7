// SPDX-License-Identifier: Apache-2.0

// Finds what is at the cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/lsp/syntax_tree.h"

namespace trainjobc::lsp {

// One step of a path: a map's key, or the index of a list's item.
struct CursorStep {
  static constexpr size_t kKey = static_cast<size_t>(-1);

  std::string key;
  size_t index = kKey;

  bool is_item() const { return index != kKey; }
};
using CursorPath = std::vector<CursorStep>;

// The path as text: spec.trainer.env[0].name
std::string to_string(const CursorPath& path);
// Whether the path has these keys; "[]" stands for an item.
bool matches(const CursorPath& path, std::initializer_list<std::string_view> keys);

enum class Spot : uint8_t {
  None,        // between values, or in text that has no completions
  Key,         // of a map
  Value,       // a scalar
  KeyOrValue,  // a word on its own line, which may be either
  Comment,
};

// Offsets are bytes of the document's text.
struct Cursor {
  Spot spot = Spot::None;
  // The path of the field from the object. For a word on its own line, that of the value that it is or
  // begins. An item without its dash counts as its list.
  CursorPath path;
  std::string word;   // the key or value, without quotes; or the comment's word at the cursor
  std::string typed;  // the part of it before the cursor
  size_t begin = 0;   // where the word begins, with its quotes
  size_t end = 0;
  bool is_complete = true;  // whether a key has its colon
  bool in_flow = false;     // inside brackets
  std::string comment;      // the comment from its # on
  size_t comment_begin = 0;

  // The objects of the document, as far as they can be recognised. Never null.
  std::shared_ptr<const SyntaxNode> document;
  const SyntaxNode* object =
      nullptr;  // the object at the cursor, within `document`; nullptr if that is empty
  const SyntaxNode* container =
      nullptr;  // the map that has the key, within `document`; nullptr if not at a key

  std::string_view kind() const { return object ? object->text_of("kind") : std::string_view(); }
  std::string_view api_version() const { return object ? object->text_of("apiVersion") : std::string_view(); }
  // From the object's metadata.
  std::string_view name() const { return text_at({"metadata", "name"}); }
  std::string_view ns() const { return text_at({"metadata", "namespace"}); }  // "" if it has none
  // The value at a path of the object; nullptr if there is none.
  const SyntaxNode* at(std::initializer_list<std::string_view> keys) const;
  // The text of the scalar there; "" if there is none.
  std::string_view text_at(std::initializer_list<std::string_view> keys) const;
  // The value of the first `steps` steps of the path; nullptr if there is none.
  const SyntaxNode* along_path(size_t steps) const;
};

// Finds what is at the byte.
Cursor find_at(std::string_view text, size_t offset);
// Like find_at; at the end of a word, finds the word.
Cursor find_at_or_before(std::string_view text, size_t offset);
// Finds what is being typed before the byte, even if nothing is there yet.
Cursor find_typed(std::string_view text, size_t offset);

}  // namespace trainjobc::lsp
