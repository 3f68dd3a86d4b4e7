// Lines of a text that explain why it can't be read.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace trainjobc::yaml {

// The tab that indents the line of `offset`: its first byte that is neither a space nor in front of one.
std::optional<size_t> indenting_tab(std::string_view text, size_t offset);

// An indented line of three dots, as documentation prints them, at or above `offset` with nothing between.
std::optional<size_t> left_out(std::string_view text, size_t offset);

}  // namespace trainjobc::yaml
