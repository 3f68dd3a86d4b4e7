// SPDX-License-Identifier: Apache-2.0

// Reports of lint's findings.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "inputs/load.h"
#include "lint/report/json.h"

namespace trainjobc::platform {
struct TeamRule;
}

namespace trainjobc::lint {

enum class ReportFormat { Text, Json, Sarif, Junit, Github, Gitlab };

// What the paths in a report are relative to: both absolute, or empty if the working directory is the root.
struct Repository {
  std::string root;
  std::string working_directory;
};

// The content of a report. The diagnostics are sorted; the rest says what was linted.
struct ReportInput {
  base::Diagnostics diagnostics;
  std::span<const std::string> files;  // all linted files, even those without objects
  std::span<const LintedObject> objects;
  base::TextStyle style;  // for the text report
  bool is_quiet = false;  // the text report has no summary
  // Which findings fail a case of the JUnit report.
  std::function<bool(const base::Diagnostic&)> fails = [](const base::Diagnostic& diagnostic) {
    return diagnostic.severity == base::Severity::Error;
  };
  Repository repository;
  std::vector<const platform::TeamRule*> team_rules;  // in the order of their ids
  std::span<const inputs::BuildProgram> programs;     // that built inputs: for the JSON report
};

// text, json, ...: the values of --format, in the order of ReportFormat.
std::span<const std::string_view> report_format_names();
std::optional<ReportFormat> parse_report_format(std::string_view name);

// Returns the whole report, with its last line break; empty for a text or GitHub report without findings.
std::string make_report(ReportFormat format, ReportInput input);

// Writes the same in parts that end with a line, so that a long text report is never in memory whole. Ends,
// and returns false, when `write` does.
using WritePart = std::function<bool(std::string_view)>;
bool write_report(ReportFormat format, ReportInput input, const WritePart& write);

// "2 jobs not checked": those whose runtime is refused; "" if there are none.
std::string unchecked_jobs(std::span<const LintedObject> objects);

// As in {"diagnostics": [...]}, which the command-line contract defines.
report::Json finding_json(const base::Diagnostic& diagnostic);

// The formats of other programs; make_report and write_report choose one.

// SARIF 2.1.0: one run, with all rules and their help. In parts, like write_report.
bool write_sarif(const ReportInput& input, const WritePart& write);
// JUnit XML: one suite per file, one case per object.
std::string junit_report(const ReportInput& input);
// Workflow commands of GitHub Actions: one annotation per finding, as many as GitHub shows.
std::string github_report(const ReportInput& input);
// GitLab's Code Quality report, a subset of Code Climate's.
std::string gitlab_report(const ReportInput& input);

// Writes a JSON report in parts: `frame`, with what `make` makes of each finding in its last array "key",
// which must be empty.
bool write_in_frame(const report::Json& frame, std::string_view key, const base::Diagnostics& findings,
                    const WritePart& write, const std::function<report::Json(const base::Diagnostic&)>& make);

// Reports for CI systems need a file of the repository and an existing line for every finding, and an
// identity of the finding that stays when lines above it change.

// All four are at least 1; columns count UTF-16 code units, the end column is one past the last.
struct Region {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t end_line = 1;
  uint32_t end_column = 1;
};

struct Place {
  std::string path;  // relative to the repository's root if the file is below it, "/" between its parts
  Region region;
};

class Places {
 public:
  explicit Places(const ReportInput& input);

  // The place of the finding, else the beginning of its object, else the first file. nullopt if there are no
  // files.
  std::optional<Place> of(const base::Diagnostic& diagnostic) const;
  // Returns nullopt without a location, or for one in a built-in runtime.
  std::optional<Place> of(const base::Location& location) const;
  std::string path_of(std::string_view file_name) const;

 private:
  const ReportInput& input_;
  std::map<std::string_view, const LintedObject*> objects_;  // the first object with each id
};

// The message with its hint.
std::string full_message(const base::Diagnostic& diagnostic);

// Whether the name is that of a catalogue's runtime, rather than a path.
bool is_built_in(std::string_view name);

// `path` as a relative URI reference, or as a file: URI if it is absolute.
std::string to_uri(std::string_view path);

// Names findings: "<hash>:<n>" for the n-th one with equal `parts`. Each name is unique.
class Fingerprints {
 public:
  std::string next(std::initializer_list<std::string_view> parts);

 private:
  std::map<uint64_t, size_t> seen_;
};

// What identifies a finding besides its rule: its source line without indentation, so that lines above may
// change; or its message, if it has no line or a very long one.
std::string identity(const base::Diagnostic& diagnostic);

}  // namespace trainjobc::lint
