// Did-you-mean.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace trainjobc::base {

// The candidate closest to `word` by edits (a transposition is one), where it is close enough to be meant;
// case is free. The first of equals.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace trainjobc::base
