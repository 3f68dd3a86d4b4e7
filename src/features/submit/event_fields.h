// SPDX-License-Identifier: Apache-2.0

// Fields that live objects of all kinds have.
#pragma once

#include <cstdint>
#include <string_view>

#include "yaml/fields.h"
#include "yaml/node.h"

namespace trainjobc::submit {

using yaml::items_at;
using yaml::value_at;

int64_t number_at(const yaml::Node& root, std::string_view key, int64_t otherwise = 0);

// The condition of that type with any status; nullptr if there is none.
const yaml::Node* condition_of(const yaml::Node& object, std::string_view type);

}  // namespace trainjobc::submit
