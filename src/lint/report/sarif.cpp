// SPDX-License-Identifier: Apache-2.0

// SARIF 2.1.0, for code scanning at GitHub, Azure DevOps and in editors. It has no empty strings and no
// snippets: several readers refuse the former, and the latter would carry manifests out of the repository.
#include <fmt/format.h>

#include "base/text/text.h"
#include "base/version.h"
#include "compile/explanations.h"
#include "lint/report/findings.h"
#include "platform/team.h"
#include "rules/rules.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;
using report::Json;

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

std::string_view level_of(Severity severity) {
  return base::word_of(severity, "error", "warning", "note");
}

Json text(std::string_view words) {
  return {{"text", words}};
}

// An explanation as Markdown, with its indented examples as code blocks.
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

Json to_json(const rules::Rule& rule) {
  const std::string explanation = compile::explanation_of(rule);
  const std::string_view first_paragraph = std::string_view(explanation).substr(0, explanation.find("\n\n"));
  return {{"id", rule.id},
          {"shortDescription", text(rule.summary)},
          {"fullDescription", text(first_paragraph)},
          {"helpUri", rules::page_of(rule.id)},
          {"defaultConfiguration", {{"level", level_of(rule.severity)}}},
          {"help", {{"text", explanation}, {"markdown", to_markdown(explanation)}}}};
}

// A rule of a team's settings has no page.
Json to_json(const platform::TeamRule& rule) {
  const std::string summary = rule.summary();
  const std::string help = fmt::format("{}{}{}\n\n    {}", summary, rule.hint.empty() ? "" : ". ", rule.hint,
                                       rule.expression_text());
  return {{"id", rule.id},
          {"shortDescription", text(summary)},
          {"fullDescription", text(summary)},
          {"defaultConfiguration", {{"level", level_of(rule.severity)}}},
          {"help", {{"text", help}, {"markdown", to_markdown(help)}}}};
}

Json driver(const ReportInput& input) {
  Json rules = Json::array(rules::all_rules(), [](const rules::Rule& one) { return to_json(one); });
  for (const platform::TeamRule* rule : input.team_rules) rules.add(to_json(*rule));
  return {{"name", "trainjobc"}, {"semanticVersion", base::kVersion}, {"rules", rules}};
}

// The place of a rule in the driver's list; nullopt if it is not in it.
std::optional<size_t> index_of_rule(std::string_view id, const ReportInput& input) {
  const std::span<const rules::Rule> all = rules::all_rules();
  if (const rules::Rule* rule = rules::find_rule(id)) return static_cast<size_t>(rule - all.data());
  const auto own = std::ranges::find(input.team_rules, id, &platform::TeamRule::id);
  if (own == input.team_rules.end()) return std::nullopt;
  return all.size() + static_cast<size_t>(own - input.team_rules.begin());
}

Json to_json(const Region& region) {
  return {{"startLine", region.line},
          {"startColumn", region.column},
          {"endLine", region.end_line},
          {"endColumn", region.end_column}};
}

Json artifact_location(const Place& place) {
  Json json{{"uri", to_uri(place.path)}};
  if (!place.path.starts_with('/')) json.add("uriBaseId", "%SRCROOT%");
  return json;
}

Json physical_location(const Place& place) {
  return {{"artifactLocation", artifact_location(place)}, {"region", to_json(place.region)}};
}

// An array of one.
Json only(const Json& item) {
  Json json = Json::array();
  json.add(item);
  return json;
}

class SarifWriter {
 public:
  explicit SarifWriter(const ReportInput& input) : input_(input), places_(input) {}

  Json result(const Diagnostic& d) {
    Json json{{"ruleId", d.rule}};
    if (const auto index = index_of_rule(d.rule, input_)) json.add("ruleIndex", *index);
    json.add("level", level_of(d.severity));
    json.add("message", text(full_message(d)));
    const auto place = places_.of(d);
    if (place) json.add("locations", only({{"physicalLocation", physical_location(*place)}}));
    if (!d.notes.empty()) {
      const auto location = [&](const base::Note& note) { return related_location(note); };
      json.add("relatedLocations", Json::array(d.notes, location));
    }
    // Counts per file: a finding in one file must not change the fingerprints in another.
    Fingerprints& fingerprints = fingerprints_[place ? place->path : ""];
    json.add("partialFingerprints", {{"primaryLocationLineHash", fingerprints.next({d.rule, identity(d)})}});
    if (const std::optional<Json> fix = to_fix(d)) json.add("fixes", only(*fix));
    Json properties = Json::object();
    if (!d.object.empty()) properties.add("object", d.object);
    if (!d.field.empty()) properties.add("field", d.field);
    if (!properties.is_empty()) json.add("properties", properties);
    return json;
  }

 private:
  Json related_location(const base::Note& note) const {
    Json location = Json::object();
    std::string message = note.message;
    if (const auto place = places_.of(note.location)) {
      location.add("physicalLocation", physical_location(*place));
    } else if (const base::SourceFile* built_in = note.location.file) {
      message += fmt::format(" at {}:{}", built_in->name(), note.location.line);
    }
    location.add("message", text(message));
    return location;
  }

  // One fix with all edits, or none: a fix must not be applied in part.
  std::optional<Json> to_fix(const Diagnostic& d) const {
    if (d.hide_source) return std::nullopt;  // its text may be a secret
    struct Change {
      Json file;
      Json replacements = Json::array();
    };
    std::map<std::string, Change> changes;
    for (const base::Edit& edit : d.fix) {
      const auto place = places_.of(edit.range);
      if (!place || edit.range.line == 0) return std::nullopt;
      Change& change = changes[place->path];
      change.file = artifact_location(*place);
      Json replacement{{"deletedRegion", to_json(place->region)}};
      if (!edit.text.empty()) replacement.add("insertedContent", text(edit.text));
      change.replacements.add(replacement);
    }
    if (changes.empty()) return std::nullopt;
    Json fix = Json::object();
    if (!d.hint.empty()) fix.add("description", text(d.hint));
    fix.add("artifactChanges", Json::array(changes, [](const auto& entry) -> Json {
              const Change& change = entry.second;
              return {{"artifactLocation", change.file}, {"replacements", change.replacements}};
            }));
    return fix;
  }

  const ReportInput& input_;
  Places places_;
  std::map<std::string, Fingerprints> fingerprints_;
};

}  // namespace

bool write_sarif(const ReportInput& input, const WritePart& write) {
  constexpr const char* kResults = "results";
  SarifWriter writer(input);
  const Json run{
      {"tool", {{"driver", driver(input)}}}, {"columnKind", "utf16CodeUnits"}, {kResults, Json::array()}};
  const Json frame{{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", only(run)}};
  return write_in_frame(frame, kResults, input.diagnostics, write,
                        [&](const Diagnostic& found) { return writer.result(found); });
}

}  // namespace trainjobc::lint
