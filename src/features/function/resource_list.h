// SPDX-License-Identifier: Apache-2.0

// A ResourceList of the KRM function specification, as text and tree: what a function does not change keeps
// its bytes, comments included.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::function {

struct Item {
  const yaml::Node* root = nullptr;
  std::string_view text;   // its lines, including the comments above it; "" if the list is not in block style
  bool has_alias = false;  // the lines contain an alias
};

struct ResourceList {
  std::unique_ptr<base::SourceFile> file;
  base::Arena arena;
  const yaml::Node* root = nullptr;
  std::vector<Item> items;
  bool block_style = false;  // false: JSON, or a list in brackets; rewritten as a whole
  size_t indent = 0;         // of the list's dashes
  size_t items_begin = 0;    // byte offsets of the items' lines in the file
  size_t items_end = 0;
};

// Reads `text`; nullptr if it is not a ResourceList, and `error` says why.
std::unique_ptr<ResourceList> read_resource_list(std::string text, std::string& error);

// One item of the list to write: the lines of an old one, or a tree.
struct NewItem {
  const yaml::Node* root = nullptr;
  std::string_view text;  // if not "", these lines instead, provided that the list then reads back correctly
  bool made = false;      // created by this function: written with the usual order of keys
  bool has_alias = false;
};

// The list with these items, and `results` instead of its own; nullptr: none. nullopt if two parsers find
// different values in the new text.
std::optional<std::string> write_resource_list(const ResourceList& list, const std::vector<NewItem>& items,
                                               const yaml::Node* results);

}  // namespace trainjobc::function
