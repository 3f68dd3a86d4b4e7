// SPDX-License-Identifier: Apache-2.0

#include "yaml/read/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text/text.h"
#include "rules/rules.h"

namespace trainjobc::yaml {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr uint32_t kByteOrderMarkCode = 0xFEFF;

bool is_end_marker(std::string_view line) {
  return line.starts_with("...") && (line.size() == 3 || base::is_blank(line[3]));
}

base::Location line_location(const base::SourceFile& file, uint32_t line, uint32_t column, size_t length) {
  return {&file, line, column, line, column + static_cast<uint32_t>(std::max<size_t>(length, 1))};
}

void report_separator(const base::SourceFile& file, uint32_t line, base::Diagnostics& diagnostics) {
  const std::string_view text = file.line(line);
  const size_t at = std::min(text.find_first_not_of(base::kBlanks, 3), text.size());
  base::Diagnostic found =
      rules::finding("yaml/document-separator",
                     "a document can't start on the line of its \"---\" separator: Kubernetes splits "
                     "files there and refuses the rest of the line",
                     "start it on the next line",
                     line_location(file, line, static_cast<uint32_t>(at + 1), text.size() - at));
  // Only a map in braces can be moved: other documents would lack their first line, and get other fixes.
  const auto begin = static_cast<uint32_t>(at + 1);
  if (text.substr(at).starts_with('{')) base::suggest_fix(found, {{{&file, line, 4, line, begin}, "\n"}});
  diagnostics.add(std::move(found));
}

void report_end_marker(const base::SourceFile& file, uint32_t line, base::Diagnostics& diagnostics) {
  base::Diagnostic found = rules::finding("yaml/document-end", "there is no document for \"...\" to end",
                                          "remove it", line_location(file, line, 1, 3));
  base::suggest_fix(found, {{base::whole_line(file, line), ""}});
  diagnostics.add(std::move(found));
}

// `lacks_separator`: there is a document above the marker.
void report_unread(const base::SourceFile& file, uint32_t line, bool lacks_separator,
                   base::Diagnostics& diagnostics) {
  base::Diagnostic found = rules::finding(
      "yaml/after-document-end", "Kubernetes ignores everything after the document end marker \"...\"",
      "put a line \"---\" before it", line_location(file, line, 1, file.line(line).size()));
  if (lacks_separator) base::suggest_fix(found, {{{&file, line, 1, line, 1}, "---\n"}});
  diagnostics.add(std::move(found));
}

bool has_content(std::string_view line) {
  const std::string_view content = base::trimmed(line);
  return !content.empty() && content.front() != '#';
}

// The length of the text up to its `...` line. Reports a marker without a document, and content below it
// other than comments. `begun`: a "---" marker has begun the document.
size_t length_to_end_marker(const base::SourceFile& file, const Chunk& chunk, bool begun,
                            base::Diagnostics& diagnostics) {
  if (!chunk.text.starts_with("...") && chunk.text.find("\n...") == std::string_view::npos) {
    return chunk.text.size();
  }
  uint32_t number = chunk.first_line;
  size_t length = 0;
  size_t at = 0;
  for (;; ++number) {
    if (at >= chunk.text.size()) return chunk.text.size();
    const std::string_view line = file.line(number);
    if (is_end_marker(line)) break;
    begun = begun || has_content(line);
    at = std::min(chunk.text.find('\n', at), chunk.text.size() - 1) + 1;
  }
  length = at;
  if (!begun) report_end_marker(file, number, diagnostics);
  while (at < chunk.text.size()) {
    at = std::min(chunk.text.find('\n', at), chunk.text.size() - 1) + 1;
    ++number;
    if (at >= chunk.text.size() || !has_content(file.line(number)) || is_end_marker(file.line(number)))
      continue;
    report_unread(file, number, begun, diagnostics);
    break;
  }
  return length;
}

bool is_allowed(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0x7F || code == 0x85 || code >= 0xA0) && code != 0xFFFE && code != 0xFFFF;
}

// The offset of the first byte at or after `at` that is not plain ASCII text; the text's size if there is
// none.
size_t skip_ascii(std::string_view text, size_t at) {
  constexpr uint64_t kHigh = 0x8080808080808080U;
  constexpr uint64_t kOnes = 0x0101010101010101U;
  while (true) {
    for (; at + 8 <= text.size(); at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, sizeof word);
      // The high bit is set in a byte above 0x7E, one that had it already, or one below 0x20.
      if ((((word + kOnes) | word | (word - 0x20 * kOnes)) & kHigh) != 0) break;
    }
    const size_t end = std::min(text.size(), at + 8);
    for (; at < end; ++at) {
      const char c = text[at];
      if ((c < 0x20 || c > 0x7E) && c != '\n' && c != '\r' && c != '\t') return at;
    }
    if (at >= text.size()) return text.size();
  }
}

