// SPDX-License-Identifier: Apache-2.0

// What Trainer 2.4-preview refuses beside 2.3, and what both accept.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::trainer_preview_test {
namespace {

// The fields of the errors of admission.
std::string refused(const std::string& version, const std::string& policy, const std::string& trainer) {
  const Compilation compiled = test::lint(
      test::runtime(policy, test::trainer()) + test::job("  trainer: {" + trainer + "}\n"), {}, version);
  std::string fields;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    const bool is_later = found.stage == base::Stage::Job || found.stage == base::Stage::Advice;
    if (found.severity == base::Severity::Error && !is_later) fields += found.field + " ";
  }
  return fields;
}

struct Bound {
  std::string policy;
  std::string trainer;
  std::string preview;  // what 2.4-preview refuses
  std::string before;   // what 2.3 refuses
};

}  // namespace

TEST_CASE("2.4-preview: bounds of nodes and processes") {
  const std::string of_job = "spec.trainer.numProcPerNode ";
  const Bound bounds[] = {
      {"{torch: {}}", "numNodes: 0", "", ""},
      {"{torch: {}}", "numNodes: -1", "spec.trainer.numNodes ", ""},
      {"{torch: {}}", "numNodes: null, numProcPerNode: null", "", ""},
      {"{torch: {}}", "numProcPerNode: 0", of_job, ""},
      {"{torch: {}}", "numProcPerNode: 1", "", ""},
      {"{numNodes: 1}", "numProcPerNode: -3", of_job, ""},
      {"{jax: {}}", "numProcPerNode: 0", of_job, ""},
      {"{torch: {}}", "numNodes: -1, numProcPerNode: 0", "spec.trainer.numNodes " + of_job, ""},
      {"{numNodes: 0, torch: {}}", "", "", ""},
      {"{numNodes: -4, torch: {}}", "", "", ""},
      {"{mpi: {numProcPerNode: 0}}", "", "spec.mlPolicy.mpi.numProcPerNode ", ""},
      {"{flux: {numProcPerNode: 0}}", "", "spec.mlPolicy.flux.numProcPerNode ",
       "spec.mlPolicy.flux.numProcPerNode "},
      {"{flux: {}}", "numNodes: 1, numProcPerNode: 0", of_job, of_job},
  };
  for (const Bound& bound : bounds) {
    INFO(bound.policy, " ", bound.trainer);
    CHECK(refused("2.4-preview", bound.policy, bound.trainer) == bound.preview);
    CHECK(refused("2.3", bound.policy, bound.trainer) == bound.before);
  }
}

TEST_CASE("2.4-preview: what is refused, and the preview") {
  const Compilation compiled = test::lint(test::runtime("{torch: {}}", test::trainer()) +
                                              test::job("  trainer: {numNodes: -1, numProcPerNode: 0}\n"),
                                          {}, "2.4-preview");
  std::string report;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) report += base::format_text(found, {});
  CHECK(
      report ==
      R"(info: Trainer 2.4-preview is a preview of Trainer's main at commit 8c0f5059 of 2026-08-21: the release may differ [advice/preview]
in.yaml:28:23: error: spec.trainer.numNodes must be at least 0, not -1 [input/bounds]
   28 |   trainer: {numNodes: -1, numProcPerNode: 0}
      |                       ^~
in.yaml:28:43: error: spec.trainer.numProcPerNode must be at least 1, not 0 [input/cel]
   28 |   trainer: {numNodes: -1, numProcPerNode: 0}
      |                                           ^
)");
}

TEST_CASE("auto never chooses a preview") {
  const std::string text = test::runtime("{torch: {}}", test::trainer()) + test::job("  trainer: {}\n");
  CHECK(test::lint(text, {}, "auto").trainer_version == "2.3");
}

}  // namespace trainjobc::trainer_preview_test
