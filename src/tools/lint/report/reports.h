// Reports of what lint found, one format a file: report_<format>.cpp.
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

// Where the paths of a report start: both absolute, or empty if the working directory is the root.
struct Repository {
  std::string root;
  std::string working_directory;
};

// What a report is about. The diagnostics are sorted; the rest is what they were looked for in.
struct ReportInput {
  base::Diagnostics diagnostics;
  std::span<const std::string> files;  // every linted file, those without objects too
  std::span<const LintedObject> objects;
  base::TextStyle style;  // of the text report
  // What fails a case of the JUnit report.
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

}  // namespace trainjobc::lint
