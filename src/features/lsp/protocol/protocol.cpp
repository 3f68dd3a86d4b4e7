// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/protocol/protocol.h"

#include <algorithm>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "base/text/unicode.h"
#include "lint/report/findings.h"

namespace trainjobc::lsp {
namespace {

// The value of a hexadecimal digit; nullopt for another character.
std::optional<unsigned> hex_digit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const size_t value = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
  return value == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(value));
}

// Without its %XX; nullopt if one is not valid, or stands for a zero byte.
std::optional<std::string> decode_percents(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return decoded;
}

}  // namespace

size_t offset_of(const base::SourceFile& file, Position position) {
  if (position.line >= file.line_count()) return file.text().size();
  const uint32_t line = position.line + 1;
  return file.line_start(line) + base::utf16_offset(file.line(line), position.character);
}

Position position_of(const base::SourceFile& file, size_t offset) {
  const size_t inside = std::min(offset, file.text().size());
  const uint32_t line = std::max<uint32_t>(file.line_at(inside), 1);
  const std::string_view before = file.text().substr(file.line_start(line), inside - file.line_start(line));
  // A position after the last line break is on a line of its own.
  if (before.ends_with('\n')) return {line, 0};
  return {line - 1, static_cast<uint32_t>(base::utf16_length(before))};
}

Position position_of(const base::SourceFile& file, uint32_t line, uint32_t column) {
  if (line == 0) return {};
  const std::string_view text = file.line(line);
  const size_t bytes = std::min<size_t>(column == 0 ? 0 : column - 1, text.size());
  return {line - 1, static_cast<uint32_t>(base::utf16_length(text.substr(0, bytes)))};
}

Range range_of(const base::Location& at) {
  const Position start = position_of(*at.file, at.line, at.column);
  const Position end = position_of(*at.file, std::max(at.line, at.end_line), at.end_column);
  return {start, std::max(start, end)};
}

std::optional<Location> location_of(const base::Location& at) {
  if (!at.file || lint::is_built_in(at.file->name())) return std::nullopt;
  return Location{base::absolute_path(at.file->name()), range_of(at)};
}

std::string uri_of(std::string_view path) {
  return lint::to_uri(path);
}

std::optional<std::string> path_of(std::string_view uri) {
  if (!uri.starts_with(kFileScheme)) return std::nullopt;
  uri.remove_prefix(kFileScheme.size());
  const size_t slash = uri.find('/');
  const std::string_view host = uri.substr(0, slash);
  if (slash == std::string_view::npos || (!host.empty() && host != "localhost")) return std::nullopt;
  const std::string_view path = uri.substr(slash, uri.find_first_of("?#", slash) - slash);
  const auto decoded = decode_percents(path);
  return decoded ? std::optional(base::absolute_path(*decoded)) : std::nullopt;
}

}  // namespace trainjobc::lsp
