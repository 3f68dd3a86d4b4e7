// SPDX-License-Identifier: Apache-2.0

// Keeps secrets out of what people read. Nodes with secrets are marked when they are read; code that shows a
// value checks its node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::schema {

// The tree, with the origins of secret values marked: those of Secrets, and of variables with a name that
// says so. Shares what contains none.
const yaml::Node* mark_secrets(const yaml::Node& root, const yaml::Maker& make);

// A marked tree as it is shown: *** for each secret, and for each known kind of key in other values.
const yaml::Node* masked(const yaml::Node& root, const yaml::Maker& make);

// Two marked trees as they are compared: the same, but "*** (before)" and "*** (after)" for secrets that
// differ.
struct BeforeAfter {
  const yaml::Node* before = nullptr;
  const yaml::Node* after = nullptr;
};
BeforeAfter masked(BeforeAfter nodes, const yaml::Maker& make);

// The secrets of some trees, to be hidden in text from elsewhere.
class SecretTexts {
 public:
  // Those of a marked tree.
  void collect(const yaml::Node& root);
  // The text with *** for each of them, and for each known kind of key.
  std::string hide(std::string_view text) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace trainjobc::schema
