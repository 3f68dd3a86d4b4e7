// SPDX-License-Identifier: Apache-2.0

// trainjobc diff --from-version --to-version
#include <doctest/doctest.h>

#include "support/diff.h"
#include "support/versions.h"

namespace trainjobc::diff_versions_test {
namespace {

// `jobs` over a torch runtime that all versions take.
struct VersionsRun : test::DiffRun {
  VersionsRun(const std::string& text, const std::string& from, const std::string& to) {
    flags.input.trainer_version.clear();
    flags.from_version = from;
    flags.to_version = to;
    flags.input.paths = {"in.yaml"};
    files.files["in.yaml"] = text;
  }
};

std::string torch_runtime(const std::string& torch = "{}", std::string_view name = "rt") {
  return test::cluster_runtime(
      "mlPolicy: {torch: " + torch + "}, " + test::template_of(test::flow_replicated_job("node", "trainer")),
      name);
}

}  // namespace

TEST_CASE("diff of versions says what the JobSet would become") {
  VersionsRun run(
      torch_runtime() + test::train_job("trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 4}}}"), "2.0",
      "2.3");
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet default/job\n"
        "  spec.replicatedJobs[node]…containers[node].env[PET_NPROC_PER_NODE].value   \"1\" → \"auto\"   "
        "torch/PET_NPROC_PER_NODE from in.yaml:9\n"
        "\n"
        "Trainer 2.0 → 2.3: 1 of 1 job changes\n");
  CHECK(run.console.err.empty());
}

TEST_CASE("diff of versions: equal results are no difference") {
  VersionsRun run(torch_runtime() + test::train_job("trainer: {numNodes: 2}"), "2.1", "2.3");
  CHECK(run.run() == 0);
  CHECK(run.console.out == "Trainer 2.1 → 2.3: no difference in 1 job\n");
}

TEST_CASE("diff of versions: a job that only one side accepts is reported, the others are compared") {
  VersionsRun run(torch_runtime() + test::train_job("trainer: {numProcPerNode: auto}") + "---\n" +
                      test::replaced(test::train_job("trainer: {numNodes: 2}"), "name: job", "name: b"),
                  "2.1", "2.2");
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "TrainJob default/job   no longer accepted by Trainer 2.2\n"
        "in.yaml:9:58: error: spec.trainer.numProcPerNode must be an integer, not the string \"auto\" "
        "[input/type]\n"
        "    9 | spec: {runtimeRef: {name: rt}, trainer: {numProcPerNode: auto}}\n"
        "      |                                                          ^~~~\n"
        "\n"
        "Trainer 2.1 → 2.2: no difference in 2 jobs, 1 no longer accepted\n"
        "trainjobc migrate --to 2.2 rewrites what can be carried over\n");

  std::swap(run.flags.from_version, run.flags.to_version);
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(TrainJob default/job   newly accepted by Trainer 2.1
in.yaml:9:58: error: spec.trainer.numProcPerNode must be an integer, not the string "auto" [input/type]
    9 | spec: {runtimeRef: {name: rt}, trainer: {numProcPerNode: auto}}
      |                                                          ^~~~

Trainer 2.2 → 2.1: no difference in 2 jobs, 1 newly accepted
)");
}

TEST_CASE("diff of versions: a job whose runtime one side refuses") {
  VersionsRun run(torch_runtime("{numProcPerNode: 4}") + test::train_job(), "2.1", "2.3");
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(ClusterTrainingRuntime rt   no longer accepted by Trainer 2.3
in.yaml:4:27: error: unknown field "numProcPerNode" in spec.mlPolicy.torch [input/unknown-field]
    4 | spec: {mlPolicy: {torch: {numProcPerNode: 4}}, template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: node}]}}}}}]}}}
      |                           ^~~~~~~~~~~~~~ it existed until Trainer 2.1

