// SPDX-License-Identifier: Apache-2.0

#include "tools/lsp/parsed_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trainjobc::lsp {
namespace {

bool can_read(const yaml::FoundDocument& document) {
  base::Arena arena;
  base::Diagnostics problems;
  yaml::read_document(document, arena, problems);
  return !problems.has_errors();
}

}  // namespace

std::shared_ptr<const ParsedText> parse_text(std::string name, std::string text) {
  auto parsed = std::make_shared<ParsedText>();
  parsed->file = std::make_shared<base::SourceFile>(std::move(name), std::move(text));
  base::Diagnostics problems;
  for (const yaml::FoundDocument& found : yaml::find_documents(*parsed->file, problems)) {
    std::ranges::move(yaml::read_document(found, parsed->arena, problems),
                      std::back_inserter(parsed->documents));
    for (compile::InputObject& object : compile::read_objects(found, {}, parsed->memory).objects) {
      if (object.kind == compile::InputKind::TrainJob || object.is_runtime())
        parsed->objects.push_back(object);
    }
  }
  parsed->is_readable = !problems.has_errors();
  return parsed;
}

std::string with_readable_documents(const ParsedText& current, const ParsedText& readable) {
  base::Diagnostics problems;
  const auto documents = yaml::find_documents(*current.file, problems);
  const auto before = yaml::find_documents(*readable.file, problems);
  if (problems.has_errors() || documents.size() != before.size()) return std::string(readable.file->text());
  const std::string_view text = current.file->text();
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (can_read(documents[i])) continue;
    const auto begin = static_cast<size_t>(documents[i].text.data() - text.data());
    out += text.substr(at, begin - at);
    out += before[i].text;
    at = begin + documents[i].text.size();
  }
  return out.append(text.substr(at));
}

LineMap::LineMap(const base::SourceFile& from, const base::SourceFile& to)
    : from_(from.line_count()), to_(to.line_count()) {
  const uint32_t shorter = std::min(from_, to_);
  while (first_ < shorter && from.line(first_ + 1) == to.line(first_ + 1)) ++first_;
  while (last_ < shorter - first_ && from.line(from_ - last_) == to.line(to_ - last_)) ++last_;
}

uint32_t LineMap::operator()(uint32_t line) const {
  if (line <= first_) return line;
  return line > from_ - last_ && line <= from_ ? line - from_ + to_ : 0;
}

}  // namespace trainjobc::lsp
