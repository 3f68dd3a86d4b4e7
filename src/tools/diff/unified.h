// Unified diffs of texts.
#pragma once

#include <string>
#include <string_view>

namespace trainjobc::diff {

// The hunks of `diff -u`, three lines of context, without a header; "" for equal texts.
std::string unified_hunks(std::string_view before, std::string_view after);

}  // namespace trainjobc::diff
