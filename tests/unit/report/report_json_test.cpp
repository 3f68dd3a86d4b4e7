// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/findings.h"

namespace trainjobc::report_json_test {
using trainjobc::lint::ReportFormat;
using trainjobc::test::Findings;

TEST_CASE("report json: an empty list when clean") {
  CHECK(Findings().report(ReportFormat::Json) ==
        "{\n  \"version\": 1,\n"
        "  \"diagnostics\": []\n}\n");
}

TEST_CASE("report json: all keys of the contract, always") {
  Findings findings;
  findings.found.add(findings.unknown_field());
  findings.found.add(findings.ssh_key());
  CHECK(findings.report(ReportFormat::Json) == R"({
  "version": 1,
  "diagnostics": [
    {
      "rule": "input/unknown-field",
      "stage": "input",
      "severity": "error",
      "object": "TrainJob/default/bert",
      "field": "spec.trainer.resourcePerNode",
      "message": "unknown field \"resourcePerNode\" in spec.trainer",
      "hint": "did you mean \"resourcesPerNode\"?",
      "file": "jobs/bert.yaml",
      "line": 4,
      "column": 5,
      "endLine": 4,
      "endColumn": 20
    },
    {
      "rule": "render/ssh-key",
      "stage": "input",
      "severity": "error",
      "object": "TrainJob/default/llama",
      "field": "",
      "message": "no SSH key for the job: <seed> & \"key\"\u001b[0m",
      "hint": "",
      "file": "",
      "line": 0,
      "column": 0,
      "endLine": 0,
      "endColumn": 0
    }
  ]
}
)");
}

TEST_CASE("report json: what explains a finding, with its place") {
  Findings findings;
  base::Diagnostic found = findings.unknown_field();
  found.notes.push_back({"Kustomization flux-system/apps of clusters/prod applies it", found.location});
  found.notes.push_back({"no place", {}});
  findings.found.add(std::move(found));
  const std::string report = findings.report(ReportFormat::Json);
  CHECK(report.substr(report.find("      \"notes\"")) == R"(      "notes": [
        {
          "message": "Kustomization flux-system/apps of clusters/prod applies it",
          "file": "jobs/bert.yaml",
          "line": 4,
          "column": 5,
          "endLine": 4,
          "endColumn": 20
        },
        {
          "message": "no place",
          "file": "",
          "line": 0,
          "column": 0,
          "endLine": 0,
          "endColumn": 0
        }
      ]
    }
  ]
}
)");
}

TEST_CASE("report json: invalid UTF-8 is replaced, so that the report always parses") {
  Findings findings;
  base::Diagnostic found;
  found.rule = "yaml/encoding";
  found.message = "byte \xff";
  findings.found.add(std::move(found));
  CHECK(findings.report(ReportFormat::Json) == R"({
  "version": 1,
  "diagnostics": [
    {
      "rule": "yaml/encoding",
      "stage": "input",
      "severity": "error",
      "object": "",
      "field": "",
      "message": "byte �",
      "hint": "",
      "file": "",
      "line": 0,
      "column": 0,
      "endLine": 0,
      "endColumn": 0
    }
  ]
}
)");
}

}  // namespace trainjobc::report_json_test
