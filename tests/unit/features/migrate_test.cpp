// SPDX-License-Identifier: Apache-2.0

// trainjobc migrate
#include <doctest/doctest.h>

#include <algorithm>

#include "support/test_console.h"

namespace trainjobc::migrate_test {
namespace {

constexpr std::string_view kRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: ClusterTrainingRuntime\n"
    "metadata:\n"
    "  name: rt\n"
    "spec:\n"
    "  mlPolicy:\n"
    "    torch: {}\n"
    "  template:\n"
    "    spec:\n"
    "      replicatedJobs:\n"
    "        - name: node\n"
    "          template:\n"
    "            metadata:\n"
    "              labels:\n"
    "                trainer.kubeflow.org/trainjob-ancestor-step: trainer\n"
    "            spec:\n"
    "              template:\n"
    "                spec:\n"
    "                  containers:\n"
    "                    - name: node\n"
    "                      image: registry.example/train:1\n";

constexpr std::string_view kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: TrainJob\n"
    "metadata:\n"
    "  name: job\n";

struct MigrateRun {
  base::MemoryFileSystem files;
  test::TestConsole console{files};
  int status = -1;

  explicit MigrateRun(const std::string& job, std::string_view runtime = kRuntime) {
    files.files["job.yaml"] = job;
    files.files["runtime.yaml"] = runtime;
  }

  // The job's text after it was migrated.
  std::string to(const std::string& version, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"migrate", "--no-catalogue", "--to",
                                       version,   "job.yaml",       "runtime.yaml"};
    if (std::ranges::find(more, "--diff") == more.end()) arguments.emplace_back("--write");
    arguments.insert(arguments.end(), more.begin(), more.end());
    console.out.clear();
    console.err.clear();
    status = cli::run(arguments, console);
    return files.files["job.yaml"];
  }
};

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

// The job of Trainer 2.1 that most tests begin with, and what 2.3 has instead.
const std::string kOverrides = std::string(kHead) +
                               "spec:\n"
                               "  # which one\n"
                               "  runtimeRef: {name: rt}\n"
                               "\n"
                               "  # where it runs\n"
                               "  podTemplateOverrides:  # all of them\n"
                               "    # the trainers\n"
                               "    - targetJobs:\n"
                               "        - name: node  # only\n"
                               "      spec:\n"
                               "        # the new ones\n"
                               "        nodeSelector:\n"
                               "          gpu: h100   # eight\n"
                               "  suspend: false  # go\n";

const std::string kPatches = std::string(kHead) +
                             "spec:\n"
                             "  # which one\n"
                             "  runtimeRef: {name: rt}\n"
                             "  # where it runs\n"
                             "  # all of them\n"
                             "  runtimePatches:\n"
                             "    - manager: trainer.kubeflow.org/user\n"
                             "      trainingRuntimeSpec:\n"
                             "        template:\n"
                             "          spec:\n"
                             "            replicatedJobs:\n"
                             "              # the trainers\n"
                             "              - name: node  # only\n"
                             "                template:\n"
                             "                  spec:\n"
                             "                    template:\n"
                             "                      spec:\n"
                             "                        # the new ones\n"
                             "                        nodeSelector:\n"
                             "                          gpu: h100   # eight\n"
                             "  suspend: false  # go\n";

}  // namespace

TEST_CASE("migrate: podTemplateOverrides become runtimePatches, with their comments") {
  MigrateRun run(kOverrides);
  CHECK(run.to("2.3") == kPatches);
  CHECK(run.status == 0);
  CHECK(run.console.err == "1 of 2 objects migrated to Trainer 2.3\n");
  CHECK(run.console.out.empty());
  CHECK(run.to("2.3") == kPatches);
  CHECK(run.console.err == "nothing to migrate to Trainer 2.3 in 2 objects\n");
}

TEST_CASE("migrate: CR LF stays") {
  MigrateRun run(with_crlf(kOverrides));
  CHECK(run.to("2.3") == with_crlf(kPatches));
  CHECK(run.status == 0);
}

TEST_CASE("migrate: a byte order mark and the text around the object stay") {
  const std::string mark = "\xEF\xBB\xBF";
  MigrateRun run(mark + "# first\n---\n" + kOverrides + "# last\n---\nkind: Foreign\napiVersion: v1\n...\n");
  CHECK(run.to("2.3") ==
        mark + "# first\n---\n" + kPatches + "# last\n---\nkind: Foreign\napiVersion: v1\n...\n");
}

