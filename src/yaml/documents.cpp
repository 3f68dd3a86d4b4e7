#include "yaml/documents.h"

#include <fmt/format.h>

namespace trainjobc::yaml {
namespace {

using base::Diagnostic;
using base::Severity;
using base::Stage;

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool is_end_marker(std::string_view line) {
  return line.starts_with("...") && (line.size() == 3 || line[3] == ' ' || line[3] == '\t');
}

base::Location line_location(const base::SourceFile& file, uint32_t line, uint32_t column, size_t length) {
  return {&file, line, column, line, column + static_cast<uint32_t>(std::max<size_t>(length, 1))};
}

void report_separator(const base::SourceFile& file, uint32_t line, base::Diagnostics& diagnostics) {
  const std::string_view text = file.line(line);
  const size_t at = std::min(text.find_first_not_of(" \t", 3), text.size());
  diagnostics.add({.rule = "yaml/document-separator",
                   .stage = Stage::Yaml,
                   .severity = Severity::Error,
                   .message = "a document can't begin on the line of its \"---\" separator: Kubernetes splits "
                              "files there and refuses the rest of the line",
                   .hint = "begin it on the next line",
                   .location = line_location(file, line, static_cast<uint32_t>(at + 1), text.size() - at)});
}

// The length of the text up to its `...` line; warns where more than comments stands below it.
size_t length_to_end_marker(const base::SourceFile& file, const Chunk& chunk, base::Diagnostics& diagnostics) {
  uint32_t number = chunk.first_line;
  size_t length = 0;
  bool ended = false;
  for (size_t at = 0; at < chunk.text.size(); ++number) {
    const size_t next = std::min(chunk.text.find('\n', at), chunk.text.size() - 1) + 1;
    const std::string_view line = file.line(number);
    const std::string_view content = trim(line);
    if (!ended && is_end_marker(line)) {
      ended = true;
      length = at;
    } else if (ended && !content.empty() && content.front() != '#' && !is_end_marker(line)) {
      diagnostics.add({.rule = "yaml/after-document-end",
                       .stage = Stage::Yaml,
                       .severity = Severity::Warning,
                       .message = "nothing below the document end marker \"...\" is read by Kubernetes",
                       .hint = "put a line \"---\" before it",
                       .location = line_location(file, number, 1, line.size())});
      break;
    }
    at = next;
  }
  return ended ? length : chunk.text.size();
}

struct Utf8Step {
  size_t length = 0;  // 0: broken
  uint32_t code = 0;
};

Utf8Step decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {length, code};
}

bool is_allowed(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0x7F || code == 0x85 || code >= 0xA0) && code != 0xFFFE && code != 0xFFFF;
}

}  // namespace

std::vector<Chunk> split_documents(const base::SourceFile& file, base::Diagnostics& diagnostics) {
  std::vector<Chunk> chunks;
  const std::string_view text = file.text();
  Chunk chunk{text, 1};
  const auto finish = [&](size_t end) {
    const auto begin = static_cast<size_t>(chunk.text.data() - text.data());
    chunk.text = text.substr(begin, end - begin);
    chunk.text = chunk.text.substr(0, length_to_end_marker(file, chunk, diagnostics));
    if (!trim(chunk.text).empty()) chunks.push_back(chunk);
  };
  for (uint32_t line = 1; line <= file.line_count(); ++line) {
    const size_t start = file.line_start(line);
    if (!text.substr(start).starts_with("---")) continue;
    const std::string_view rest = trim(file.line(line).substr(3));
    finish(start);
    if (!rest.empty() && rest.front() != '#') report_separator(file, line, diagnostics);
    chunk = {text.substr(file.line_start(line + 1)), line + 1};
  }
  finish(text.size());
  return chunks;
}

bool check_characters(const base::SourceFile& file, base::Diagnostics& diagnostics) {
  const std::string_view text = file.text();
  uint32_t line = 1;
  size_t line_begin = 0;
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') {
      ++line;
      line_begin = at + 1;
    }
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\r' || byte == '\t') {
      ++at;
      continue;
    }
    const Utf8Step step = decode(text.substr(at));
    if (step.length != 0 && is_allowed(step.code)) {
      at += step.length;
      continue;
    }
    const auto column = static_cast<uint32_t>(at - line_begin + 1);
    diagnostics.add(
        {.rule = "yaml/character",
         .stage = Stage::Yaml,
         .severity = Severity::Error,
         .message = step.length == 0 ? fmt::format("the file is not UTF-8: byte 0x{:02x}", byte)
                                     : fmt::format("control character U+{:04X} is not allowed in YAML", step.code),
         .hint = step.length == 0 ? "save the file as UTF-8" : "write it as an escape in a double-quoted string",
         .location = line_location(file, line, column, 1)});
    return false;
  }
  return true;
}

}  // namespace trainjobc::yaml
