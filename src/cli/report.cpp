#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace trainjobc::cli {
namespace {

using base::Diagnostic;
using base::Severity;

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

size_t count_of(const base::Diagnostics& diagnostics, Severity severity) {
  return static_cast<size_t>(std::ranges::count(diagnostics.items(), severity, &Diagnostic::severity));
}

nlohmann::ordered_json to_json(const Diagnostic& d) {
  nlohmann::ordered_json json;
  json["rule"] = d.rule;
  json["stage"] = to_string(d.stage);
  json["severity"] = to_string(d.severity);
  json["object"] = d.object;
  json["field"] = d.field;
  json["message"] = d.message;
  json["hint"] = d.hint;
  json["file"] = d.location.file ? d.location.file->name() : "";
  json["line"] = d.location.line;
  json["column"] = d.location.column;
  json["endLine"] = d.location.end_line;
  json["endColumn"] = d.location.end_column;
  return json;
}

}  // namespace

std::string report_text(const base::Diagnostics& diagnostics, base::TextStyle style) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    out += base::format_text(diagnostic, style);
    out += '\n';
  }
  if (diagnostics.empty()) return out;
  return out + fmt::format("{} ({}, {})\n", counted(diagnostics.items().size(), "finding"),
                           counted(count_of(diagnostics, Severity::Error), "error"),
                           counted(count_of(diagnostics, Severity::Warning), "warning"));
}

std::string report_json(const base::Diagnostics& diagnostics) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics.items()) items.push_back(to_json(diagnostic));
  nlohmann::ordered_json report;
  report["diagnostics"] = std::move(items);
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::cli
