// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/findings.h"

namespace trainjobc::report_text_test {
using trainjobc::lint::make_report;
using trainjobc::lint::parse_report_format;
using trainjobc::lint::report_format_names;
using trainjobc::lint::ReportFormat;
using trainjobc::lint::write_report;
using trainjobc::test::Findings;

TEST_CASE("report: every name is a distinct format, and other names are none") {
  size_t index = 0;
  for (const std::string_view name : report_format_names()) {
    REQUIRE(parse_report_format(name).has_value());
    CHECK(static_cast<size_t>(*parse_report_format(name)) == index++);
  }
  CHECK(index == 6);
  CHECK(parse_report_format("sarif") == ReportFormat::Sarif);
  CHECK_FALSE(parse_report_format("SARIF").has_value());
  CHECK_FALSE(parse_report_format("").has_value());
}

TEST_CASE("report text: nothing at all when clean") {
  const Findings findings;
  CHECK(findings.report(ReportFormat::Text).empty());
}

TEST_CASE("report text: each finding with its line, then a summary") {
  Findings findings;
  findings.add_all();
  CHECK(findings.report(ReportFormat::Text) ==
        "error: no SSH key for the job: <seed> & \"key\"\\u001b[0m [render/ssh-key]\n"
        "\n"
        "jobs/bert.yaml:4:5: error: unknown field \"resourcePerNode\" in spec.trainer [input/unknown-field]\n"
        "    4 |     resourcePerNode: {}\n"
        "      |     ^~~~~~~~~~~~~~~ did you mean \"resourcesPerNode\"?\n"
        "\n"
        "jobs/llama.yaml: info: 100%: a,b\\nc [advice/priority-class]\n"
        "\n"
        "jobs/llama.yaml:2:24: warning: gpu is requested without a limit [job/gpu-limit]\n"
        "    2 | spec: {name: \"é𝄞\", gpu: 4}\n"
        "      |                    ^~~\n"
        "  note: the job at jobs/llama.yaml:1:7\n"
        "\n"
        "4 findings (2 errors, 1 warning, 1 info) in 2 of 3 files; 1 fixable with --fix\n");
}

TEST_CASE("report text: the summary counts errors and warnings") {
  const auto summary = [](const Findings& findings) {
    const std::string report = findings.report(ReportFormat::Text);
    return report.substr(report.rfind('\n', report.size() - 2) + 1);
  };
  Findings one;
  one.files = {"jobs/llama.yaml"};
  one.found.add(one.gpu_limit());
  CHECK(summary(one) == "1 finding (1 warning) in 1 of 1 file\n");
  Findings nowhere;
  nowhere.found.add(nowhere.ssh_key());
  CHECK(summary(nowhere) == "1 finding (1 error)\n");
  Findings elsewhere;  // in a file of --runtimes
  elsewhere.files = {"a.yaml"};
  elsewhere.found.add(elsewhere.unknown_field());
  CHECK(summary(elsewhere) == "1 finding (1 error) in 1 of 2 files; 1 fixable with --fix\n");
}

TEST_CASE("report text: colour is for the text alone") {
  Findings findings;
  findings.add_all();
  for (const std::string_view name : report_format_names()) {
    INFO(std::string(name));
    const auto format = *parse_report_format(name);
    const std::string coloured = make_report(
        format, {.diagnostics = findings.found, .objects = findings.objects, .style = {.colour = true}});
    CHECK((coloured.find("\033[1;31m") != coloured.npos) == (format == ReportFormat::Text));
  }
}

TEST_CASE("report text: long reports come in parts that end with a line, until one can't be written") {
  Findings findings;
  findings.files = {"jobs/llama.yaml"};
  for (int i = 0; i < 20'000; ++i) {
    trainjobc::base::Diagnostic diagnostic = findings.gpu_limit();
    diagnostic.object = std::to_string(i);
    diagnostic.location.column = static_cast<uint32_t>(i % 20 + 1);
    diagnostic.message += std::to_string(i);
    findings.found.add(diagnostic);
  }
  findings.found.sort();
  const trainjobc::lint::ReportInput input{.diagnostics = findings.found, .files = findings.files};
  std::string all;
  size_t parts = 0;
  const bool is_whole = write_report(ReportFormat::Text, input, [&](std::string_view part) {
    CHECK(part.ends_with('\n'));
    all += part;
    ++parts;
    return true;
  });
  CHECK(is_whole);
  CHECK(parts > 2);
  CHECK(all == make_report(ReportFormat::Text, input));
  size_t calls = 0;
  CHECK_FALSE(write_report(ReportFormat::Text, input, [&](std::string_view) { return ++calls < 2; }));
  CHECK(calls == 2);
}

}  // namespace trainjobc::report_text_test
