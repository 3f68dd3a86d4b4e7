#include "yaml/token.h"

#include <algorithm>

namespace trainjobc::yaml {
namespace {

// The offset one past the closing quote, or the text's size where it isn't closed on this line.
size_t quoted_end(std::string_view text, char quote) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
        ++i;
        continue;
      }
      return i + 1;
    }
  }
  return text.size();
}

// Whether the line opens more flow collections before this column than it closes: commas then end a token.
bool in_flow(std::string_view before) {
  int depth = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const char c = before[i];
    if (c == '"' || c == '\'') {
      const size_t skip = quoted_end(before.substr(i), c);
      i += skip - 1;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return depth > 0;
}

size_t plain_end(std::string_view text, bool flow) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool last = end + 1 == text.size();
    if (c == ':' && (last || text[end + 1] == ' ' || text[end + 1] == '\t')) break;
    if (c == '#' && end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) break;
    if (flow && (c == ',' || c == ']' || c == '}' || c == '[' || c == '{')) break;
  }
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  return end;
}

size_t token_length(std::string_view before, std::string_view text) {
  if (text.empty()) return 0;
  switch (text.front()) {
    case '"':
    case '\'': return quoted_end(text, text.front());
    case '[':
    case ']':
    case '{':
    case '}':
    case ',': return 1;
    case '|':
    case '>': return std::min(text.find_first_of(" \t"), text.size());
    case '-':
      if (text.size() == 1 || text[1] == ' ') return 1;
      break;
    case '&':
    case '!': return std::min(text.find_first_of(" \t"), text.size());
    default: break;
  }
  return plain_end(text, in_flow(before));
}

}  // namespace

base::Location token_location(const base::SourceFile& file, uint32_t line, uint32_t column) {
  const std::string_view text = file.line(line);
  const size_t at = std::min<size_t>(column == 0 ? 0 : column - 1, text.size());
  const size_t length = std::max<size_t>(token_length(text.substr(0, at), text.substr(at)), 1);
  const auto begin = static_cast<uint32_t>(at + 1);
  return {&file, line, begin, line, begin + static_cast<uint32_t>(length)};
}

}  // namespace trainjobc::yaml
