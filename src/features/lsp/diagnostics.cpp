// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/diagnostics.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "policy/plugin.h"
#include "rules/rules.h"

namespace trainjobc::lsp {
namespace {

using base::Diagnostic;

enum class Tag { Unnecessary = 1, Deprecated = 2 };

int severity_of(base::Severity severity) {
  switch (severity) {
    case base::Severity::Error: return 1;
    case base::Severity::Warning: return 2;
    case base::Severity::Info: return 3;
  }
  return 1;
}

// What editors show faded or struck through.
Json tags_of(std::string_view rule) {
  if (rule == "advice/deprecated-runtime" || rule == "advice/dialect")
    return Json::array({static_cast<int>(Tag::Deprecated)});
  if (rule.ends_with("-no-effect") || rule == "advice/unused-suppression")
    return Json::array({static_cast<int>(Tag::Unnecessary)});
  return Json::array();
}

Range to_range(const lint::Region& region) {
  return {{region.line - 1, region.column - 1}, {region.end_line - 1, region.end_column - 1}};
}

// Whether the editor shows both places alike; the files may be two readings of one.
bool is_same_place(const base::Location& a, const base::Location& b) {
  const auto lines = [](const base::Location& at) {
    return std::tuple(at.line, at.column, at.end_line, at.end_column);
  };
  if (lines(a) != lines(b) || !a.file != !b.file) return false;
  return !a.file ||
         (a.file->name() == b.file->name() && (a.line == 0 || a.file->line(a.line) == b.file->line(b.line)));
}

bool is_same_note(const base::Note& a, const base::Note& b) {
  return a.message == b.message && is_same_place(a.location, b.location);
}

bool is_same_finding(const Diagnostic& a, const Diagnostic& b) {
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.rule, d.severity, d.message, d.hint, d.object, d.field);
  };
  return key(a) == key(b) && is_same_place(a.location, b.location) &&
         std::ranges::equal(a.notes, b.notes, is_same_note);
}

}  // namespace

PublishedFindings::PublishedFindings(std::shared_ptr<const WorkspaceFindings> findings)
    : findings_(std::move(findings)) {
  auto input = std::make_unique<lint::ReportInput>();
  input->files = findings_->files;
  input->objects = findings_->objects;
  input_ = std::move(input);
  places_ = std::make_unique<lint::Places>(*input_);
  for (const Diagnostic& found : findings_->diagnostics.items()) {
    if (const auto place = places_->of(found))
      by_document_[base::absolute_path(place->path)].push_back(&found);
  }
}

std::vector<DocumentId> PublishedFindings::documents() const {
  std::vector<DocumentId> names;
  for (const auto& [document, found] : by_document_) names.push_back(document);
  return names;
}

const std::vector<const Diagnostic*>& PublishedFindings::of(const DocumentId& document) const {
  static const std::vector<const Diagnostic*> kNone;
  const auto found = by_document_.find(document);
  return found != by_document_.end() ? found->second : kNone;
}

bool PublishedFindings::is_same(const PublishedFindings& other, const DocumentId& document) const {
  return std::ranges::equal(of(document), other.of(document),
                            [](const Diagnostic* a, const Diagnostic* b) { return is_same_finding(*a, *b); });
}

Range PublishedFindings::range_of(const Diagnostic& found) const {
  const auto place = places_->of(found);
  return place ? to_range(place->region) : Range{};
}

Json PublishedFindings::to_json(const Diagnostic& found) const {
  Json json{{"range", range_of(found)},
            {"severity", severity_of(found.severity)},
            {"source", "trainjobc"},
            {"code", found.rule},
            {"codeDescription", {{"href", rules::page_of(found.rule)}}},
            {"message", lint::full_message(found)}};
  if (Json tags = tags_of(found.rule); !tags.empty()) json["tags"] = std::move(tags);
  Json related = Json::array();
  for (const base::Note& note : found.notes) {
    if (const auto place = places_->of(note.location)) {
      related.push_back({{"location", Location{base::absolute_path(place->path), to_range(place->region)}},
                         {"message", note.message}});
    } else {
      json["message"] = json["message"].get<std::string>() + "\nnote: " + note.message;
    }
  }
  if (!related.empty()) json["relatedInformation"] = std::move(related);
  if (const rules::Rule* rule = rules::find_rule(found.rule))
    json["data"] = {{"explanation", policy::explanation_of(*rule)}};
  return json;
}

}  // namespace trainjobc::lsp
