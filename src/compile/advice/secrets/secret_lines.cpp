// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/secrets/secret_lines.h"

#include <algorithm>
#include <set>
#include <utility>

#include "k8s/secret_values.h"
#include "schema/redact.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The line of the closing quote of the scalar that begins at the offset.
uint32_t last_quoted_line(const base::SourceFile& file, size_t offset) {
  const std::string_view text = file.text();
  const char quote = text[offset];
  size_t at = offset + 1;
  while (at < text.size() && text[at] != quote) at += quote == '"' && text[at] == '\\' ? 2 : 1;
  return file.line_at(std::min(at, text.size() - 1));
}

// The last line of the value: the end of the lines indented below its first, if it is more than a word.
uint32_t last_line(const base::SourceFile& file, const base::Location& first, const Node& value) {
  const size_t offset = file.line_start(first.line) + first.column - 1;
  if (offset < file.text().size() && (file.text()[offset] == '"' || file.text()[offset] == '\'')) {
    return last_quoted_line(file, offset);
  }
  const std::string_view line = file.line(first.line);
  if (line.find(value.text()) != std::string_view::npos) return first.line;
  uint32_t last = first.line;
  for (uint32_t next = first.line + 1; next <= file.line_count(); ++next) {
    const std::string_view below = file.line(next);
    const bool is_blank = indent_of(below) == below.size();
    if (!is_blank && indent_of(below) <= indent_of(line)) break;
    last = next;
  }
  return last;
}

class SecretLines {
 public:
  void collect(const Node& node) {
    const bool has_key = node.is_string() && k8s::has_key(node.text());
    if (has_key || (node.is_scalar() && node.origin().is_secret())) add(node);
    for (const Node* item : node.items()) collect(*item);
    for (const yaml::Entry& entry : node.entries()) collect(*entry.value);
  }

  bool holds(const base::Location& at) const { return lines_.contains({at.file, at.line}); }

 private:
  void add(const Node& value) {
    const base::Location at = yaml::locate(value);
    if (!at.file) return;
    for (uint32_t line = at.line; line <= last_line(*at.file, at, value); ++line)
      lines_.insert({at.file, line});
  }

  std::set<std::pair<const base::SourceFile*, uint32_t>> lines_;
};

}  // namespace

void hide_secrets(std::span<const Node* const> documents, base::Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  SecretLines lines;
  schema::SecretTexts texts;
  for (const Node* document : documents) {
    lines.collect(*document);
    texts.collect(*document);
  }
  base::Diagnostics hidden;
  for (base::Diagnostic diagnostic : diagnostics.items()) {
    diagnostic.hide_source = diagnostic.hide_source || lines.holds(diagnostic.location);
    diagnostic.message = texts.hide(diagnostic.message);
    diagnostic.hint = texts.hide(diagnostic.hint);
    for (base::Note& note : diagnostic.notes) note.message = texts.hide(note.message);
    hidden.add(std::move(diagnostic));
  }
  diagnostics = std::move(hidden);
}

}  // namespace trainjobc::compile::advice
