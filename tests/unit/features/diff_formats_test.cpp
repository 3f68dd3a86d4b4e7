// SPDX-License-Identifier: Apache-2.0

// The formats, over one pair of objects; and the reach of a change to files.
#include <doctest/doctest.h>

#include "support/diff.h"

namespace trainjobc::diff_formats_test {
using trainjobc::test::DiffRun;
using trainjobc::test::replaced;

namespace {

struct ChangedRun : DiffRun {
  ChangedRun() {
    files.files["live.json"] = rendered();
    files.files["runtime.yaml"] = DiffRun::runtime("registry.example/a|b`c:2");
    flags.live = {"live.json"};
  }
};

}  // namespace

TEST_CASE("unified") {
  ChangedRun run;
  run.flags.format = "unified";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "diff -u -N LIVE/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo "
        "MERGED/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo\n"
        "--- LIVE/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo\n"
        "+++ MERGED/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo\n"
        "@@ -29,4 +29,4 @@\n"
        "             restartPolicy: OnFailure\n"
        "             containers:\n"
        "             - name: node\n"
        "-              image: registry.example/train:1\n"
        "+              image: registry.example/a|b`c:2\n");
}

TEST_CASE("markdown") {
  ChangedRun run;
  run.flags.format = "markdown";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "### trainjobc diff: 1 of 1 job differs\n"
        "\n"
        "<details><summary><b>JobSet team-a/demo</b>: 1 field</summary>\n"
        "\n"
        "| field | live | rendered | from |\n"
        "|---|---|---|---|\n"
        "| `spec.replicatedJobs[node].template.spec.template.spec.containers[node].image` | "
        "`\"registry.example/train:1\"` "
        "| `` \"registry.example/a\\|b`c:2\" `` | runtime.yaml:23  "
        "spec.template.spec.replicatedJobs\\[0\\]…containers\\[0\\].image, refused |\n"
        "\n"
        "> **The cluster would refuse this:** spec.replicatedJobs is immutable. To do: delete the JobSet and "
        "let it be "
        "recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob.\n"
        "\n"
        "</details>\n");
}

TEST_CASE("colour") {
  ChangedRun run;
  run.files.files["runtime.yaml"] = DiffRun::runtime("b");
  run.flags.colour.choice = "always";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "\033[1mJobSet team-a/demo\033[0m\n"
        "! spec.replicatedJobs[node]…containers[node].image   \033[31m\"registry.example/train:1\"\033[0m → "
        "\033[32m\"b\"\033[0m   \033[2mruntime.yaml:23  "
        "spec.template.spec.replicatedJobs[0]…containers[0].image\033[0m\n"
        "  \033[33m! refused (1 field)\033[0m: spec.replicatedJobs is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the "
        "TrainJob\n"
        "\n"
        "1 of 1 job differs\n");
}

TEST_CASE("the words of PAGER, with blanks around them") {
  ChangedRun run;
  run.console.terminal = true;
  run.console.variables["PAGER"] = " more  -d ";
  run.runner.answer = [](const auto&) { return trainjobc::base::ProcessResult{}; };
  CHECK(run.run() == 1);
  CHECK(run.runner.requests.front().argv == std::vector<std::string>{"more", "-d"});
}