TEST_CASE("migrate: backwards") {
  MigrateRun run(kPatches);
  CHECK(run.to("2.1") == std::string(kHead) +
                             "spec:\n"
                             "  # which one\n"
                             "  runtimeRef: {name: rt}\n"
                             "  # where it runs\n"
                             "  # all of them\n"
                             "  podTemplateOverrides:\n"
                             "    # the trainers\n"
                             "    - targetJobs:\n"
                             "        - name: node  # only\n"
                             "      spec:\n"
                             "        # the new ones\n"
                             "        nodeSelector:\n"
                             "          gpu: h100   # eight\n"
                             "  suspend: false  # go\n");
  CHECK(run.status == 0);
  const std::string pod_specs = run.to("2.0");
  CHECK(pod_specs == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
spec:
  # which one
  runtimeRef: {name: rt}
  # where it runs
  # all of them
  podSpecOverrides:
    # the trainers
    - targetJobs:
        - name: node  # only
      # the new ones
      nodeSelector:
        gpu: h100   # eight
  suspend: false  # go
)");
  CHECK(run.to("2.3") == kPatches);
}

TEST_CASE("migrate: --diff changes nothing") {
  MigrateRun run(kOverrides);
  CHECK(run.to("2.3", {"--diff"}) == kOverrides);
  CHECK(run.status == 0);
  CHECK(run.console.out == R"(--- job.yaml
+++ job.yaml
@@ -5,14 +5,21 @@
 spec:
   # which one
   runtimeRef: {name: rt}
-
   # where it runs
-  podTemplateOverrides:  # all of them
-    # the trainers
-    - targetJobs:
-        - name: node  # only
-      spec:
-        # the new ones
-        nodeSelector:
-          gpu: h100   # eight
+  # all of them
+  runtimePatches:
+    - manager: trainer.kubeflow.org/user
+      trainingRuntimeSpec:
+        template:
+          spec:
+            replicatedJobs:
+              # the trainers
+              - name: node  # only
+                template:
+                  spec:
+                    template:
+                      spec:
+                        # the new ones
+                        nodeSelector:
+                          gpu: h100   # eight
   suspend: false  # go
)");
  CHECK(run.console.err == "1 of 2 objects would be migrated to Trainer 2.3; --write rewrites the files\n");
}

TEST_CASE("migrate: the result of standard input goes to standard output") {
  MigrateRun run("");
  run.console.in = kOverrides;
  CHECK(cli::run({"migrate", "--no-catalogue", "-"}, run.console) == 0);
  CHECK(run.console.out == kPatches);
  CHECK(
      run.console.err ==
      R"(<stdin>:7:22: warning: there is no ClusterTrainingRuntime "rt": the rendered output of the migrated job was not compared [input/missing-runtime]
    7 |   runtimeRef: {name: rt}
      |                      ^~ add it to the inputs, or pass its file or folder with --runtimes
1 of 1 object migrated to Trainer 2.3
)");
}

TEST_CASE("migrate: a job that is changed twice gets two managers, labels go to the first") {
  MigrateRun run(std::string(kHead) +
                 "spec:\n"
                 "  runtimeRef: {name: rt}\n"
                 "  labels: {team: a}\n"
                 "  podTemplateOverrides:\n"
                 "  - targetJobs: [{name: node}]\n"
                 "    spec: {nodeSelector: {a: b}}\n"
                 "  - targetJobs: [{name: node}]\n"
                 "    metadata: {labels: {c: d}}\n");
  CHECK(run.to("2.2", {"--manager", "example.com/team"}) ==
        std::string(kHead) +
            "spec:\n"
            "  runtimeRef: {name: rt}\n"
            "  runtimePatches:\n"
            "  - manager: example.com/team\n"
            "    trainingRuntimeSpec:\n"
            "      template:\n"
            "        metadata:\n"
            "          labels: {team: a}\n"
            "        spec:\n"
            "          replicatedJobs:\n"
            "          - name: node\n"
            "            template:\n"
            "              spec:\n"
            "                template:\n"
            "                  spec: {nodeSelector: {a: b}}\n"
            "  - manager: example.com/team-2\n"
            "    trainingRuntimeSpec:\n"
            "      template:\n"
            "        spec:\n"
            "          replicatedJobs:\n"
            "          - name: node\n"
            "            template:\n"
            "              spec:\n"
            "                template:\n"
            "                  metadata: {labels: {c: d}}\n");
  CHECK(run.status == 0);
  CHECK(run.console.err == "1 of 2 objects migrated to Trainer 2.2\n");
}

