// SPDX-License-Identifier: Apache-2.0

// GitLab: the Code Quality report that merge requests show.
#include <nlohmann/json.hpp>

#include "lint/report/report_formats.h"
#include "lint/report/report_place.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;
using nlohmann::ordered_json;

std::string_view severity_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "major";
    case Severity::Warning: return "minor";
    case Severity::Info: return "info";
  }
  return "info";
}

}  // namespace

std::string gitlab_report(const ReportInput& input) {
  const Places places(input);
  Fingerprints fingerprints;
  ordered_json issues = ordered_json::array();
  for (const Diagnostic& d : input.diagnostics.items()) {
    const Place place = places.of(d).value_or(Place{".", {}});
    ordered_json issue;
    issue["description"] = full_message(d);
    issue["check_name"] = d.rule;
    issue["fingerprint"] = fingerprints.next({place.path, d.rule, d.object, d.field, identity(d)});
    issue["severity"] = severity_of(d.severity);
    issue["location"] = {{"path", place.path}, {"lines", {{"begin", place.region.line}}}};
    issues.push_back(std::move(issue));
  }
  return issues.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::lint
