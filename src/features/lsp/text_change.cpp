// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/text_change.h"

#include <algorithm>

#include "base/text/unicode.h"

namespace trainjobc::lsp {
namespace {

constexpr std::string_view kLineEnds = "\r\n";

// The first byte after the line break at `end`.
size_t after_break(std::string_view text, size_t end) {
  if (end >= text.size()) return text.size();
  return text.substr(end).starts_with("\r\n") ? end + 2 : end + 1;
}

// The byte offset of a position, looked for from the beginning of line `line` at `begin`.
struct Cursor {
  size_t begin = 0;
  uint32_t line = 0;

  size_t find(std::string_view text, Position position) {
    while (line < position.line) {
      const size_t end = text.find_first_of(kLineEnds, begin);
      if (end == std::string_view::npos) return text.size();
      begin = after_break(text, end);
      ++line;
    }
    const size_t end = std::min(text.find_first_of(kLineEnds, begin), text.size());
    return begin + base::utf16_offset(text.substr(begin, end - begin), position.character);
  }
};

}  // namespace

void apply_change(std::string& text, const TextChange& change) {
  if (!change.range) {
    text = change.text;
    return;
  }
  Cursor cursor;
  const size_t start = cursor.find(text, change.range->start);
  const Position last = std::max(change.range->start, change.range->end);
  const size_t end = std::max(start, cursor.find(text, last));
  text.replace(start, end - start, change.text);
}

}  // namespace trainjobc::lsp
