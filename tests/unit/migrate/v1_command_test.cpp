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

}  // namespace trainjobc::v1_command_test
