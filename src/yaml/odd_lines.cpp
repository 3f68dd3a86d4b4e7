#include "yaml/odd_lines.h"

namespace trainjobc::yaml {

std::optional<size_t> indenting_tab(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t first = text.find_first_not_of(' ', begin);
  if (first == std::string_view::npos || text[first] != '\t') return std::nullopt;
  return first;
}

std::optional<size_t> left_out(std::string_view text, size_t offset) {
  const size_t end = text.find_last_not_of(" \t\r\n", offset);
  if (end == std::string_view::npos || end < 3 || !text.substr(0, end + 1).ends_with("..."))
    return std::nullopt;
  const size_t dots = end - 2;
  const char before = text[dots - 1];
  const size_t line = text.find_last_not_of(" \t", dots - 1);
  const bool is_alone = line == std::string_view::npos || text[line] == '\n';
  return is_alone && (before == ' ' || before == '\t') ? std::optional(dots) : std::nullopt;
}

}  // namespace trainjobc::yaml
