// SPDX-License-Identifier: Apache-2.0

// Writers: nodes to YAML and JSON text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::yaml {

// The order of a map's keys.
enum class KeyOrder {
  AsIs,        // as in the tree
  Alphabet,    // as Go writes maps
  Kubernetes,  // apiVersion, kind, metadata, spec…; name first; then alphabetically
};

// Appends block-style YAML that YAML 1.1 and 1.2 readers read back to the same value, ending in a newline:
// strings that could be read as something else are quoted, strings of several lines are block scalars.
void write_yaml(const Node& node, KeyOrder order, std::string& out);

// A scalar or empty collection, and the offset at which its first line ends, where a comment can be added.
struct LeafLine {
  const Node* node = nullptr;
  size_t end = 0;
};
// Like the above; also appends the scalars and empty collections of the tree to `leaves`, in the order of the
// text.
void write_yaml(const Node& node, KeyOrder order, std::string& out, std::vector<LeafLine>& leaves);

// Appends JSON with `indent` spaces per level; 0 for one line. No newline at the end.
void write_json(const Node& node, KeyOrder order, int indent, std::string& out);

// Appends a JSON string with its quotes.
void write_json_string(std::string_view text, std::string& out);

// The rank of a key in KeyOrder::Kubernetes; keys of equal rank are in alphabetical order.
int key_rank(std::string_view key);

}  // namespace trainjobc::yaml
