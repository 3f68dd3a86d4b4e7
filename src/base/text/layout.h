// SPDX-License-Identifier: Apache-2.0

// Text in the columns of a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::base {

// The approximate width of a code point in columns.
size_t column_width(uint32_t code);

// The width of a line in columns; ANSI colours have no width.
size_t display_width(std::string_view line);

// The line, wrapped at spaces to `width` columns, with continuation lines indented. A word that is longer
// stays whole. 0: no wrapping.
std::string wrap(std::string_view line, size_t width, size_t indent);

// The line, cut and ended with "…" if it is wider than `width`. 0: no limit. Not for text with colours.
std::string cut(std::string_view line, size_t width);

// The parts on one line, three spaces apart; if that is wider than `width`, one line per part, those after
// the first indented. 0: always one line. Empty parts are left out.
std::string beside_or_below(const std::vector<std::string>& parts, size_t width, size_t indent);

// Rows of cells, in columns two spaces apart. Columns that don't fit into `width` follow on lines of their
// own, indented. 0: no limit.
std::string table(std::span<const std::vector<std::string>> rows, size_t width);
// Like the table above, with a row of titles.
std::string table(const std::vector<std::string>& titles, std::span<const std::vector<std::string>> rows,
                  size_t width);

}  // namespace trainjobc::base
