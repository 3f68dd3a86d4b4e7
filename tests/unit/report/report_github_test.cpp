// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/findings.h"

namespace trainjobc::report_github_test {
using trainjobc::base::Diagnostic;
using trainjobc::base::Severity;
using trainjobc::lint::ReportFormat;
using trainjobc::test::Findings;

TEST_CASE("report github: nothing at all when clean") {
  CHECK(Findings().report(ReportFormat::Github).empty());
}

TEST_CASE("report github: errors first, characters escaped, columns in UTF-16") {
  Findings findings;
  findings.add_all();
  CHECK(findings.report(ReportFormat::Github) ==
        "::error file=jobs/llama.yaml,line=1,endLine=1,col=1,endColumn=1,title=render/ssh-key"
        "::no SSH key for the job: <seed> & \"key\"\x1b[0m\n"
        "::error file=jobs/bert.yaml,line=4,endLine=4,col=5,endColumn=20,title=input/unknown-field"
        "::unknown field \"resourcePerNode\" in spec.trainer; did you mean \"resourcesPerNode\"?\n"
        "::warning file=jobs/llama.yaml,line=2,endLine=2,col=21,endColumn=24,title=job/gpu-limit"
        "::gpu is requested without a limit\n"
        "::notice file=jobs/llama.yaml,line=1,endLine=1,col=1,endColumn=1,title=advice/priority-class"
        "::100%25: a,b%0Ac\n");
}

TEST_CASE("report github: properties escape their own separators") {
  const trainjobc::base::SourceFile odd("a,b:c%.yaml", "x: 1\ny: 2\n");
  Findings findings;
  Diagnostic d = findings.ssh_key();
  d.message = "m";
  d.location = {&odd, 1, 1, 2, 2};
  findings.found.add(d);
  // Columns of several lines would be refused.
  CHECK(findings.report(ReportFormat::Github) ==
        "::error file=a%2Cb%3Ac%25.yaml,line=1,endLine=2,title=render/ssh-key::m\n");
}

TEST_CASE("report github: ten per severity, and a line for the rest") {
  Findings findings;
  for (int i = 0; i < 12; ++i) findings.found.add(findings.gpu_limit());
  for (int i = 0; i < 11; ++i) findings.found.add(findings.unknown_field());
  for (int i = 0; i < 10; ++i) findings.found.add(findings.priority_class());
  const std::string report = findings.report(ReportFormat::Github);
  const auto count = [&](std::string_view text) {
    size_t found = 0;
    for (size_t at = report.find(text); at != report.npos; at = report.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count("::error ") == 10);
  CHECK(count("::warning ") == 10);
  CHECK(count("::notice file") == 10);
  CHECK(report.starts_with("::error "));
  CHECK(report.ends_with(
      "\n::notice title=trainjobc::1 error, 2 warnings more: GitHub shows 10 annotations of each "
      "severity\n"));
}

}  // namespace trainjobc::report_github_test
