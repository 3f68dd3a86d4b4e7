// SPDX-License-Identifier: Apache-2.0

// Unified diffs of texts.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::base {

// What `diff -u` prints for two texts, with three lines of context; "" if they are equal.
std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name);

// The same without the two lines of names.
std::string unified_hunks(std::string_view old_text, std::string_view new_text);

}  // namespace trainjobc::base
