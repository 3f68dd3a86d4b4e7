// SPDX-License-Identifier: Apache-2.0

// OptimizationJobs: their trials, and versions without the kind. golden/lint-optimization has their rules.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::optimization_test {
namespace {

// With these lines in its spec, indented by two, beside an objective, and in the template's TrainJob, by six.
std::string optimization(const std::string& spec, const std::string& trial = "      trainer: {}\n",
                         const std::string& parameter = "uniform: {min: \"0.1\", max: \"0.5\"}") {
  return "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: OptimizationJob\nmetadata: {name: "
         "tune}\nspec:\n"
         "  objectives: [{metric: loss}]\n  parameters: [{name: lr, searchSpace: {" +
         parameter + "}}]\n" + spec + "  trainJobTemplate:\n    spec:\n      runtimeRef: {name: rt}\n" +
         trial;
}

std::string runtime() {
  return test::runtime("{torch: {}}", test::trainer());
}

// What lint says, but that the version is a preview.
std::string findings(const std::string& text, const std::string& version = "2.4-preview") {
  const Compilation compiled = test::lint(text, {}, version);
  std::string report;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.rule != "advice/preview" && found.rule != "advice/framework-label")
      report += found.object + " " + found.field + " " + base::format_text(found, {});
  }
  return report;
}

std::string names(const std::string& text, TrialOutput trials, const std::string& version = "2.4-preview") {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = version;
  options.trials = trials;
  const Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
  std::string all;
  for (const Object& object : compiled.objects)
    all += std::string(object.kind) + "/" + std::string(object.name) + " ";
  return all;
}

}  // namespace

TEST_CASE("versions without the kind refuse nothing else") {
  const std::string text = runtime() + test::job("  trainer: {}\n") + optimization("");
  CHECK(
      findings(text, "2.3") ==
      R"(OptimizationJob/default/tune kind in.yaml:31:7: error: Trainer 2.3 has no kind OptimizationJob, so the cluster refuses the object [advice/unserved-kind]
   31 | kind: OptimizationJob
      |       ^~~~~~~~~~~~~~~ Trainer 2.4-preview has it
)");
  CHECK(names(text, TrialOutput::TrainJobsAndObjects, "2.3") == "JobSet/job ");
}

TEST_CASE("trials: as many as run at a time") {
  const std::string text = runtime() + optimization("  numTrials: 9\n  parallelTrials: 2\n");
  CHECK(names(text, TrialOutput::Objects) == "JobSet/tune-trial-1 JobSet/tune-trial-2 ");
  CHECK(names(text, TrialOutput::TrainJobsAndObjects) ==
        "TrainJob/tune-trial-1 JobSet/tune-trial-1 TrainJob/tune-trial-2 JobSet/tune-trial-2 ");
  CHECK(names(text, TrialOutput::OptimizationJob) == "OptimizationJob/tune ");
  CHECK(names(text, TrialOutput::None) == "");
}

}  // namespace trainjobc::optimization_test
