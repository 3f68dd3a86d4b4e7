// SPDX-License-Identifier: Apache-2.0

#include "base/text/layout.h"

#include <algorithm>
#include <array>

#include "base/text/printable.h"
#include "base/text/text.h"

namespace trainjobc::base {

size_t column_width(uint32_t code) {
  struct Range {
    uint32_t first;
    uint32_t last;
    size_t width;
  };
  static constexpr auto kRanges = std::to_array<Range>({{0x300, 0x36F, 0},
                                                        {0x1100, 0x115F, 2},
                                                        {0x2E80, 0xA4CF, 2},
                                                        {0xAC00, 0xD7A3, 2},
                                                        {0xF900, 0xFAFF, 2},
                                                        {0xFE00, 0xFE0F, 0},
                                                        {0xFE30, 0xFE6F, 2},
                                                        {0xFF01, 0xFF60, 2},
                                                        {0xFFE0, 0xFFE6, 2},
                                                        {0x1F300, 0x1F64F, 2},
                                                        {0x1F680, 0x1F6FF, 2},
                                                        {0x1F900, 0x1F9FF, 2},
                                                        {0x20000, 0x3FFFD, 2}});
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return range.width;
  }
  return 1;
}

size_t display_width(std::string_view line) {
  size_t columns = 0;
  while (!line.empty()) {
    const size_t plain =
        std::ranges::find_if(line,
                             [](char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '\033'; }) -
        line.begin();
    columns += plain;
    line.remove_prefix(plain);
    if (line.empty()) break;
    if (const size_t colour = colour_length(line)) {
      line.remove_prefix(colour);
      continue;
    }
    const CodePoint point = decode_utf8(line);
    columns += point.length == 0 ? 1 : column_width(point.value);
    line.remove_prefix(std::max<size_t>(point.length, 1));
  }
  return columns;
}

std::string wrap(std::string_view line, size_t width, size_t indent) {
  if (width == 0 || display_width(line) <= width) return std::string(line);
  const size_t first = indent_of(line);
  std::string out(line.substr(0, first));
  size_t column = first;
  bool is_first = true;
  for (size_t at = first; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const size_t columns = display_width(word);
    if (!is_first && column + 1 + columns > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
    is_first = false;
    at = end + 1;
  }
  return out;
}

std::string cut(std::string_view line, size_t width) {
  if (width == 0 || display_width(line) <= width) return std::string(line);
  size_t columns = 0;
  size_t at = 0;
  while (at < line.size()) {
    const CodePoint point = decode_utf8(line.substr(at));
    const size_t next = point.length == 0 ? 1 : column_width(point.value);
    if (columns + next + 1 > width) break;
    columns += next;
    at += std::max<size_t>(point.length, 1);
  }
  return std::string(line.substr(0, at)) + "…";
}

std::string beside_or_below(const std::vector<std::string>& parts, size_t width, size_t indent) {
  std::string line;
  std::string lines;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    line += line.empty() ? part : "   " + part;
    lines += lines.empty() ? wrap(part, width, indent)
                           : "\n" + wrap(std::string(indent, ' ') + part, width, indent + 2);
  }
  return width == 0 || display_width(line) <= width ? line : lines;
}

std::string table(std::span<const std::vector<std::string>> rows, size_t width) {
  return table({}, rows, width);
}

std::string table(const std::vector<std::string>& titles, std::span<const std::vector<std::string>> rows,
                  size_t width) {
  constexpr size_t kIndent = 4;
  std::vector<size_t> columns;
  const auto widen = [&](const std::vector<std::string>& row) {
    columns.resize(std::max(columns.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) columns[i] = std::max(columns[i], display_width(row[i]));
  };
  widen(titles);
  std::ranges::for_each(rows, widen);
  std::string out;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    size_t end = 0;  // where the columns so far end
    const auto end_line = [&] {
      line.erase(line.find_last_not_of(' ') + 1);
      out += wrap(line, width, kIndent + 2) + "\n";
    };
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_full = i > 0 && width != 0 && end + 2 + columns[i] > width;
      if (is_full) end_line();
      if (is_full) line.assign(kIndent, ' ');
      if (i > 0 && !is_full) line += "  ";
      end = (is_full ? kIndent : i > 0 ? end + 2 : 0) + columns[i];
      line += row[i] + std::string(columns[i] - display_width(row[i]), ' ');
    }
    end_line();
  };
  if (!titles.empty()) add(titles);
  std::ranges::for_each(rows, add);
  return out;
}

}  // namespace trainjobc::base