TEST_CASE("migrate: flow style and JSON keep their layout") {
  MigrateRun flow(std::string(kHead) +
                  "spec: { runtimeRef: {name: rt}, podTemplateOverrides: [{targetJobs: [{name: node}], spec: "
                  "{nodeSelector: {a: b}}}], suspend: true }\n");
  CHECK(flow.to("2.3") == std::string(kHead) +
                              "spec: { runtimeRef: {name: rt}, runtimePatches: [{manager: "
                              "trainer.kubeflow.org/user, trainingRuntimeSpec: {template: {spec: "
                              "{replicatedJobs: [{name: node, template: {spec: {template: {spec: "
                              "{nodeSelector: {a: b}}}}}}]}}}}], suspend: true }\n");
  MigrateRun json(
      "{\n"
      "  \"apiVersion\": \"trainer.kubeflow.org/v1alpha1\",\n"
      "  \"kind\": \"TrainJob\",\n"
      "  \"metadata\": {\"name\": \"job\"},\n"
      "  \"spec\": {\n"
      "    \"runtimeRef\": {\"name\": \"rt\"},\n"
      "    \"annotations\": {\"a\": \"b\"}\n"
      "  }\n"
      "}\n");
  CHECK(json.to("2.3") ==
        "{\n"
        "  \"apiVersion\": \"trainer.kubeflow.org/v1alpha1\",\n"
        "  \"kind\": \"TrainJob\",\n"
        "  \"metadata\": {\"name\": \"job\"},\n"
        "  \"spec\": {\n"
        "    \"runtimeRef\": {\"name\": \"rt\"},\n"
        "    \"runtimePatches\": [\n"
        "      {\n"
        "        \"manager\": \"trainer.kubeflow.org/user\",\n"
        "        \"trainingRuntimeSpec\": {\n"
        "          \"template\": {\n"
        "            \"metadata\": {\n"
        "              \"annotations\": {\"a\": \"b\"}\n"
        "            }\n"
        "          }\n"
        "        }\n"
        "      }\n"
        "    ]\n"
        "  }\n"
        "}\n");
  CHECK(json.status == 0);
}

