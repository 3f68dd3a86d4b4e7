// SPDX-License-Identifier: Apache-2.0

// Makes text from files, paths and other programs safe for terminals and logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::base {

// Whether a character of an input is never printed: control characters, and those that reorder or hide text.
bool is_unprintable(uint32_t code);

// The text on one line; unprintable characters, including line breaks, are escaped.
std::string one_line(std::string_view text);

// The length of the ANSI colour sequence at the beginning of the text, such as ESC [ 1 ; 3 1 m; 0 if there is
// none.
size_t colour_length(std::string_view text);

// What a text may contain besides plain characters.
struct Printing {
  bool colours = false;   // ANSI colours
  bool commands = false;  // lines that begin with "::", which GitHub runs as commands
};

// Escapes unprintable characters as in JSON, so that JSON stays valid, and the beginning of a workflow
// command. Keeps line breaks.
std::string printable(std::string_view text, Printing allowed);
// Whether printable() certainly returns the text unchanged, so that it need not be called.
bool is_plain(std::string_view text, Printing allowed);

}  // namespace trainjobc::base
