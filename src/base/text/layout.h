// Text in the columns of a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

// How many columns a code point takes, roughly.
size_t column_width(uint32_t code);

// How many columns a line takes; our own colours take none.
size_t display_width(std::string_view line);

// The line broken at spaces so that it fits into `width` columns; what goes on is indented. A longer word
// stays whole. 0: as it is.
std::string wrap(std::string_view line, size_t width, size_t indent);

// The line, cut with "…" where it is wider. 0: as it is. Not for text with colours.
std::string cut(std::string_view line, size_t width);

// The parts on one line, three spaces apart; where that is wider than `width`, a line for each, those after
// the first indented. 0: one line. Parts without text are left out.
std::string beside_or_below(const std::vector<std::string>& parts, size_t width, size_t indent);

// Rows of cells in columns two spaces apart. Columns that don't fit into `width` are on lines of their own
// below, indented. 0: they always fit.
std::string table(const std::vector<std::vector<std::string>>& rows, size_t width);

}  // namespace trainjobc::base
