// SPDX-License-Identifier: Apache-2.0

// ScalarBuilder: turns a scalar event into a value or a key.
#pragma once

#include "yaml/read/event.h"
#include "yaml/read/tree_builder.h"
#include "yaml/scalar.h"

namespace trainjobc::yaml {

class ScalarBuilder {
 public:
  // Text within `source` is not copied; it must outlive the tree.
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
  bool wants_key_ = false;  // whether the tree needs the current scalar as a key
  bool wants_node_ = false;
};

}  // namespace trainjobc::yaml
