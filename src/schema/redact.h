// Keeping secrets out of what people read. The nodes that hold one are marked when they are read; whatever
// shows a value asks its node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::schema {

// The tree, with the origin of each value that is a secret marked so: of a variable whose name says it, of a
// Secret. Shares what has none.
const yaml::Node* mark_secrets(const yaml::Node& root, const yaml::Maker& make);

// What is shown of a marked tree: *** for each secret, and for each known kind of key in other values.
const yaml::Node* masked(const yaml::Node& root, const yaml::Maker& make);

// What is shown of two marked trees side by side: the same, and "*** (before)" and "*** (after)" for secrets
// that differ.
struct BeforeAfter {
  const yaml::Node* before = nullptr;
  const yaml::Node* after = nullptr;
};
BeforeAfter masked(BeforeAfter nodes, const yaml::Maker& make);

// The secrets of some trees, to be hidden in text that was made elsewhere.
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
