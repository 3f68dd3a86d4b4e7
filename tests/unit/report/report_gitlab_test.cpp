// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "support/findings.h"

namespace trainjobc::report_gitlab_test {
using nlohmann::json;
using trainjobc::base::SourceFile;
using trainjobc::lint::ReportFormat;
using trainjobc::test::Findings;

TEST_CASE("report gitlab: an empty list when clean") {
  CHECK(Findings().report(ReportFormat::Gitlab) == "[]\n");
}

TEST_CASE("report gitlab: one issue per finding, each with a path and a line") {
  Findings findings;
  findings.found.add(findings.ssh_key());
  findings.found.add(findings.gpu_limit());
  findings.found.add(findings.priority_class());
  CHECK(findings.report(ReportFormat::Gitlab) == R"([
  {
    "description": "no SSH key for the job: <seed> & \"key\"\u001b[0m",
    "check_name": "render/ssh-key",
    "fingerprint": "d2279685e1a8151f:1",
    "severity": "major",
    "location": {
      "path": "jobs/llama.yaml",
      "lines": {
        "begin": 1
      }
    }
  },
  {
    "description": "gpu is requested without a limit",
    "check_name": "job/gpu-limit",
    "fingerprint": "3c302b8fb690584e:1",
    "severity": "minor",
    "location": {
      "path": "jobs/llama.yaml",
      "lines": {
        "begin": 2
      }
    }
  },
  {
    "description": "100%: a,b\nc",
    "check_name": "advice/priority-class",
    "fingerprint": "f9663a2e44432f36:1",
    "severity": "info",
    "location": {
      "path": "jobs/llama.yaml",
      "lines": {
        "begin": 1
      }
    }
  }
]
)");
}

TEST_CASE("report gitlab: fingerprints are unique, and don't change with other lines") {
  const auto fingerprints = [](const std::string& text) {
    const SourceFile file("a.yaml", text);
    Findings findings;
    for (uint32_t line = 1; line <= file.line_count(); ++line) {
      if (file.line(line) != "gpu: 4") continue;
      auto d = findings.gpu_limit();
      d.location = {&file, line, 1, line, 4};
      findings.found.add(d);
    }
    std::set<std::string> all;
    for (const json& issue : json::parse(findings.report(ReportFormat::Gitlab)))
      all.insert(issue["fingerprint"]);
    return all;
  };
  const auto before = fingerprints("gpu: 4\ngpu: 4\n");
  CHECK(before.size() == 2);
  CHECK(fingerprints("# new\n\ngpu: 4\nx: 1\ngpu: 4\n") == before);
}

TEST_CASE("report: a line with a secret is in no report, not even as a hash") {
  const auto report = [](ReportFormat format, const std::string& secret) {
    const SourceFile file("a.yaml", "env: [{name: TOKEN, value: " + secret + "}]\n");
    Findings findings;
    auto d = findings.gpu_limit();
    d.location = {&file, 1, 14, 1, 19};
    d.hide_source = true;
    findings.found.add(d);
    return findings.report(format);
  };
  for (const std::string_view name : trainjobc::lint::report_format_names()) {
    INFO(std::string(name));
    const auto format = *trainjobc::lint::parse_report_format(name);
    CHECK(report(format, "hf_one") == report(format, "hf_two"));
  }
}

}  // namespace trainjobc::report_gitlab_test
