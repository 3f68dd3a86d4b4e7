// SPDX-License-Identifier: Apache-2.0

#include "yaml/token.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainjobc::yaml {
namespace {

// The offset one past the closing quote; npos if it isn't closed.
size_t quoted_end(std::string_view text, char quote) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote != '\'' || i + 1 == text.size() || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

// Whether the line opens more flow collections before this column than it closes: commas then end a token.
bool opens_flow(std::string_view before) {
  int depth = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const char c = before[i];
    if (c == '"' || c == '\'') {
      i += std::min(quoted_end(before.substr(i), c), before.size() - i) - 1;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return depth > 0;
}

size_t plain_length(std::string_view text, bool in_flow) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool last = end + 1 == text.size();
    if (c == ':' && (last || base::is_blank(text[end + 1]))) break;
    if (c == '#' && end > 0 && base::is_blank(text[end - 1])) break;
    if (in_flow && (c == ',' || c == ']' || c == '}' || c == '[' || c == '{')) break;
  }
  while (end > 0 && base::is_blank(text[end - 1])) --end;
  return end;
}

size_t word_length(std::string_view text) {
  return std::min(text.find_first_of(base::kBlanks), text.size());
}

// The length of a token that ends on its line.
size_t token_length(std::string_view text, bool in_flow) {
  switch (text.front()) {
    case '[':
    case ']':
    case '{':
    case '}':
    case ',': return 1;
    case '|':
    case '>': return word_length(text);
    case '-': return text.size() == 1 || base::is_blank(text[1]) ? 1 : plain_length(text, in_flow);
    case '*': return std::min(text.find_first_of(" \t,]}:"), text.size());
    case '&':
    case '!': return word_length(text);
    default: return plain_length(text, in_flow);
  }
}

}  // namespace

base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column, bool in_flow) {
  const std::string_view text = file.line(line);
  const size_t at = std::min<size_t>(column == 0 ? 0 : column - 1, text.size());
  const auto begin = static_cast<uint32_t>(at + 1);
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return {&file, line, begin, line, begin + 1};
  if (rest.front() != '"' && rest.front() != '\'') {
    const size_t length = std::max<size_t>(token_length(rest, in_flow), 1);
    return {&file, line, begin, line, begin + static_cast<uint32_t>(length)};
  }
  const size_t offset = file.line_start(line) + at;
  const size_t length = quoted_end(file.text().substr(offset), rest.front());
  if (length == std::string_view::npos) {
    return {&file, line, begin, line, begin + static_cast<uint32_t>(rest.size())};
  }
  const uint32_t end_line = file.line_at(offset + length - 1);
  const size_t end_column = offset + length - file.line_start(end_line) + 1;
  return {&file, line, begin, end_line, static_cast<uint32_t>(end_column)};
}

base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column) {
  const std::string_view text = file.line(line);
  const size_t before = std::min<size_t>(column == 0 ? 0 : column - 1, text.size());
  return token_location(file, line, column, opens_flow(text.substr(0, before)));
}

}  // namespace trainjobc::yaml
