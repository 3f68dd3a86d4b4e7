// SPDX-License-Identifier: Apache-2.0

#include "model/located.h"

namespace trainjobc::model {

std::optional<LocatedInt> decode_int(const yaml::Node* node) {
  if (!node) return std::nullopt;
  const auto value = node->as_int();
  return value ? std::optional(LocatedInt{*value, node}) : std::nullopt;
}

std::optional<LocatedBool> decode_bool(const yaml::Node* node) {
  if (!node) return std::nullopt;
  const auto value = node->as_bool();
  return value ? std::optional(LocatedBool{*value, node}) : std::nullopt;
}

std::optional<LocatedText> decode_text(const yaml::Node* node) {
  if (!node || !node->is_string()) return std::nullopt;
  return LocatedText{node->text(), node};
}

}  // namespace trainjobc::model
