// Fields of live objects, whatever their kind.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::submit {

// A scalar's text; "" without one.
std::string_view text_at(const yaml::Node& root, std::initializer_list<std::string_view> path);

int64_t number_at(const yaml::Node& root, std::string_view key, int64_t otherwise = 0);

std::span<const yaml::Node* const> items_at(const yaml::Node& root,
                                            std::initializer_list<std::string_view> path);

// The condition of that type, whatever its status; nullptr without one.
const yaml::Node* condition_of(const yaml::Node& object, std::string_view type);

}  // namespace trainjobc::submit
