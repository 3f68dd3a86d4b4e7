// SPDX-License-Identifier: Apache-2.0

// Labels and annotations of the JobSet, which the API server checks when the controller creates it.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::jobset_metadata_test {
using trainjobc::test::job;
using trainjobc::test::lint;

namespace {

// With `metadata` of the runtime's template, in flow style.
std::string errors(const std::string& metadata) {
  std::string runtime = trainjobc::test::runtime("{torch: {}}", trainjobc::test::trainer());
  runtime.replace(runtime.find("  template:\n"), 12, "  template:\n    metadata: " + metadata + "\n");
  const trainjobc::Compilation compiled = lint(runtime + job("  trainer: {}\n"));
  std::string report;
  for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.severity == trainjobc::base::Severity::Error)
      report += found.field + ": " + format_text(found, {});
  }
  return report;
}

}  // namespace

TEST_CASE("a label or an annotation of the template that no JobSet can have") {
  CHECK(
      errors(R"({labels: {team: "a b", a/b/c: x}, annotations: {bad key: x}})") ==
      R"(metadata.labels: in.yaml:10:31: error: the value "a b" of label "team" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit [jobset/label]
   10 |     metadata: {labels: {team: "a b", a/b/c: x}, annotations: {bad key: x}}
      |                               ^~~~~ free text belongs in metadata.annotations
metadata.labels: in.yaml:10:38: error: the label key "a/b/c" may contain only one '/' [jobset/label]
   10 |     metadata: {labels: {team: "a b", a/b/c: x}, annotations: {bad key: x}}
      |                                      ^~~~~
metadata.annotations: in.yaml:10:63: error: the annotation key "bad key" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit [jobset/annotation]
   10 |     metadata: {labels: {team: "a b", a/b/c: x}, annotations: {bad key: x}}
      |                                                               ^~~~~~~
)");
  CHECK(errors("{labels: {team: a_b, acme.io/x: \"\"}, annotations: {acme.io/free: a b}}") == "");
}

}  // namespace trainjobc::jobset_metadata_test
