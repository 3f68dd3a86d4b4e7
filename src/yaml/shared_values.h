// SPDX-License-Identifier: Apache-2.0

// Values of many trees that are alike, each subtree once.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "base/arena.h"
#include "yaml/node.h"

namespace trainjobc::yaml {

class SharedValues {
 public:
  // A copy of the values, without their origins, but with the marks of secrets. It lives as long as this, and
  // shares what is equal with the copies before it. nullptr for nullptr.
  const Node* copy(const Node* node);
  std::string_view copy(std::string_view text);

 private:
  // Of nodes whose children are shared ones.
  struct Hash {
    size_t operator()(const Node* node) const;
  };
  struct Equal {
    bool operator()(const Node* a, const Node* b) const;
  };

  const Node* shared(const Node& node);

  base::Arena arena_;
  base::Arena candidates_;  // nodes that may be there already
  std::unordered_set<std::string_view> texts_;
  std::unordered_set<const Node*, Hash, Equal> nodes_;
};

}  // namespace trainjobc::yaml
