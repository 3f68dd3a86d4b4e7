// SPDX-License-Identifier: Apache-2.0

// The edits that turn one text into another, line by line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

struct MarkedLine {
  char mark = ' ';  // ' ', '-' or '+', as diff prints it
  std::string_view line;
};

// Returns the lines of both texts in order. A short script is the shortest one; a long one consists of the
// shortest scripts between the lines that occur once in each text, so that time and memory stay linear.
std::vector<MarkedLine> edit_script(std::span<const std::string_view> before,
                                    std::span<const std::string_view> after);

// Unified diffs of texts.

// What `diff -u` prints for two texts, with three lines of context; "" if they are equal.
std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name);

// Like unified_diff, without the two lines of names.
std::string unified_hunks(std::string_view old_text, std::string_view new_text);

}  // namespace trainjobc::base