TEST_CASE("migrate: a runtime's number of processes per node goes to its jobs") {
  std::string runtime(kRuntime);
  runtime.replace(runtime.find("torch: {}"), 9, "torch:\n      # four cards\n      numProcPerNode: 4");
  MigrateRun run(std::string(kHead) + "spec:\n  runtimeRef: {name: rt}\n  trainer:\n    numNodes: 2  # two\n",
                 runtime);
  CHECK(run.to("2.3") == std::string(kHead) +
                             "spec:\n  runtimeRef: {name: rt}\n  trainer:\n    numNodes: 2  # two\n"
                             "    numProcPerNode: 4\n");
  CHECK(run.files.files["runtime.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
spec:
  mlPolicy:
    # four cards
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: registry.example/train:1
)");
  CHECK(run.status == 0);
  CHECK(run.console.err == "2 of 2 objects migrated to Trainer 2.3\n");

  // A runtime that is only looked at counts as migrated, too.
  MigrateRun beside(std::string(kHead) + "spec:\n  runtimeRef: {name: rt}\n  trainer: {numNodes: 2}\n",
                    runtime);
  CHECK(cli::run({"migrate", "--write", "--no-catalogue", "job.yaml", "--runtimes", "runtime.yaml", "--from",
                  "2.1"},
                 beside.console) == 0);
  CHECK(beside.files.files["job.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
spec:
  runtimeRef: {name: rt}
  trainer: {numNodes: 2, numProcPerNode: 4}
)");
  CHECK(beside.files.files["runtime.yaml"] == runtime);

  MigrateRun alone("", runtime);
  alone.to("2.3");
  CHECK(alone.status == 1);
  CHECK(alone.files.files["runtime.yaml"] == runtime);
  CHECK(alone.console.err ==
        "runtime.yaml:9:23: error: a runtime of Trainer 2.3 does not set the number of processes per node, "
        "and no accepted TrainJob of the inputs uses it [migrate/lost]\n"
        "    9 |       numProcPerNode: 4\n"
        "      |                       ^ set spec.trainer.numProcPerNode: 4 in its TrainJobs, "
        "or migrate them along with it\n"
        "nothing to migrate to Trainer 2.3 in 1 object\n");
}

TEST_CASE("migrate: words for the processes per node are dropped, elasticPolicy too") {
  std::string runtime(kRuntime);
  runtime.replace(runtime.find("torch: {}"), 9,
                  "torch: {numProcPerNode: auto, elasticPolicy: {minNodes: 1, maxNodes: 2}}");
  MigrateRun run(
      std::string(kHead) +
          "spec:\n  runtimeRef: {name: rt}\n  trainer:\n    numProcPerNode: auto\n    numNodes: 2\n",
      runtime);
  CHECK(run.to("2.3") ==
        std::string(kHead) + "spec:\n  runtimeRef: {name: rt}\n  trainer:\n    numNodes: 2\n");
  CHECK(run.files.files["runtime.yaml"] == std::string(kRuntime));
  CHECK(run.console.err == "2 of 2 objects migrated to Trainer 2.3\n");
}

TEST_CASE("migrate: fields that another version renders differently are listed") {
  MigrateRun run(std::string(kHead) +
                 "spec:\n  runtimeRef: {name: rt}\n  labels: {a: b}\n  trainer:\n    resourcesPerNode:\n"
                 "      limits: {nvidia.com/gpu: 4}\n");
  run.to("2.3", {"--from", "2.0"});
  CHECK(run.status == 0);
  CHECK(run.console.err ==
        "note: the new version renders the migrated objects differently:\n"
        "JobSet default/job\n"
        "  spec.replicatedJobs[node]…containers[node].env[PET_NPROC_PER_NODE].value   \"1\" → \"auto\"   "
        "torch/PET_NPROC_PER_NODE from job.yaml:15\n"
        "\n"
        "Trainer 2.0 → 2.3: 1 of 1 job changes\n"
        "1 of 2 objects migrated to Trainer 2.3\n");
}

TEST_CASE("migrate: an object that can't be carried over completely is not changed") {
  const std::string job = std::string(kHead) +
                          "spec:\n"
                          "  runtimeRef: {name: rt}\n"
                          "  runtimePatches:\n"
                          "    - manager: example.com/team\n"
                          "      trainingRuntimeSpec:\n"
                          "        template:\n"
                          "          spec:\n"
                          "            replicatedJobs:\n"
                          "              - name: node\n"
                          "                template:\n"
                          "                  metadata: {labels: {a: b}}\n"
                          "                  spec:\n"
                          "                    template:\n"
                          "                      spec:\n"
                          "                        securityContext: {runAsUser: 1}\n";
  MigrateRun run(job);
  CHECK(run.to("2.1") == job);
  CHECK(run.status == 1);
  CHECK(run.console.err ==
        "job.yaml:15:29: error: Trainer 2.1 can't change the metadata of a Job [migrate/lost]\n"
        "   15 |                   metadata: {labels: {a: b}}\n"
        "      |                             ^ set it in the runtime, or remove it\n"
        "job.yaml:19:25: error: Trainer 2.1 has no field "
        "spec.podTemplateOverrides[0].spec.securityContext [migrate/lost]\n"
        "   19 |                         securityContext: {runAsUser: 1}\n"
        "      |                         ^~~~~~~~~~~~~~~ its fields are affinity, containers, "
        "imagePullSecrets, "
        "initContainers, nodeSelector, schedulingGates, serviceAccountName, tolerations, volumes\n"
        "nothing to migrate to Trainer 2.1 in 2 objects\n");
}

TEST_CASE("migrate: an object that the old version rejects is not changed") {
  const std::string job = std::string(kHead) + "spec:\n  runtimeRef: {name: rt}\n  labels: {a: 1}\n";
  MigrateRun run(job);
  CHECK(run.to("2.3") == job);
  CHECK(run.status == 1);
  CHECK(run.console.err ==
        R"(job.yaml:7:15: error: spec.labels.a must be a string, not the integer 1 [input/type]
    7 |   labels: {a: 1}
      |               ^ quote it: "1"
nothing to migrate to Trainer 2.3 in 2 objects
)");
}

TEST_CASE("migrate: a job without its runtime is migrated, with a warning") {
  MigrateRun run(kOverrides, "");
  CHECK(run.to("2.3") == kPatches);
  CHECK(run.status == 0);
  CHECK(
      run.console.err ==
      R"(job.yaml:7:22: warning: there is no ClusterTrainingRuntime "rt": the rendered output of the migrated job was not compared [input/missing-runtime]
    7 |   runtimeRef: {name: rt}
      |                      ^~ add it to the inputs, or pass its file or folder with --runtimes
1 of 1 object migrated to Trainer 2.3
)");
}

TEST_CASE("migrate: refusals by the new version are still reported") {
  std::string runtime(kRuntime);
  MigrateRun run(std::string(kHead) +
                     "spec:\n  runtimeRef: {name: rt}\n  labels: {a: b}\n  trainer:\n    env:\n"
                     "      - {name: PET_MASTER_PORT, value: \"1\"}\n",
                 runtime);
  run.to("2.3");
  CHECK(run.status == 1);
  CHECK(
      run.console.err ==
      R"(job.yaml:15:16: error: Trainer 2.3 refuses the migrated TrainJob: PET_MASTER_PORT is reserved: the torch runtime sets it [input/reserved-env]
   15 |       - {name: PET_MASTER_PORT, value: "1"}
      |                ^~~~~~~~~~~~~~~ remove it
1 of 2 objects migrated to Trainer 2.3
)");
}

TEST_CASE("migrate: a text that can't be changed in place is not changed") {
  const std::string job = std::string(kHead) +
                          "spec:\n"
                          "  runtimeRef: &ref {name: rt}\n"
                          "  trainer:\n"
                          "    <<: &trainer {numNodes: 2}\n"
                          "    numProcPerNode: auto\n";
  MigrateRun run(job);
  CHECK(run.to("2.3") == job);
  CHECK(run.status == 1);
  CHECK(
      run.console.err ==
      R"(job.yaml:8:5: error: this document can't be changed in place: a merge key or a ? key is in a map that changes [migrate/in-place]
    8 |     <<: &trainer {numNodes: 2}
      |     ^ write it in plain block style
job.yaml:9:21: error: Trainer 2.3 refuses the migrated TrainJob: spec.trainer.numProcPerNode must be an integer, not the string "auto" [input/type]
    9 |     numProcPerNode: auto
      |                     ^~~~
nothing to migrate to Trainer 2.3 in 2 objects
)");
}

// Each document was once read back in the whole file.
TEST_CASE("migrate: hundreds of jobs in one file, each with its comments") {
  std::string old_text;
  std::string new_text;
  std::string diff;
  for (int i = 0; i < 300; ++i) {
    const auto named = [&](std::string text) {
      text.replace(text.find("name: job"), 9, "name: job-" + std::to_string(i));
      return (i > 0 ? "---\n" : "") + text;
    };
    old_text += named(kOverrides);
    new_text += named(kPatches);
  }
  MigrateRun run(old_text);
  CHECK(run.to("2.3", {"--diff"}) == old_text);
  CHECK(run.console.out.starts_with("--- job.yaml\n+++ job.yaml\n@@ -5,16 +5,23 @@\n"));

  CHECK(std::ranges::count(run.console.out, '\n') > 6'000);
  CHECK(run.to("2.3") == new_text);
  CHECK(run.status == 0);
  CHECK(run.console.err == "300 of 301 objects migrated to Trainer 2.3\n");
}

TEST_CASE("migrate: the jobs of a List, each with a comment that loses its place") {
  std::string text = "apiVersion: v1\nkind: List\nitems:\n";
  for (int i = 0; i < 300; ++i) {
    text += "  # job " + std::to_string(i) +
            "\n  - apiVersion: trainer.kubeflow.org/v1alpha1\n    kind: TrainJob\n"
            "    metadata: {name: job-" +
            std::to_string(i) +
            "}\n    spec:\n      runtimeRef: {name: rt}\n"
            "      podTemplateOverrides:\n        - targetJobs:  # only\n            - name: node\n"
            "          spec:  # of the pod\n            nodeSelector: {gpu: h100}\n";
  }
  MigrateRun run(text);
  const std::string migrated = run.to("2.3");
  CHECK(run.console.err == "300 of 301 objects migrated to Trainer 2.3\n");
  CHECK(std::ranges::count(migrated, '#') == 900);
}

}  // namespace trainjobc::migrate_test
