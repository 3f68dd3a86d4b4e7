// SPDX-License-Identifier: Apache-2.0

// SARIF 2.1.0: for code scanning at GitHub, Azure DevOps and in editors. No empty strings and no snippets:
// several readers refuse the former, and the latter would carry manifests out of the repository.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/text/lines.h"
#include "policy/rule_texts.h"
#include "rules/rules.h"
#include "lint/report/report_formats.h"
#include "lint/report/report_place.h"
#include "rules/rules.h"
#include "base/version.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;
using nlohmann::ordered_json;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Info: return "note";
  }
  return "none";
}

ordered_json text(std::string_view words) {
  return {{"text", words}};
}

// An explanation as Markdown: its indented examples become code blocks.
std::string to_markdown(std::string_view explanation) {
  constexpr std::string_view kIndent = "    ";
  std::string out;
  bool in_code = false;
  for (std::string_view line : base::Lines(explanation)) {
    const bool is_code = line.starts_with(kIndent);
    if (is_code != in_code) out += is_code ? "```yaml\n" : "```\n";
    in_code = is_code;
    if (is_code) line.remove_prefix(kIndent.size());
    for (const char c : line) {
      if (!is_code && (c == '*' || c == '_' || c == '<' || c == '[')) out += '\\';
      out += c;
    }
    out += '\n';
  }
  if (in_code) out += "```\n";
  return out;
}

ordered_json to_json(const rules::Rule& rule) {
  const std::string explanation = policy::explanation_of(rule);
  const std::string_view first_paragraph = std::string_view(explanation).substr(0, explanation.find("\n\n"));
  ordered_json json;
  json["id"] = rule.id;
  json["shortDescription"] = text(rule.summary);
  json["fullDescription"] = text(first_paragraph);
  json["helpUri"] = rules::page_of(rule.id);
  json["defaultConfiguration"] = {{"level", level_of(rule.severity)}};
  json["help"] = {{"text", explanation}, {"markdown", to_markdown(explanation)}};
  return json;
}

ordered_json driver() {
  ordered_json rules = ordered_json::array();
  for (const rules::Rule& rule : rules::all_rules()) rules.push_back(to_json(rule));
  return {{"name", "trainjobc"}, {"semanticVersion", base::kVersion}, {"rules", std::move(rules)}};
}

ordered_json to_json(const Region& region) {
  return {{"startLine", region.line},
          {"startColumn", region.column},
          {"endLine", region.end_line},
          {"endColumn", region.end_column}};
}

ordered_json artifact_location(const Place& place) {
  ordered_json json;
  json["uri"] = to_uri(place.path);
  if (!place.path.starts_with('/')) json["uriBaseId"] = "%SRCROOT%";
  return json;
}

ordered_json physical_location(const Place& place) {
  return {{"artifactLocation", artifact_location(place)}, {"region", to_json(place.region)}};
}

class SarifWriter {
 public:
  explicit SarifWriter(const ReportInput& input) : places_(input) {}

  ordered_json result(const Diagnostic& d) {
    ordered_json json;
    json["ruleId"] = d.rule;
    if (const rules::Rule* rule = rules::find_rule(d.rule)) {
      json["ruleIndex"] = rule - rules::all_rules().data();
    }
    json["level"] = level_of(d.severity);
    json["message"] = text(full_message(d));
    const auto place = places_.of(d);
    if (place) json["locations"] = ordered_json::array({{{"physicalLocation", physical_location(*place)}}});
    if (!d.notes.empty()) json["relatedLocations"] = related_locations(d);
    // One count per file: another finding in one file does not change those of another.
    Fingerprints& fingerprints = fingerprints_[place ? place->path : ""];
    json["partialFingerprints"] = {{"primaryLocationLineHash", fingerprints.next({d.rule, identity(d)})}};
    if (ordered_json fix = to_fix(d); !fix.is_null()) json["fixes"] = ordered_json::array({std::move(fix)});
    ordered_json properties = ordered_json::object();
    if (!d.object.empty()) properties["object"] = d.object;
    if (!d.field.empty()) properties["field"] = d.field;
    if (!properties.empty()) json["properties"] = std::move(properties);
    return json;
  }

 private:
  ordered_json related_locations(const Diagnostic& d) const {
    ordered_json related = ordered_json::array();
    for (const base::Note& note : d.notes) {
      ordered_json location;
      std::string message = note.message;
      if (const auto place = places_.of(note.location)) {
        location["physicalLocation"] = physical_location(*place);
      } else if (const base::SourceFile* built_in = note.location.file) {
        message += fmt::format(" at {}:{}", built_in->name(), note.location.line);
      }
      location["message"] = text(message);
      related.push_back(std::move(location));
    }
    return related;
  }

  // One fix with all edits, or null: a fix is never applied in part.
  ordered_json to_fix(const Diagnostic& d) const {
    if (d.hide_source) return nullptr;  // its text may be a secret
    std::map<std::string, ordered_json> changes;
    for (const base::Edit& edit : d.fix) {
      const auto place = places_.of(edit.range);
      if (!place || edit.range.line == 0) return nullptr;
      ordered_json& change = changes[place->path];
      if (change.is_null()) change["artifactLocation"] = artifact_location(*place);
      ordered_json replacement;
      replacement["deletedRegion"] = to_json(place->region);
      if (!edit.text.empty()) replacement["insertedContent"] = text(edit.text);
      change["replacements"].push_back(std::move(replacement));
    }
    if (changes.empty()) return nullptr;
    ordered_json fix;
    if (!d.hint.empty()) fix["description"] = text(d.hint);
    for (auto& [path, change] : changes) fix["artifactChanges"].push_back(std::move(change));
    return fix;
  }

  Places places_;
  std::map<std::string, Fingerprints> fingerprints_;
};

}  // namespace

std::string sarif_report(const ReportInput& input) {
  SarifWriter writer(input);
  ordered_json results = ordered_json::array();
  for (const Diagnostic& diagnostic : input.diagnostics.items()) results.push_back(writer.result(diagnostic));
  ordered_json run;
  run["tool"] = {{"driver", driver()}};
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = std::move(results);
  ordered_json log;
  log["$schema"] = kSchema;
  log["version"] = "2.1.0";
  log["runs"] = ordered_json::array({std::move(run)});
  return log.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::lint
