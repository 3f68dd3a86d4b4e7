// SPDX-License-Identifier: Apache-2.0

// The formats of reports. Only report.cpp uses them.
#pragma once

#include <string>

#include "lint/report/reports.h"

namespace trainjobc::lint {

// For people: each diagnostic with its source line, then a summary. See write_report.
bool text_report(const ReportInput& input, const WritePart& write);

// {"diagnostics": [...]}, as defined by the command-line contract.
std::string json_report(const ReportInput& input);

// SARIF 2.1.0: one run, with all rules and their help.
std::string sarif_report(const ReportInput& input);

// JUnit XML: one suite per file, one case per object.
std::string junit_report(const ReportInput& input);

// Workflow commands of GitHub Actions: one annotation per finding, as many as GitHub shows.
std::string github_report(const ReportInput& input);

// GitLab's Code Quality report, a subset of Code Climate's.
std::string gitlab_report(const ReportInput& input);

}  // namespace trainjobc::lint
