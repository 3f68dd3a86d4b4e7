// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/findings.h"

namespace trainjobc::report_junit_test {
using trainjobc::base::Severity;
using trainjobc::lint::make_report;
using trainjobc::lint::ReportFormat;
using trainjobc::test::Findings;

TEST_CASE("report junit: one suite per file and one case per object when clean") {
  CHECK(Findings().report(ReportFormat::Junit) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainjobc" tests="3" failures="0" errors="0" skipped="0">
  <testsuite name="jobs/bert.yaml" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="jobs/bert.yaml" name="TrainJob/default/bert" file="jobs/bert.yaml"/>
  </testsuite>
  <testsuite name="jobs/empty.yaml" tests="0" failures="0" errors="0" skipped="0">
  </testsuite>
  <testsuite name="jobs/llama.yaml" tests="2" failures="0" errors="0" skipped="0">
    <testcase classname="jobs/llama.yaml" name="TrainJob/default/llama" file="jobs/llama.yaml"/>
    <testcase classname="jobs/llama.yaml" name="TrainingRuntime/default/torch" file="jobs/llama.yaml"/>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("report junit: errors fail their object's case, warnings go to its output") {
  Findings findings;
  findings.add_all();
  CHECK(findings.report(ReportFormat::Junit) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainjobc" tests="4" failures="2" errors="0" skipped="0">
  <testsuite name="jobs/bert.yaml" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="jobs/bert.yaml" name="TrainJob/default/bert" file="jobs/bert.yaml">
      <failure message="unknown field &quot;resourcePerNode&quot; in spec.trainer; did you mean &quot;resourcesPerNode&quot;?" type="input/unknown-field">jobs/bert.yaml:4:5: error: unknown field &quot;resourcePerNode&quot; in spec.trainer [input/unknown-field]
    4 |     resourcePerNode: {}
      |     ^~~~~~~~~~~~~~~ did you mean &quot;resourcesPerNode&quot;?
</failure>
    </testcase>
  </testsuite>
  <testsuite name="jobs/empty.yaml" tests="0" failures="0" errors="0" skipped="0">
  </testsuite>
  <testsuite name="jobs/llama.yaml" tests="3" failures="1" errors="0" skipped="0">
    <testcase classname="jobs/llama.yaml" name="TrainJob/default/llama" file="jobs/llama.yaml">
      <failure message="no SSH key for the job: &lt;seed&gt; &amp; &quot;key&quot;�[0m" type="render/ssh-key">error: no SSH key for the job: &lt;seed&gt; &amp; &quot;key&quot;\u001b[0m [render/ssh-key]
</failure>
      <system-out>jobs/llama.yaml:2:24: warning: gpu is requested without a limit [job/gpu-limit]
    2 | spec: {name: &quot;é𝄞&quot;, gpu: 4}
      |                    ^~~
  note: the job at jobs/llama.yaml:1:7
</system-out>
    </testcase>
    <testcase classname="jobs/llama.yaml" name="TrainingRuntime/default/torch" file="jobs/llama.yaml"/>
    <testcase classname="jobs/llama.yaml" name="jobs/llama.yaml" file="jobs/llama.yaml">
      <system-out>jobs/llama.yaml: info: 100%: a,b\nc [advice/priority-class]
</system-out>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("report junit: one failure per case, whatever the number of its findings") {
  Findings findings;
  findings.files = {"jobs/bert.yaml"};
  findings.objects.resize(1);
  auto second = findings.unknown_field();
  second.message = "line\nbreak\tand \xff\xfe\x01";
  findings.found.add(second);
  findings.found.add(findings.unknown_field());
  const std::string report = findings.report(ReportFormat::Junit);
  CHECK(report == R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainjobc" tests="1" failures="1" errors="0" skipped="0">
  <testsuite name="jobs/bert.yaml" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="jobs/bert.yaml" name="TrainJob/default/bert" file="jobs/bert.yaml">
      <failure message="line&#10;break&#9;and ���; did you mean &quot;resourcesPerNode&quot;? (and 1 more)" type="input/unknown-field">jobs/bert.yaml:4:5: error: line\nbreak\u0009and \xff\xfe\u0001 [input/unknown-field]
    4 |     resourcePerNode: {}
      |     ^~~~~~~~~~~~~~~ did you mean &quot;resourcesPerNode&quot;?
jobs/bert.yaml:4:5: error: unknown field &quot;resourcePerNode&quot; in spec.trainer [input/unknown-field]
    4 |     resourcePerNode: {}
      |     ^~~~~~~~~~~~~~~ did you mean &quot;resourcesPerNode&quot;?
</failure>
    </testcase>
  </testsuite>
</testsuites>
)xml");
}

TEST_CASE("report junit: warnings fail if the threshold says so") {
  Findings findings;
  findings.found.add(findings.gpu_limit());
  const std::string report = make_report(
      ReportFormat::Junit,
      {.diagnostics = findings.found,
       .objects = findings.objects,
       .fails = [](const trainjobc::base::Diagnostic& d) { return d.severity <= Severity::Warning; }});
  CHECK(report == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainjobc" tests="3" failures="1" errors="0" skipped="0">
  <testsuite name="jobs/bert.yaml" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="jobs/bert.yaml" name="TrainJob/default/bert" file="jobs/bert.yaml"/>
  </testsuite>
  <testsuite name="jobs/llama.yaml" tests="2" failures="1" errors="0" skipped="0">
    <testcase classname="jobs/llama.yaml" name="TrainJob/default/llama" file="jobs/llama.yaml">
      <failure message="gpu is requested without a limit" type="job/gpu-limit">jobs/llama.yaml:2:24: warning: gpu is requested without a limit [job/gpu-limit]
    2 | spec: {name: &quot;é𝄞&quot;, gpu: 4}
      |                    ^~~
  note: the job at jobs/llama.yaml:1:7
</failure>
    </testcase>
    <testcase classname="jobs/llama.yaml" name="TrainingRuntime/default/torch" file="jobs/llama.yaml"/>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("report junit: the finding's file may differ from the object's") {
  Findings findings;
  auto d = findings.unknown_field();
  d.location.file = &findings.llama;  // a runtime that the job was merged with
  findings.found.add(d);
  const std::string report = findings.report(ReportFormat::Junit);
  CHECK(report == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainjobc" tests="3" failures="1" errors="0" skipped="0">
  <testsuite name="jobs/bert.yaml" tests="1" failures="1" errors="0" skipped="0">
    <testcase classname="jobs/bert.yaml" name="TrainJob/default/bert" file="jobs/bert.yaml">
      <failure message="unknown field &quot;resourcePerNode&quot; in spec.trainer; did you mean &quot;resourcesPerNode&quot;?" type="input/unknown-field">jobs/llama.yaml:4:5: error: unknown field &quot;resourcePerNode&quot; in spec.trainer [input/unknown-field]
    4 | 
      | ^ did you mean &quot;resourcesPerNode&quot;?
</failure>
    </testcase>
  </testsuite>
  <testsuite name="jobs/empty.yaml" tests="0" failures="0" errors="0" skipped="0">
  </testsuite>
  <testsuite name="jobs/llama.yaml" tests="2" failures="0" errors="0" skipped="0">
    <testcase classname="jobs/llama.yaml" name="TrainJob/default/llama" file="jobs/llama.yaml"/>
    <testcase classname="jobs/llama.yaml" name="TrainingRuntime/default/torch" file="jobs/llama.yaml"/>
  </testsuite>
</testsuites>
)");
}

}  // namespace trainjobc::report_junit_test
