// SPDX-License-Identifier: Apache-2.0

// OptimizationJobs: rules, the template's mistakes, trials; and versions without the kind.
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

TEST_CASE("an OptimizationJob that is accepted") {
  CHECK(findings(runtime() + optimization("  numTrials: 4\n  parallelTrials: 2\n")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
}

TEST_CASE("an OptimizationJob's rules") {
  CHECK(findings(runtime() + optimization("  parallelTrials: 4\n")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("  searchAlgorithm: {}\n")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:28:20: error: spec.searchAlgorithm must have one of random, grid [input/cel]
   28 |   searchAlgorithm: {}
      |                    ^ such as random: {…}
)");
  CHECK(findings(runtime() + optimization("  searchAlgorithm: {grid: {}, random: {}}\n")) == R"(OptimizationJob/default/tune spec in.yaml:27:40: error: spec can have only categorical parameters with grid [input/cel]
   27 |   parameters: [{name: lr, searchSpace: {uniform: {min: "0.1", max: "0.5"}}}]
      |                                        ^ list the values: categorical: {choices: ["…"]}
OptimizationJob/default/tune spec.searchAlgorithm in.yaml:28:27: error: spec.searchAlgorithm can have only one of random, grid [input/cel]
   28 |   searchAlgorithm: {grid: {}, random: {}}
      |                           ^ keep one of them
)");
  CHECK(findings(runtime() + optimization("", "", "logUniform: {min: \"0\", max: \"1\"}")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("", "", "uniform: {min: \"1\", max: \"1.0\"}")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("", "", "uniform: {min: \"1e400\", max: \"1\"}")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("", "", "uniform: {min: 0.1, max: \"1\"}")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
OptimizationJob/default/tune spec.parameters[0].searchSpace.uniform.min in.yaml:27:56: error: spec.parameters[0].searchSpace.uniform.min must be a string, not the number 0.1 [input/type]
   27 |   parameters: [{name: lr, searchSpace: {uniform: {min: 0.1, max: "1"}}}]
      |                                                        ^~~ quote it: "0.1"
)");
  CHECK(findings(runtime() + optimization("", "", "uniform: {min: \".5\", max: \"1\"}")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
OptimizationJob/default/tune spec.parameters[0].searchSpace.uniform.min in.yaml:27:56: error: spec.parameters[0].searchSpace.uniform.min must be a decimal number, not ".5" [input/pattern]
   27 |   parameters: [{name: lr, searchSpace: {uniform: {min: ".5", max: "1"}}}]
      |                                                        ^~~~ such as 0.1, 10 or 1e-5, in quotes
)");
}

TEST_CASE("mistakes of the template are advice at its lines, once") {
  CHECK(findings(runtime() + optimization("  numTrials: 2\n  parallelTrials: 2\n",
                                          "      trainer: {env: [{name: PET_NNODES, value: \"1\"}]}\n")) ==
        R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(optimization("")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:6:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
    6 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("", "      trainer: {numProcPerNode: 0}\n")) == R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
)");
  CHECK(findings(runtime() + optimization("", "      trainer: {args: [\"--lr=${trialParameters.lr}\"]}\n")) ==
        R"(OptimizationJob/default/tune spec.searchAlgorithm in.yaml:26:3: error: spec.searchAlgorithm must be a map, not the integer {"random":{}} [input/type]
   26 |   objectives: [{metric: loss}]
      |   ^~~~~~~~~~
OptimizationJob/default/tune spec.trainJobTemplate.spec.trainer.args[0] in.yaml:31:24: warning: nothing replaces ${trialParameters.lr} in the template [advice/trial-parameter]
   31 |       trainer: {args: ["--lr=${trialParameters.lr}"]}
      |                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ read the parameter in the training code
)");
}

TEST_CASE("versions without the kind refuse nothing else") {
  const std::string text = runtime() + test::job("  trainer: {}\n") + optimization("");
  CHECK(findings(text, "2.3") == R"(OptimizationJob/default/tune kind in.yaml:31:7: error: Trainer 2.3 has no kind OptimizationJob, so the cluster refuses the object [advice/unserved-kind]
   31 | kind: OptimizationJob
      |       ^~~~~~~~~~~~~~~ Trainer 2.4-preview has it
)");
  CHECK(names(text, TrialOutput::TrainJobsAndObjects, "2.3") == "JobSet/job ");
}

TEST_CASE("trials: as many as run at a time") {
  const std::string text = runtime() + optimization("  numTrials: 9\n  parallelTrials: 2\n");
  CHECK(names(text, TrialOutput::Objects) == "");
  CHECK(names(text, TrialOutput::TrainJobsAndObjects) ==
        "");
  CHECK(names(text, TrialOutput::None) == "");
}

}  // namespace trainjobc::optimization_test
