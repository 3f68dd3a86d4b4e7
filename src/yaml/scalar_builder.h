// ScalarBuilder: what the lexer read as a scalar, to the value or the key that it is.
#pragma once

#include "yaml/lexer.h"
#include "yaml/scalar.h"
#include "yaml/tree_builder.h"

namespace trainjobc::yaml {

class ScalarBuilder {
 public:
  ScalarBuilder(TreeBuilder& builder, base::Arena& arena) : builder_(builder), arena_(arena) {}

  // Adds the scalar to the tree, as what the tree expects next.
  void add(const ScalarToken& token, const Properties& properties, const Origin& at);

 private:
  BuiltScalar string(std::string_view text, const Origin& at) const;
  BuiltScalar string(const ScalarToken& token, const Origin& at) const;
  BuiltScalar plain(const PlainValue& value, const ScalarToken& token, const Origin& at);
  BuiltScalar tagged(std::string_view tag, const ScalarToken& token, const Origin& at);
  const Node* json_node(const PlainValue& value, std::string_view text, const Origin& at);

  TreeBuilder& builder_;
  base::Arena& arena_;
  bool wants_key_ = false;  // what the tree will use of the scalar at hand
  bool wants_node_ = false;
};

}  // namespace trainjobc::yaml
