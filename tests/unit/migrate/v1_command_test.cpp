// SPDX-License-Identifier: Apache-2.0

// v1 jobs on the command line: migrate's flags, lint
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_command_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: the default shows a diff, --output-dir writes elsewhere") {
  V1Run run;
  run.files.files["jobs/team/in.yaml"] = torch("");
  CHECK(cli::run({"migrate", "--no-config", "jobs"}, run.console) == 0);
  CHECK(run.console.out == R"(--- jobs/team/in.yaml
+++ jobs/team/in.yaml
@@ -1,8 +1,13 @@
-apiVersion: kubeflow.org/v1
-kind: PyTorchJob
+apiVersion: trainer.kubeflow.org/v1alpha1
+kind: TrainJob
 metadata: {name: a}
 spec:
-  pytorchReplicaSpecs:
-    Worker:
-      replicas: 2
-      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
+  runtimeRef:
+    name: torch-distributed
+  trainer:
+    numNodes: 2
+    image: 'r.io/a:1'
+    command: [torchrun, a.py]
+    env:
+      - name: PYTHONUNBUFFERED
+        value: "1"
)");
  CHECK(run.console.err == R"(1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
)");
  CHECK(run.files.files["jobs/team/in.yaml"] == torch(""));
  CHECK(cli::run({"migrate", "--no-config", "--output-dir", "new", "jobs"}, run.console) == 0);
  CHECK(run.files.files["jobs/team/in.yaml"] == torch(""));
  CHECK(run.files.files["new/team/in.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
  CHECK(cli::run({"migrate", "--no-config", "--output-dir", "new", "--write", "jobs"}, run.console) == 2);
}

TEST_CASE("migrate v1: --job chooses jobs, and standard input is rewritten") {
  V1Run run;
  run.files.files["in.yaml"] = torch("") + "---\n" + named(torch(""), "b");
  run.console.in = run.files.files["in.yaml"];
  CHECK(cli::run({"migrate", "--no-config", "--job", "b", "-"}, run.console) == 0);
  CHECK(run.console.out == R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: b}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
}

TEST_CASE("lint: a v1 job is named, and the command that migrates it") {
  V1Run run;
  run.files.files["in.yaml"] = torch("");
  CHECK(cli::run({"lint", "--no-config", "in.yaml"}, run.console) == 0);
  CHECK(
      run.console.out ==
      R"(in.yaml:2:7: warning: PyTorchJob is a job of Training Operator v1, which Trainer does not run [advice/training-operator]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ trainjobc migrate --to 2.3 in.yaml makes it a TrainJob

1 finding (1 warning) in 1 of 1 file
)");
}

TEST_CASE("migrate: patches of TrainJobs in kustomizations, and the version that settings name") {
  base::MemoryFileSystem files;
  const std::string head =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec:\n";
  files.files["repo/.trainjobc.yaml"] = "trainerVersion: \"2.1\"  # the cluster's\n";
  files.files["repo/base/kustomization.yaml"] = "resources: [job.yaml]\n";
  files.files["repo/base/job.yaml"] = head +
                                      "  runtimeRef: {name: torch-distributed}\n  labels: {team: a}\n  "
                                      "trainer: {image: r.io/a:1, numNodes: 2}\n";
  files.files["repo/prod/kustomization.yaml"] =
      "resources: [../base]\npatches:\n- path: zone.yaml\n- path: nodes.yaml\n- patch: |-\n"
      "    - {op: add, path: /spec/podTemplateOverrides/-, value: {targetJobs: [{name: node}], spec: "
      "{serviceAccountName: a}}}\n  target: {kind: TrainJob}\n";
  files.files["repo/prod/zone.yaml"] = head +
                                       "  podTemplateOverrides:\n  - targetJobs: [{name: node}]\n"
                                       "    spec: {nodeSelector: {zone: a}}  # ours\n";
  files.files["repo/prod/nodes.yaml"] = head + "  trainer: {numNodes: 4}\n";
  const test::Run shown = test::run(files, {"migrate", "repo"});
  CHECK(shown.out == R"(--- repo/.trainjobc.yaml
+++ repo/.trainjobc.yaml
@@ -1 +1 @@
-trainerVersion: "2.1"  # the cluster's
+trainerVersion: "2.3"  # the cluster's
--- repo/base/job.yaml
+++ repo/base/job.yaml
@@ -3,5 +3,10 @@
 metadata: {name: bert}
 spec:
   runtimeRef: {name: torch-distributed}
-  labels: {team: a}
+  runtimePatches:
+    - manager: trainer.kubeflow.org/user
+      trainingRuntimeSpec:
+        template:
+          metadata:
+            labels: {team: a}
   trainer: {image: r.io/a:1, numNodes: 2}
--- repo/prod/kustomization.yaml
+++ repo/prod/kustomization.yaml
@@ -2,6 +2,19 @@
 patches:
 - path: zone.yaml
 - path: nodes.yaml
-- patch: |-
-    - {op: add, path: /spec/podTemplateOverrides/-, value: {targetJobs: [{name: node}], spec: {serviceAccountName: a}}}
+- patch: |
+    - op: add
+      path: /spec/runtimePatches/-
+      value:
+        manager: trainer.kubeflow.org/user-2
+        trainingRuntimeSpec:
+          template:
+            spec:
+              replicatedJobs:
+              - name: node
+                template:
+                  spec:
+                    template:
+                      spec:
+                        serviceAccountName: a
   target: {kind: TrainJob}
--- repo/prod/zone.yaml
+++ repo/prod/zone.yaml
@@ -1,7 +1,21 @@
 apiVersion: trainer.kubeflow.org/v1alpha1
 kind: TrainJob
-metadata: {name: bert}
+metadata:
+  name: bert
 spec:
-  podTemplateOverrides:
-  - targetJobs: [{name: node}]
-    spec: {nodeSelector: {zone: a}}  # ours
+  runtimePatches:
+  - manager: trainer.kubeflow.org/user
+    trainingRuntimeSpec:
+      template:
+        metadata:
+          labels:
+            team: a
+        spec:
+          replicatedJobs:
+          - name: node
+            template:
+              spec:
+                template:
+                  spec:
+                    nodeSelector:
+                      zone: a
)");
  CHECK(
      shown.err ==
      R"(repo/prod/zone.yaml:7:38: warning: the comment is left out: nothing of what it is about is kept [advice/v1-difference]
    7 |     spec: {nodeSelector: {zone: a}}  # ours
      |                                      ^~~~~~ write it where it applies now
1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
)");
  CHECK(shown.status == 0);
  const test::Run of_overlay = test::run(files, {"migrate", "repo/prod"});
  CHECK(of_overlay.out == R"()");
  CHECK(
      of_overlay.err ==
      R"(note: repo/.trainjobc.yaml sets trainerVersion: "2.1": write "2.3" once all files below it are migrated
repo/prod/zone.yaml:1:1: error: the TrainJob that this patches stays as it is [migrate/left]
    1 | apiVersion: trainer.kubeflow.org/v1alpha1
      | ^~~~~~~~~~ migrate the TrainJob with it
nothing to migrate to Trainer 2.3 in 0 objects
)");
}

TEST_CASE("migrate: settings and patches alone are counted as files") {
  base::MemoryFileSystem files;
  files.files["repo/.trainjobc.yaml"] = "trainerVersion: \"2.1\"\n";
  files.files["repo/job.yaml"] =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert}\nspec:\n"
      "  runtimeRef: {name: torch-distributed}\n  trainer: {image: r.io/a:1, numNodes: 2}\n";
  const test::Run shown = test::run(files, {"migrate", "repo"});
  CHECK(shown.out == R"(--- repo/.trainjobc.yaml
+++ repo/.trainjobc.yaml
@@ -1 +1 @@
-trainerVersion: "2.1"
+trainerVersion: "2.3"
)");
  CHECK(shown.err == R"(1 file would be migrated to Trainer 2.3; --write rewrites the files
)");
  CHECK(shown.status == 0);
}

TEST_CASE("migrate --gang") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n"
      "  runPolicy: {schedulingPolicy: {minAvailable: 2}}\n  pytorchReplicaSpecs:\n    Worker: {replicas: 2, "
      "template: "
      "{spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}}\n";
  const auto gang = [&](const std::string& name) {
    const test::Run run = test::run(files, {"migrate", "--gang", name, "a.yaml"});
    std::string found = run.err;
    for (const std::string word : {"podGroupPolicy", "schedulerName"}) {
      const size_t at = run.out.find(word);
      if (at != std::string::npos) found += run.out.substr(at, run.out.find('\n', at) - at) + "\n";
    }
    return found;
  };
  CHECK(gang("none") == R"(1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
)");
  CHECK(gang("volcano") == R"(1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
podGroupPolicy:
schedulerName: volcano}}
)");
  CHECK(gang("coscheduling") == R"(1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
podGroupPolicy:
schedulerName: scheduler-plugins-scheduler}}
)");
}

}  // namespace trainjobc::v1_command_test
