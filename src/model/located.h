// SPDX-License-Identifier: Apache-2.0

// A decoded value together with the node it was decoded from.
#pragma once

#include <optional>

#include "yaml/node.h"

namespace trainjobc::model {

// `node` is never null after decoding; it lives as long as the tree.
template <class T>
struct Located {
  T value{};
  const yaml::Node* node = nullptr;
};

using LocatedInt = Located<int64_t>;
using LocatedBool = Located<bool>;
using LocatedText = Located<std::string_view>;

// nullopt if `node` is null, absent or of another type (which validation has reported).
std::optional<LocatedInt> decode_int(const yaml::Node* node);
std::optional<LocatedBool> decode_bool(const yaml::Node* node);
std::optional<LocatedText> decode_text(const yaml::Node* node);

}  // namespace trainjobc::model
