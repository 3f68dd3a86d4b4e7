// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/parsed_text.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
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

ParsedText::ParsedText(std::string name, std::string text, const ParsedText* before)
    : file(std::make_shared<base::SourceFile>(std::move(name), std::move(text))) {
  std::unordered_set<std::string_view> known;
  for (const Part& part : before ? before->parts : std::vector<Part>()) {
    if (part.is_readable) known.insert(part.document.text);
  }
  base::Diagnostics problems;
  for (const yaml::FoundDocument& found : yaml::find_documents(*file, problems))
    parts.push_back({found, known.contains(found.text) || can_read(found)});
  is_readable = !problems.has_errors() && std::ranges::all_of(parts, &Part::is_readable);
}

const std::vector<yaml::Document>& ParsedText::documents() const {
  if (documents_) return documents_->list;
  documents_ = std::make_unique<Documents>();
  base::Diagnostics problems;
  for (const Part& part : parts)
    std::ranges::move(yaml::read_document(part.document, documents_->arena, problems),
                      std::back_inserter(documents_->list));
  return documents_->list;
}

const std::vector<compile::InputObject>& ParsedText::objects() const {
  if (objects_) return objects_->list;
  objects_ = std::make_unique<Objects>();
  for (const Part& part : parts) {
    for (compile::InputObject& object : compile::read_objects(part.document, {}, objects_->memory).objects) {
      if (object.kind == compile::InputKind::TrainJob || object.is_runtime())
        objects_->list.push_back(object);
    }
  }
  return objects_->list;
}

std::shared_ptr<const ParsedText> parse_text(std::string name, std::string text, const ParsedText* before) {
  return std::make_shared<const ParsedText>(std::move(name), std::move(text), before);
}

std::string with_readable_documents(const ParsedText& current, const ParsedText& readable) {
  if (current.parts.size() != readable.parts.size() || current.parts.empty())
    return std::string(readable.file->text());
  const std::string_view text = current.file->text();
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < current.parts.size(); ++i) {
    if (current.parts[i].is_readable) continue;
    const std::string_view broken = current.parts[i].document.text;
    const auto begin = static_cast<size_t>(broken.data() - text.data());
    out += text.substr(at, begin - at);
    out += readable.parts[i].document.text;
    at = begin + broken.size();
  }
  return out.append(text.substr(at));
}

std::string without_documents(std::string_view text, const std::vector<yaml::FoundDocument>& documents) {
  std::string out;
  size_t at = 0;
  for (const yaml::FoundDocument& document : documents) {
    const auto begin = static_cast<size_t>(document.text.data() - text.data());
    out += text.substr(at, begin - at);
    out.append(static_cast<size_t>(std::ranges::count(document.text, '\n')), '\n');
    at = begin + document.text.size();
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
