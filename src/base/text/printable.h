// Text that a terminal or a log can be given, whatever a file, a path or another program put into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::base {

// Characters that no terminal gets from an input: controls, and those that reorder or hide text.
bool is_unprintable(uint32_t code);

// A text on one line of its own: what is unprintable is escaped, line breaks too.
std::string one_line(std::string_view text);

// The length of the ANSI colour that the text begins with, ESC [ 1 ; 3 1 m; 0 if it begins with none.
size_t colour_length(std::string_view text);

// What a text may do besides being read.
struct Printing {
  bool colours = false;   // ANSI colours
  bool commands = false;  // begin a line with "::", which GitHub runs as a command
};

// Lines of text: what is unprintable is escaped as JSON does it, so that JSON stays what it is, and so is the
// beginning of a workflow command.
std::string printable(std::string_view text, Printing allowed);

}  // namespace trainjobc::base
