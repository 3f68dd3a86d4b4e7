#include "yaml/parser_text.h"

#include <algorithm>

namespace trainjobc::yaml {
namespace {

std::string_view trim_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_line_break_2(std::string_view text, size_t at) {
  return text.substr(at, 2) == "\xC2\x85";
}

bool is_line_break_3(std::string_view text, size_t at) {
  const std::string_view part = text.substr(at, 3);
  return part == "\xE2\x80\xA8" || part == "\xE2\x80\xA9";
}

void unify_breaks(std::string& text) {
  for (size_t at = text.find_first_of("\r\xC2\xE2"); at != std::string::npos;
       at = text.find_first_of("\r\xC2\xE2", at + 1)) {
    const bool lone = text[at] == '\r' && text.compare(at + 1, 1, "\n") != 0;
    if (lone) text[at] = text.compare(at + 1, 2, "\r\n") == 0 ? ' ' : '\n';
    if (is_line_break_2(text, at)) text.replace(at, 2, " \n");
    if (is_line_break_3(text, at)) text.replace(at, 3, "  \n");
  }
}

// Whether the rest of a line behind its properties is the header of a block scalar.
bool is_block_header(std::string_view rest) {
  if (!rest.starts_with('|') && !rest.starts_with('>')) return false;
  rest.remove_prefix(1);
  rest.remove_prefix(std::min(rest.find_first_not_of("+-0123456789"), rest.size()));
  rest = trim_blanks(rest);
  return rest.empty() || rest.front() == '#';
}

// Whether it begins a plain scalar that is no key.
bool is_plain_value(std::string_view rest) {
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
  if (rest.empty() || kIndicators.find(rest.front()) != std::string_view::npos) return false;
  return !rest.ends_with(':') && rest.find(": ") == std::string_view::npos &&
         rest.find(":\t") == std::string_view::npos;
}

// Blanks the anchors and tags of a line like `- - &a !!str |2- # comment`: yaml-cpp takes what stands where a
// key could stand for a key, and what follows for its value.
void blank_properties(std::string& text, size_t begin, size_t end) {
  const auto skip_blanks = [&](size_t at) {
    while (at < end && (text[at] == ' ' || text[at] == '\t')) ++at;
    return at;
  };
  size_t at = skip_blanks(begin);
  constexpr std::string_view kEntries = "-?:";
  while (at + 1 < end && kEntries.find(text[at]) != std::string_view::npos && text[at + 1] == ' ') {
    at = skip_blanks(at + 1);
  }
  // Without an entry's indicator this may as well be the first line of a block scalar, whose indentation
  // counts.
  if (at == skip_blanks(begin)) return;
  const size_t properties = at;
  while (at < end && (text[at] == '&' || text[at] == '!')) {
    while (at < end && text[at] != ' ' && text[at] != '\t') ++at;
    at = skip_blanks(at);
  }
  if (at == properties) return;
  const std::string_view rest = trim_blanks(std::string_view(text).substr(at, end - at));
  if (!is_block_header(rest) && !is_plain_value(rest)) return;
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(properties),
            text.begin() + static_cast<std::ptrdiff_t>(at), ' ');
}

}  // namespace

std::string text_for_parser(std::string_view document) {
  if (document.find_first_of("*&!\r\xC2\xE2") == std::string_view::npos) return {};
  std::string text(document);
  unify_breaks(text);
  std::ranges::replace(text, '*', '0');
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    blank_properties(text, begin, end);
    begin = end + 1;
  }
  return text;
}

}  // namespace trainjobc::yaml
