// Which lines of a text stay, go and come on the way to another.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace trainjobc::base {

struct MarkedLine {
  char mark = ' ';  // ' ', '-' or '+', as diff prints it
  std::string_view line;
};

// The lines of both texts in order: the shortest script if it is short. A long one is made of the shortest
// ones between the lines that each text holds once, so that time and memory stay linear in the texts.
std::vector<MarkedLine> edit_script(std::span<const std::string_view> before,
                                    std::span<const std::string_view> after);

}  // namespace trainjobc::base
