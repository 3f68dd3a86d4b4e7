// SPDX-License-Identifier: Apache-2.0

// Reports of lint's findings, one format per file: report_<format>.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"

namespace trainjobc::lint {

enum class ReportFormat { Text, Json, Sarif, Junit, Github, Gitlab };

// The base of the paths in a report: both absolute, or empty if the working directory is the root.
struct Repository {
  std::string root;
  std::string working_directory;
};

// The content of a report. The diagnostics are sorted; the rest is what was linted.
struct ReportInput {
  base::Diagnostics diagnostics;
  std::span<const std::string> files;  // every linted file, those without objects too
  std::span<const LintedObject> objects;
  base::TextStyle style;  // of the text report
  // The findings that fail a case of the JUnit report.
  std::function<bool(const base::Diagnostic&)> fails = [](const base::Diagnostic& diagnostic) {
    return diagnostic.severity == base::Severity::Error;
  };
  Repository repository;
};

// text, json, ...: the values of --format, in the order of ReportFormat.
std::span<const std::string_view> report_format_names();
std::optional<ReportFormat> parse_report_format(std::string_view name);

// The whole report, its last line break included; empty for a clean text or GitHub report.
std::string make_report(ReportFormat format, ReportInput input);

// The same, handed over in parts that end with a line, so that a long text report is never in memory whole.
// Ends, with false, when `write` returns false.
using WritePart = std::function<bool(std::string_view)>;
bool write_report(ReportFormat format, ReportInput input, const WritePart& write);

}  // namespace trainjobc::lint