TEST_CASE("on a terminal the text goes through a pager") {
  ChangedRun run;
  run.console.terminal = true;
  run.runner.answer = [](const auto&) { return trainjobc::base::ProcessResult{}; };
  CHECK(run.run() == 1);
  CHECK(run.console.out == "");
  CHECK(run.runner.lines() == "less -FRX\n");
  CHECK(run.runner.requests.front().input == R"([1mJobSet team-a/demo[0m
! spec.replicatedJobs[node]…containers[node].image
      [31m"registry.example/train:1"[0m → [32m"registry.example/a|b`c:2"[0m
      [2mruntime.yaml:23  spec.template.spec.replicatedJobs[0]…containers[0].image[0m
  [33m! refused (1 field)[0m: spec.replicatedJobs is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n
      team-a), or rename the TrainJob

1 of 1 job differs
)");
  run.runner.answer = [](const auto&) {
    return trainjobc::base::IoError{"run less: No such file or directory"};
  };
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"([1mJobSet team-a/demo[0m
! spec.replicatedJobs[node]…containers[node].image
      [31m"registry.example/train:1"[0m → [32m"registry.example/a|b`c:2"[0m
      [2mruntime.yaml:23  spec.template.spec.replicatedJobs[0]…containers[0].image[0m
  [33m! refused (1 field)[0m: spec.replicatedJobs is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n
      team-a), or rename the TrainJob

1 of 1 job differs
)");
}

TEST_CASE("long values are cut to the part that differs, texts of several lines are shown as hunks") {
  ChangedRun run;
  const std::string arguments = "                      args:\n                        - ";
  const std::string same(100, 'x');
  run.files.files["runtime.yaml"] = DiffRun::runtime() + arguments + same + "1" + same + "\n" +
                                    "                        - \"a\\nb\\nc\\n\"\n";
  run.files.files["live.json"] = run.rendered();
  run.files.files["runtime.yaml"] = DiffRun::runtime() + arguments + same + "2" + same + "\n" +
                                    "                        - \"a\\nB\\nc\\n\"\n";
  CHECK(run.run() == 1);
  CHECK(run.console.out ==
        "JobSet team-a/demo\n"
        "! spec.replicatedJobs[node]…containers[node].args[0]   …xxxxxxxxxxxxxxxx1xxxxxxxxxxxxxxxx… → "
        "…xxxxxxxxxxxxxxxx2xxxxxxxxxxxxxxxx…   runtime.yaml:25  "
        "spec.template.spec.replicatedJobs[0]…containers[0].args[0]\n"
        "! …args[1]                                                runtime.yaml:26  "
        "spec.template.spec.replicatedJobs[0]…containers[0].args[1]\n"
        "       a\n"
        "      -b\n"
        "      +B\n"
        "       c\n"
        "  ! refused (2 fields): spec.replicatedJobs is immutable\n"
        "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the "
        "TrainJob\n"
        "\n"
        "1 of 1 job differs\n");
}

TEST_CASE("file modes are shown in octal, but not in JSON") {
  DiffRun run;
  const auto with_volume = [](const std::string& modes) {
    const std::string containers = "containers:";
    std::string runtime = DiffRun::runtime();
    const size_t at = runtime.find(containers);
    REQUIRE(at != std::string::npos);
    return runtime.insert(at, "volumes: [{name: v, configMap: {name: c, " + modes + "}}]\n" +
                                  std::string(at - runtime.rfind('\n', at) - 1, ' '));
  };
  run.files.files["runtime.yaml"] = with_volume("defaultMode: 0640, items: [{key: a, path: b, mode: 0400}]");
  run.files.files["live.json"] = run.rendered();
  run.flags.live = {"live.json"};
  run.files.files["runtime.yaml"] = with_volume("defaultMode: 0755, items: [{key: a, path: b, mode: 0444}]");
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"(JobSet team-a/demo
! spec.replicatedJobs[node]…volumes[v].configMap.defaultMode   0640 → 0755   runtime.yaml:21  spec.template.spec.replicatedJobs[0]…volumes[0].configMap.defaultMode
! …items[0].mode                                               0400 → 0444   the same
  ! refused (2 fields): spec.replicatedJobs is immutable
    delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob

1 of 1 job differs
)");
  run.flags.format = "json";
  CHECK(run.run() == 1);
  CHECK(run.console.out == R"({
  "version": 1,
  "differences": [
    {
      "object": "JobSet/team-a/demo",
      "path": "spec.replicatedJobs[0].template.spec.template.spec.volumes[0].configMap.defaultMode",
      "kind": "changed",
      "live": 416,
      "rendered": 493,
      "file": "runtime.yaml",
      "line": 21,
      "column": 73,
      "rule": "",
      "manager": "",
      "refusal": "spec.replicatedJobs is immutable",
      "remedy": "delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob"
    },
    {
      "object": "JobSet/team-a/demo",
      "path": "spec.replicatedJobs[0].template.spec.template.spec.volumes[0].configMap.items[0].mode",
      "kind": "changed",
      "live": 256,
      "rendered": 292,
      "file": "runtime.yaml",
      "line": 21,
      "column": 111,
      "rule": "",
      "manager": "",
      "refusal": "spec.replicatedJobs is immutable",
      "remedy": "delete the JobSet and let it be recreated (kubectl delete jobset demo -n team-a), or rename the TrainJob"
    }
  ],
  "summary": {
    "jobs": 1,
    "differing": 1,
    "orphaned": 0
  },
  "cost": []
}
)");
  run.flags.format = "unified";
  CHECK(run.run() == 1);
  CHECK(
      run.console.out ==
      R"(diff -u -N LIVE/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo MERGED/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo
--- LIVE/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo
+++ MERGED/jobset.x-k8s.io.v1alpha2.JobSet.team-a.demo
@@ -34,8 +34,8 @@
             - name: v
               configMap:
                 name: c
-                defaultMode: 416
+                defaultMode: 493
                 items:
                 - key: a
-                  mode: 256
+                  mode: 292
                   path: b
)");
}

TEST_CASE("two directories: the jobs that a change to a runtime affects") {
  DiffRun run;
  run.files.files["old/runtime.yaml"] = DiffRun::runtime();
  run.files.files["old/a.yaml"] = DiffRun::job("a", "2");
  run.files.files["old/b.yaml"] = DiffRun::job("b", "2");
  run.files.files["old/gone.yaml"] = DiffRun::job("gone", "2");
  run.files.files["new/runtime.yaml"] = DiffRun::runtime("registry.example/train:2");
  run.files.files["new/a.yaml"] = DiffRun::job("a", "2");
  run.files.files["new/b.yaml"] = DiffRun::job("b", "4");
  run.files.files["new/fresh.yaml"] = DiffRun::job("fresh", "2");
  run.flags.input.paths = {"old", "new"};
  const std::string text =
      "new/runtime.yaml:23  spec.template.spec.replicatedJobs[0]…containers[0].image   changes 2 objects\n"
      "  spec.replicatedJobs[node]…containers[node].image   \"registry.example/train:1\" → "
      "\"registry.example/train:2\"\n"
      "  in JobSet team-a/a, JobSet team-a/b\n"
      "\n"
      "new/b.yaml:10  spec.trainer.numNodes   changes 1 object\n"
      "  spec.replicatedJobs[node].template.spec.parallelism   2 → 4\n"
      "  spec.replicatedJobs[node].template.spec.completions   2 → 4\n"
      "  in JobSet team-a/b\n"
      "\n"
      "JobSet team-a/fresh   added\n"
      "JobSet team-a/gone   removed\n"
      "\n"
      "2 of 3 jobs change, 1 job added, 1 object removed\ncost: +2 pods in team-a\nupdate: Trainer 2.3 does "
      "not change the JobSet of a TrainJob that exists: delete team-a/a and create it again (submit "
      "--replace)\n"
      "update: Trainer 2.3 refuses to change spec.trainer of a TrainJob that exists: delete team-a/b and "
      "create it again (submit --replace)\n";
  CHECK(run.run() == 1);
  CHECK(run.console.out == text);
  CHECK(run.console.err ==
        "note: comparing the files of old with those of new; to compare both with "
        "a cluster, pass them with -f\n");
  CHECK(run.runner.requests.empty());
  run.flags.input.paths = {"new"};
  run.flags.from = {"old"};
  CHECK(run.run() == 1);
  CHECK(run.console.out == text);
  CHECK(run.console.err == "");
  run.flags.format = "unified";
  CHECK(run.run() == 1);
  CHECK(
      run.console.out ==
      R"(diff -u -N OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.a NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.a
--- OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.a
+++ NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.a
@@ -29,4 +29,4 @@
             restartPolicy: OnFailure
             containers:
             - name: node
-              image: registry.example/train:1
+              image: registry.example/train:2
diff -u -N OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.b NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.b
--- OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.b
+++ NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.b
@@ -22,11 +22,11 @@
           trainer.kubeflow.org/trainjob-ancestor-step: trainer
       spec:
         completionMode: Indexed
-        completions: 2
-        parallelism: 2
+        completions: 4
+        parallelism: 4
         template:
           spec:
             restartPolicy: OnFailure
             containers:
             - name: node
-              image: registry.example/train:1
+              image: registry.example/train:2
diff -u -N OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.fresh NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.fresh
--- OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.fresh
+++ NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.fresh
@@ -0,0 +1,32 @@
+apiVersion: jobset.x-k8s.io/v1alpha2
+kind: JobSet
+metadata:
+  name: fresh
+  namespace: team-a
+spec:
+  network:
+    enableDNSHostnames: true
+    publishNotReadyAddresses: true
+  startupPolicy:
+    startupPolicyOrder: AnyOrder
+  successPolicy:
+    operator: All
+  suspend: false
+  replicatedJobs:
+  - name: node
+    groupName: default
+    replicas: 1
+    template:
+      metadata:
+        labels:
+          trainer.kubeflow.org/trainjob-ancestor-step: trainer
+      spec:
+        completionMode: Indexed
+        completions: 2
+        parallelism: 2
+        template:
+          spec:
+            restartPolicy: OnFailure
+            containers:
+            - name: node
+              image: registry.example/train:2
diff -u -N OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.gone NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.gone
--- OLD/jobset.x-k8s.io.v1alpha2.JobSet.team-a.gone
+++ NEW/jobset.x-k8s.io.v1alpha2.JobSet.team-a.gone
@@ -1,32 +0,0 @@
-apiVersion: jobset.x-k8s.io/v1alpha2
-kind: JobSet
-metadata:
-  name: gone
-  namespace: team-a
-spec:
-  network:
-    enableDNSHostnames: true
-    publishNotReadyAddresses: true
-  startupPolicy:
-    startupPolicyOrder: AnyOrder
-  successPolicy:
-    operator: All
-  suspend: false
-  replicatedJobs:
-  - name: node
-    groupName: default
-    replicas: 1
-    template:
-      metadata:
-        labels:
-          trainer.kubeflow.org/trainjob-ancestor-step: trainer
-      spec:
-        completionMode: Indexed
-        completions: 2
-        parallelism: 2
-        template:
-          spec:
-            restartPolicy: OnFailure
-            containers:
-            - name: node
-              image: registry.example/train:1
)");
  run.flags.format = "text";
  run.flags.from = {"new"};
  CHECK(run.run() == 0);
  CHECK(run.console.out == "no difference in 3 jobs\n");
}

}  // namespace trainjobc::diff_formats_test
