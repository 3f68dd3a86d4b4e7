// SPDX-License-Identifier: Apache-2.0

// Makes text from files, paths and other programs safe for terminals and logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::base {

// Characters of inputs that are never printed: control characters, and those that reorder or hide text.
bool is_unprintable(uint32_t code);

// The text on one line: unprintable characters are escaped, including line breaks.
std::string one_line(std::string_view text);

// The length of the ANSI colour that the text begins with, ESC [ 1 ; 3 1 m; 0 if it begins with none.
size_t colour_length(std::string_view text);

// What a text may contain besides plain characters.
struct Printing {
  bool colours = false;   // ANSI colours
  bool commands = false;  // lines that begin with "::", which GitHub runs as commands
};

// Lines of text: unprintable characters are escaped as in JSON, so that JSON stays valid, and so is the
// beginning of a workflow command.
std::string printable(std::string_view text, Printing allowed);
// Whether that is certain to be the text itself, which need not be copied then.
bool is_plain(std::string_view text, Printing allowed);

}  // namespace trainjobc::base
