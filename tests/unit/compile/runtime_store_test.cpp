// SPDX-License-Identifier: Apache-2.0

// Where runtimes come from, and when their faults are reported.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::runtime_store_test {
using trainjobc::test::errors;
using trainjobc::test::job;

namespace {

// "rt", whose replicatedJobs has a wrong type.
constexpr const char* kBroken = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt}
spec: {template: {spec: {replicatedJobs: 1}}}
)";

}  // namespace

TEST_CASE("a runtime outside the inputs is checked if a job refers to it") {
  CHECK(
      errors(job(""), {{"rt.yaml", kBroken}}) ==
      R"(rt.yaml:4:42: error: spec.template.spec.replicatedJobs must be a list, not the integer 1 [input/type]
    4 | spec: {template: {spec: {replicatedJobs: 1}}}
      |                                          ^
)");
  CHECK(errors(trainjobc::test::runtime("{torch: {}}", trainjobc::test::trainer()) + job(""),
               {{"rt.yaml", kBroken}}) == "");
}

TEST_CASE("a runtime among the inputs is always checked") {
  CHECK(
      errors(kBroken, {}) ==
      R"(in.yaml:4:42: error: spec.template.spec.replicatedJobs must be a list, not the integer 1 [input/type]
    4 | spec: {template: {spec: {replicatedJobs: 1}}}
      |                                          ^
)");
}

TEST_CASE("a job that is rejected for another reason gets errors in its runtimeRef too") {
  const std::string broken = trainjobc::test::job("  trainer: {numNodes: two}\n");
  const std::string type =
      R"(in.yaml:8:23: error: spec.trainer.numNodes must be an integer, not the string "two" [input/type]
    8 |   trainer: {numNodes: two}
      |                       ^~~
)";
  CHECK(errors(broken, {}) ==
        R"(in.yaml:7:22: error: there is no ClusterTrainingRuntime "rt" [input/missing-runtime]
    7 |   runtimeRef: {name: rt}
      |                      ^~ add it to the inputs, or pass its file or folder with --runtimes
)" + type);
  std::string other_kind = broken;
  other_kind.replace(other_kind.find("{name: rt}"), 10, "{name: rt, kind: TrainingRuntim}");
  CHECK(
      errors(other_kind, {}) ==
      R"(in.yaml:7:32: error: there is no runtime kind "TrainingRuntim" in group "trainer.kubeflow.org" [input/runtime-kind]
    7 |   runtimeRef: {name: rt, kind: TrainingRuntim}
      |                                ^~~~~~~~~~~~~~ did you mean "TrainingRuntime"?
in.yaml:8:23: error: spec.trainer.numNodes must be an integer, not the string "two" [input/type]
    8 |   trainer: {numNodes: two}
      |                       ^~~
)");
  CHECK(
      errors(trainjobc::test::runtime("{torch: {}}", trainjobc::test::trainer()) + broken, {}).find("rt\"") ==
      std::string::npos);
}

// Each reference would have to be compared with each runtime.
TEST_CASE("thousands of wrong references to thousands of runtimes") {
  constexpr int kCount = 3000;
  std::string text;
  std::string wanted;
  for (int i = 0; i < kCount; ++i) {
    const std::string number = std::to_string(100'000 + i);
    text += "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: job-" + number +
            "}\nspec: {runtimeRef: {name: trch-" + number + "}}\n---\n";
    wanted += "did you mean \"torch-" + number +
              "\"? Or add it to the inputs, or pass its file or folder with --runtimes\n";
  }
  std::string runtimes;
  for (int i = 0; i < kCount; ++i) {
    runtimes +=
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: torch-" +
        std::to_string(100'000 + i) + "}\nspec: {}\n---\n";
  }
  std::string hints;
  const trainjobc::Compilation compiled = trainjobc::test::lint(text, {{"rt.yaml", runtimes}});
  for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) hints += found.hint + "\n";
  CHECK(hints == wanted);
}

TEST_CASE("a missing runtime: where one of that name exists") {
  const std::string of_namespace =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: rt, namespace: x}\n"
      "spec: {template: {spec: {replicatedJobs: []}}}\n";
  const auto hint = [](const std::string& text, std::vector<trainjobc::Source> runtimes) {
    const trainjobc::Compilation compiled = trainjobc::test::lint(text, std::move(runtimes));
    for (const trainjobc::base::Diagnostic& found : compiled.diagnostics.items()) {
      if (found.rule == "input/missing-runtime") return found.message + " | " + found.hint;
    }
    return std::string();
  };
  std::string wants_own = job("");
  wants_own.replace(wants_own.find("{name: rt}"), 10, "{name: rt, kind: TrainingRuntime}");
  CHECK(hint(wants_own, {{"rt.yaml", of_namespace}}) ==
        "there is no TrainingRuntime \"rt\" in namespace \"default\", but there is a TrainingRuntime \"rt\" "
        "in namespace \"x\" | put the TrainJob and its TrainingRuntime in the same namespace, or add it to "
        "the inputs, or pass its file or folder with --runtimes");
  CHECK(hint(wants_own, {{"rt.yaml", trainjobc::test::runtime("{torch: {}}", trainjobc::test::trainer())}}) ==
        "there is no TrainingRuntime \"rt\" in namespace \"default\", but there is a ClusterTrainingRuntime "
        "\"rt\" | write kind: ClusterTrainingRuntime");
  std::string in_x = job("");
  in_x.replace(in_x.find("name: job"), 9, "name: job\n  namespace: x");
  CHECK(
      hint(in_x, {{"rt.yaml", of_namespace}}) ==
      "there is no ClusterTrainingRuntime \"rt\", but there is a TrainingRuntime \"rt\" in namespace \"x\" | "
      "write kind: TrainingRuntime");
  std::string typo = job("");
  typo.replace(typo.find("name: rt}"), 9, "name: mt}");
  CHECK(hint(typo, {{"rt.yaml", trainjobc::test::runtime("{torch: {}}", trainjobc::test::trainer())}}) ==
        "there is no ClusterTrainingRuntime \"mt\" | add it to the inputs, or pass "
        "its file or folder with --runtimes");
}

}  // namespace trainjobc::runtime_store_test
