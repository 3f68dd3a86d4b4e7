// SPDX-License-Identifier: Apache-2.0

// Which lines of a text are kept, removed and added to get another.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace trainjobc::base {

struct MarkedLine {
  char mark = ' ';  // ' ', '-' or '+', as diff prints it
  std::string_view line;
};

// The lines of both texts in order. A short script is the shortest one; a long one consists of the shortest
// scripts between the lines that occur once in each text, so that time and memory stay linear.
std::vector<MarkedLine> edit_script(std::span<const std::string_view> before,
                                    std::span<const std::string_view> after);

}  // namespace trainjobc::base