void report_character(const base::SourceFile& file, size_t offset, const base::CodePoint& point,
                      base::Diagnostics& diagnostics) {
  const auto byte = static_cast<unsigned char>(file.text()[offset]);
  const bool broken = point.length == 0;
  const bool is_mark = point.value == kByteOrderMarkCode;
  diagnostics.add(rules::finding(
      "yaml/character",
      broken    ? fmt::format("the file is not UTF-8: byte 0x{:02x}", byte)
      : is_mark ? "a byte order mark is not allowed here"
                : fmt::format("control character U+{:04X} is not allowed in YAML", point.value),
      broken    ? "save the file as UTF-8"
      : is_mark ? "remove it"
                : "write it as an escape in a double-quoted string",
      location_of(file, {offset, offset + std::max<size_t>(point.length, 1)})));
}

// Whether a line break of any kind ends before `at`.
bool follows_break(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  return std::string_view("\n\r").find(before.back()) != std::string_view::npos ||
         before.ends_with("\xC2\x85") || before.ends_with("\xE2\x80\xA8") || before.ends_with("\xE2\x80\xA9");
}

}  // namespace

std::vector<Chunk> split_documents(const base::SourceFile& file, base::Diagnostics& diagnostics) {
  std::vector<Chunk> chunks;
  const std::string_view text = file.text();
  Chunk chunk{text, 1};
  bool begun = false;  // Kubernetes keeps a separator with nothing above it as its document's first line
  const auto finish = [&](size_t end) {
    const auto begin = static_cast<size_t>(chunk.text.data() - text.data());
    chunk.text = text.substr(begin, end - begin);
    chunk.text = chunk.text.substr(0, length_to_end_marker(file, chunk, begun, diagnostics));
    if (!begun && chunk.text.starts_with(kByteOrderMark)) chunk.text.remove_prefix(kByteOrderMark.size());
    if (chunk.text.find_first_not_of(" \r\n") != std::string_view::npos) chunks.push_back(chunk);
  };
  const auto separate = [&](uint32_t line) {
    const size_t end = file.line_start(line);
    const bool is_empty = chunk.text.data() == text.data() + end;
    finish(end);
    begun = is_empty && !begun;
    const std::string_view rest = base::trimmed(file.line(line).substr(3));
    // For the parser, a lone "\r" ends a comment.
    const bool is_comment = rest.starts_with('#') && rest.find('\r') == std::string_view::npos;
    // The part that Kubernetes keeps goes to the parser, for which white space must follow a marker.
    const bool is_text = begun && file.line(line).starts_with("---#");
    if ((!rest.empty() && !is_comment) || is_text) report_separator(file, line, diagnostics);
    chunk = {text.substr(file.line_start(line + 1)), line + 1};
  };
  if (text.starts_with("---")) separate(1);
  for (size_t at = text.find("\n---"); at != std::string_view::npos; at = text.find("\n---", at + 1)) {
    separate(file.line_at(at + 1));
  }
  finish(text.size());
  return chunks;
}

bool check_encoding(const base::SourceFile& file, base::Diagnostics& diagnostics) {
  const std::string_view text = file.text();
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool wide = text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
  if (!marked && !wide) return true;
  diagnostics.add(rules::finding("yaml/encoding", "the file is UTF-16 or UTF-32", "save it as UTF-8",
                                 {&file, 0, 0, 0, 0}));
  return false;
}

bool check_characters(const base::SourceFile& file, const Chunk& chunk, base::Diagnostics& diagnostics) {
  const std::string_view text = chunk.text;
  for (size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const base::CodePoint point = base::decode_utf8(text.substr(at));
    // libyaml skips a byte order mark at the beginning of a line; Kubernetes' parser reads it as text.
    const bool is_mark = point.value == kByteOrderMarkCode && (at == 0 || follows_break(text, at));
    if (point.length == 0 || is_mark || !is_allowed(point.value)) {
      const auto offset = static_cast<size_t>(text.data() - file.text().data()) + at;
      report_character(file, offset, point, diagnostics);
      return false;
    }
    at += point.length;
  }
  return true;
}

std::string without_documents(std::string_view text, std::span<const FoundDocument> documents) {
  std::string out;
  size_t at = 0;
  for (const FoundDocument& document : documents) {
    const auto begin = static_cast<size_t>(document.text.data() - text.data());
    out += text.substr(at, begin - at);
    for (size_t end = document.text.find('\n'); end != std::string_view::npos;
         end = document.text.find('\n', end + 1)) {
      out += '\n';
    }
    at = begin + document.text.size();
  }
  return out.append(text.substr(at));
}

}  // namespace trainjobc::yaml
