// SPDX-License-Identifier: Apache-2.0

#include "features/submit/event_fields.h"

#include <charconv>

namespace trainjobc::submit {

using yaml::Node;

int64_t number_at(const Node& root, std::string_view key, int64_t otherwise) {
  const std::string_view text = value_at(root, {key});
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

const Node* condition_of(const Node& object, std::string_view type) {
  for (const Node* entry : items_at(object, {"status", "conditions"})) {
    if (value_at(*entry, {"type"}) == type) return entry;
  }
  return nullptr;
}

}  // namespace trainjobc::submit
