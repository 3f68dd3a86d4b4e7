// SPDX-License-Identifier: Apache-2.0

#include "inputs/gitops/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/text.h"

namespace trainjobc::gitops {
namespace {

// Calls `use` with the name, the offset and the size of each variable in the text, up to its operator:
// "${name}", "${name:=".
template <class Use>
void for_each_variable(std::string_view text, Use use) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const size_t begin = at + 2 + (text.substr(at + 2).starts_with('#') ? 1 : 0);
    size_t end = begin;
    while (end < text.size() && (base::is_alnum(text[end]) || text[end] == '_')) ++end;
    const bool is_variable = end > begin && end < text.size() &&
                             std::string_view("}:=,^/#%").find(text[end]) != std::string_view::npos;
    const bool is_escaped = at > 0 && text[at - 1] == '$';
    if (is_variable && !is_escaped) use(text.substr(begin, end - begin), at, end - at);
  }
}

// The closing brace of the variable that begins at `at`; npos if it has none.
size_t closing_brace(std::string_view text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The lines that a value may take, as far as they belong to it.
std::string_view line_of_value(const base::Location& at, uint32_t line, size_t& before) {
  std::string_view text = at.file->line(line);
  before = line == at.line ? std::min<size_t>(at.column - 1, text.size()) : 0;
  // Other values may stand beside it.
  if (line == at.end_line) text = text.substr(0, at.end_column - 1);
  return text.substr(std::min(before, text.size()));
}

uint32_t last_line_of(const base::Location& at) {
  constexpr uint32_t kMostLines = 1000;
  const std::string_view first = at.file->line(at.line);
  const std::string_view from = first.substr(std::min<size_t>(at.column - 1, first.size()));
  const bool is_quoted = from.starts_with('"') || from.starts_with('\'');
  return is_quoted ? at.end_line
                   : std::max(at.end_line, std::min(at.line + kMostLines, at.file->line_count()));
}

}  // namespace

Reference reference_in(std::string_view text) {
  Reference reference;
  reference.text = text;
  for_each_variable(text, [&](std::string_view name, size_t, size_t) {
    if (!base::contains(reference.names, name)) reference.names.emplace_back(name);
  });
  reference.is_whole = text.starts_with("${") && closing_brace(text, 0) + 1 == text.size();
  return reference;
}

Place beginning_of(const base::Location& at) {
  return {at.file ? at.file->name() : "", at.line, at.column};
}

base::Location place_in(const base::Location& at, std::string_view name, Use use) {
  if (!at.file || at.line == 0) return at;
  const uint32_t last = last_line_of(at);
  for (uint32_t line = at.line; line <= last; ++line) {
    size_t before = 0;
    const std::string_view text = line_of_value(at, line, before);
    std::optional<base::Location> found;
    for_each_variable(text, [&](std::string_view own, size_t begin, size_t size) {
      const std::string_view rest = text.substr(begin + size);
      const bool has_default = rest.starts_with('=') || rest.starts_with(":=") || rest.starts_with(":-") ||
                               rest.starts_with(":?") || rest.starts_with(":+");
      if (found || own != name || (use == Use::WithoutDefault && has_default)) return;
      const size_t end = std::min(text.find('}', begin), text.size() - 1);
      found = base::Location{at.file, line, static_cast<uint32_t>(before + begin + 1), line,
                             static_cast<uint32_t>(before + end + 2)};
    });
    if (found) return *found;
  }
  return at;
}

namespace {

// The reference whose value the finding is about; nullptr if there is none.
const Reference* reference_at(const std::map<Place, Reference>& references, const base::Diagnostic& found) {
  if (!found.location.file || found.rule == "advice/flux-variable") return nullptr;
  const auto known = references.find(beginning_of(found.location));
  return known != references.end() ? &known->second : nullptr;
}

// Quotes of the file don't survive, because kustomize writes its own.
void suggest_quotes(const Reference& reference, base::Diagnostic& found) {
  found.hint = fmt::format(
      "write ${{quote}}{}${{quote}}, with quote: '\"' under spec.postBuild.substitute: quotes in the file "
      "don't survive Flux",
      reference.text);
  found.fix.clear();
}

}  // namespace

void explain_reference(const Root& root, const std::map<Place, Reference>& references,
                       base::Diagnostic& found) {
  const Reference* reference = reference_at(references, found);
  if (!reference) return;
  found.fix.clear();
  const base::Location object = root.location;
  std::vector<base::Note> notes;
  const bool lacks_quotes =
      found.rule == "input/type" && found.message.find(" must be a string, ") != std::string::npos;
  if (lacks_quotes) suggest_quotes(*reference, found);
  for (const std::string& name : reference->names) {
    const auto definition = root.definitions.find(name);
    if (definition == root.definitions.end()) continue;
    if (reference->is_whole && !lacks_quotes) {
      notes.push_back({fmt::format("{} stands for it", reference->text), found.location});
      found.location = definition->second;
      break;
    }
    notes.push_back({fmt::format("the value of {}", name), definition->second});
  }
  notes.push_back({fmt::format("{} of {} replaces it", root.title, root.cluster), object});
  std::ranges::move(notes, std::back_inserter(found.notes));
}

}  // namespace trainjobc::gitops
