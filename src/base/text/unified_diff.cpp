// SPDX-License-Identifier: Apache-2.0

#include "base/text/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/edit_script.h"

namespace trainjobc::base {
namespace {

using LineList = std::vector<std::string_view>;

// Lines with their breaks.
LineList split(std::string_view text) {
  LineList lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string range(size_t first, size_t count) {
  if (count == 1) return std::to_string(first);
  return fmt::format("{},{}", count == 0 ? first - 1 : first, count);
}

// The edits from `begin` to `end` as a hunk; line numbers are those of the first edit.
std::string print_hunk(const std::vector<MarkedLine>& edits, size_t begin, size_t end, size_t old_line,
                       size_t new_line) {
  std::string body;
  size_t old_count = 0;
  size_t new_count = 0;
  for (size_t i = begin; i < end; ++i) {
    if (edits[i].mark != '+') ++old_count;
    if (edits[i].mark != '-') ++new_count;
    body += edits[i].mark;
    body += edits[i].line;
    if (!edits[i].line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range(old_line, old_count), range(new_line, new_count), body);
}

}  // namespace

std::string unified_hunks(std::string_view old_text, std::string_view new_text) {
  constexpr size_t kContext = 3;
  const std::vector<MarkedLine> edits = edit_script(split(old_text), split(new_text));
  std::string out;
  size_t old_line = 1;
  size_t new_line = 1;
  size_t counted = 0;  // edits whose lines old_line and new_line have passed
  const auto advance = [&](size_t to) {
    for (; counted < to; ++counted) {
      if (edits[counted].mark != '+') ++old_line;
      if (edits[counted].mark != '-') ++new_line;
    }
  };
  const auto is_change = [](const MarkedLine& line) { return line.mark != ' '; };
  for (size_t i = 0; i < edits.size();) {
    if (!is_change(edits[i])) {
      ++i;
      continue;
    }
    const size_t begin = i > kContext ? std::max(i - kContext, counted) : 0;
    size_t end = i + 1;  // one past the last change of the hunk
    for (size_t j = end; j < edits.size() && j <= end + 2 * kContext; ++j) {
      if (is_change(edits[j])) end = j + 1;
    }
    const size_t stop = std::min(end + kContext, edits.size());
    advance(begin);
    out += print_hunk(edits, begin, stop, old_line, new_line);
    advance(stop);
    i = stop;
  }
  return out;
}

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name) {
  if (old_text == new_text) return "";
  return fmt::format("--- {}\n+++ {}\n{}", old_name, new_name, unified_hunks(old_text, new_text));
}

}  // namespace trainjobc::base
