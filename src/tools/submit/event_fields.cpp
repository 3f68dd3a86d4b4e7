#include "tools/submit/event_fields.h"

#include <charconv>

namespace trainjobc::submit {

using yaml::Node;

std::string_view text_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* value = root.at(path);
  return value && value->is_scalar() && !value->is_null() ? value->text() : std::string_view();
}

int64_t number_at(const Node& root, std::string_view key, int64_t otherwise) {
  const std::string_view text = text_at(root, {key});
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::span<const Node* const> items_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* list = root.at(path);
  return list && list->is_list() ? list->items() : std::span<const Node* const>();
}

const Node* condition_of(const Node& object, std::string_view type) {
  for (const Node* entry : items_at(object, {"status", "conditions"})) {
    if (text_at(*entry, {"type"}) == type) return entry;
  }
  return nullptr;
}

}  // namespace trainjobc::submit