TrainJob default/job   no longer accepted by Trainer 2.3
  in.yaml:6: its runtime, ClusterTrainingRuntime rt, is not accepted

Trainer 2.1 → 2.3: no difference in 1 job, 1 no longer accepted
trainjobc migrate --to 2.3 rewrites what can be carried over
)");
}

TEST_CASE("diff of versions: jobs that neither side accepts can't be compared, which is an error") {
  VersionsRun run(torch_runtime() + test::train_job("trainer: {numNode: 2}"), "2.1", "2.3");
  run.flags.format = "unified";
  CHECK(run.run() == 2);
  CHECK(run.console.out.empty());
  CHECK(run.console.err ==
        "note: TrainJob default/job: accepted neither by Trainer 2.1 nor by 2.3\n"
        "in.yaml:9:42: error: unknown field \"numNode\" in spec.trainer [input/unknown-field]\n"
        "    9 | spec: {runtimeRef: {name: rt}, trainer: {numNode: 2}}\n"
        "      |                                          ^~~~~~~ did you mean \"numNodes\"?\n");

  VersionsRun broken("a: [", "2.1", "2.3");
  CHECK(broken.run() == 2);
  CHECK(broken.console.out == R"(in.yaml   accepted neither by Trainer 2.1 nor by 2.3
in.yaml:1:4: error: this bracket is not closed before the end of the document [yaml/syntax]
    1 | a: [
      |    ^ close it

Trainer 2.1 → 2.3: no difference in 0 jobs
)");
}

TEST_CASE("diff of versions: markdown and json list refusals") {
  VersionsRun run(torch_runtime("{numProcPerNode: 4}") + test::train_job(), "2.1", "2.3");
  run.flags.format = "markdown";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "### trainjobc diff: Trainer 2.1 → 2.3: no difference in 1 job, 1 no longer accepted\n\n"
        "- **ClusterTrainingRuntime rt** no longer accepted by Trainer 2.3\n"
        "  - `in.yaml:4`: unknown field \"numProcPerNode\" in spec.mlPolicy.torch (it existed until Trainer "
        "2.1)\n\n"
        "- **TrainJob default/job** no longer accepted by Trainer 2.3\n"
        "  - `in.yaml:6`: its runtime, ClusterTrainingRuntime rt, is not accepted\n");
  run.flags.format = "json";
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"({
  "version": 1,
  "differences": [],
  "summary": {
    "jobs": 1,
    "differing": 0,
    "orphaned": 0
  },
  "cost": [],
  "fromVersion": "2.1",
  "toVersion": "2.3",
  "acceptance": [
    {
      "object": "ClusterTrainingRuntime//rt",
      "verdict": "no longer accepted",
      "cause": "",
      "diagnostics": [
        {
          "rule": "input/unknown-field",
          "field": "spec.mlPolicy.torch.numProcPerNode",
          "message": "unknown field \"numProcPerNode\" in spec.mlPolicy.torch",
          "hint": "it existed until Trainer 2.1",
          "file": "in.yaml",
          "line": 4,
          "column": 27
        }
      ]
    },
    {
      "object": "TrainJob/default/job",
      "verdict": "no longer accepted",
      "cause": "its runtime, ClusterTrainingRuntime rt, is not accepted",
      "diagnostics": []
    }
  ],
  "updates": []
}
)");
}

TEST_CASE("diff of versions excludes a cluster and a pinned version") {
  VersionsRun run(torch_runtime(), "2.1", "2.3");
  run.flags.live = {"live.yaml"};
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: --from-version and --to-version compare the inputs with themselves: leave out --live, "
        "--from, --context, --kubeconfig, --server-side\n");
  run.flags.live.clear();
  run.flags.input.trainer_version = "2.3";
  CHECK(run.run() == 2);
  CHECK(run.console.err ==
        "trainjobc: --from-version and --to-version set the versions: leave out --trainer-version\n");
}

}  // namespace trainjobc::diff_versions_test
