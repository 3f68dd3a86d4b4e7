// SPDX-License-Identifier: Apache-2.0

// JSON: the contract for programs.
#include <nlohmann/json.hpp>

#include "lint/report/report_formats.h"

namespace trainjobc::lint {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const base::Diagnostic& d) {
  ordered_json json;
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

std::string json_report(const ReportInput& input) {
  ordered_json items = ordered_json::array();
  for (const base::Diagnostic& diagnostic : input.diagnostics.items()) items.push_back(to_json(diagnostic));
  ordered_json report;
  report["diagnostics"] = std::move(items);
  return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::lint
