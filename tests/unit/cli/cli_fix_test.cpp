// SPDX-License-Identifier: Apache-2.0

// What --fix and --fix=all write.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "support/test_console.h"

namespace trainjobc::cli_fix_test {
namespace {

using test::lint;
using test::Run;

constexpr std::string_view kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: one\nspec:\n";
constexpr std::string_view kRuntimeRef = "  runtimeRef:\n    name: torch-distributed\n";

// The lines that --fix=all changes in a manifest: "-old", "+new".
std::string changed(const std::string& text, const std::string& name = "a.yaml") {
  base::MemoryFileSystem files;
  files.files[name] = text;
  const std::string diff = lint(files, {"--fix=all", "--diff", name}).out;
  std::string lines;
  for (const std::string_view line : base::Lines(diff)) {
    const bool is_change = line.starts_with('-') || line.starts_with('+');
    if (is_change && !line.starts_with("---") && !line.starts_with("+++")) lines += std::string(line) + "\n";
  }
  return lines;
}

// The same for what is below spec.trainer.
std::string changed_trainer(std::string_view trainer) {
  return changed(std::string(kHead) + std::string(kRuntimeRef) + "  trainer:\n    image: a/b:1\n" +
                 std::string(trainer));
}

}  // namespace

TEST_CASE("--fix: what can't be wrong; --fix=all: what was most likely meant, too") {
  const std::string text = std::string(kHead) + std::string(kRuntimeRef) +
                           "  trainer:\n    numNode: 2  # two\n    env:\n    - {name: DEBUG, value: yes}\n   "
                           " command: [torchrun]\n";
  base::MemoryFileSystem files;
  files.files["a.yaml"] = text;
  const Run safe = lint(files, {"--fix", "a.yaml"});
  CHECK(safe.status == 1);
  CHECK(safe.err == "1 fixed\n");
  CHECK(safe.out == R"(a.yaml:9:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
    9 |     numNode: 2  # two
      |     ^~~~~~~ did you mean "numNodes"?

1 finding (1 error) in 1 of 1 file; 1 fixable with --fix=all
)");
  const Run all = lint(files, {"--fix=all", "-q", "a.yaml"});
  CHECK(all.status == 0);
  CHECK(all.out == "");
  CHECK(all.err == "");
  CHECK(files.files["a.yaml"] == std::string(kHead) + std::string(kRuntimeRef) +
                                     "  trainer:\n    numNodes: 2  # two\n    env:\n    - {name: DEBUG, "
                                     "value: \"yes\"}\n    command: [torchrun]\n");
  files.files["a.yaml"] = text;
  CHECK(lint(files, {"a.yaml"})
            .out.ends_with(
                "2 findings (2 errors) in 1 of 1 file; 1 fixable with --fix, 1 more with --fix=all\n"));
  CHECK(lint(files, {"-q", "a.yaml"}).out ==
        R"(a.yaml:9:5: error: unknown field "numNode" in spec.trainer [input/unknown-field]
    9 |     numNode: 2  # two
      |     ^~~~~~~ did you mean "numNodes"?

a.yaml:11:28: error: spec.trainer.env[0].value must be a string, not the boolean true [input/type]
   11 |     - {name: DEBUG, value: yes}
      |                            ^~~ quote it: "yes"

)");
  CHECK(lint(files, {"--fix=some", "a.yaml"}).err ==
        "trainjobc: --fix some is not one of safe, all\nSee \"trainjobc lint "
        "--help\".\n");
  CHECK(lint(files, {"-q", "-v", "a.yaml"}).status == 2);
}

TEST_CASE("--fix=all: names that are misspelt") {
  CHECK(changed(R"(apiVersion: trainer.kubeflow.org/v1
kind: TrainJobs
metadata:
  name: one
spec:
  runtimeRef:
    name: torch-distribute  # ours
  trainer:
    numNode: 2
    resourcePerNode: {limits: {gpu: 4, memory: 64GB}}
)") == R"(-apiVersion: trainer.kubeflow.org/v1
-kind: TrainJobs
+apiVersion: trainer.kubeflow.org/v1alpha1
+kind: TrainJob
-    name: torch-distribute  # ours
+    name: torch-distributed  # ours
-    numNode: 2
-    resourcePerNode: {limits: {gpu: 4, memory: 64GB}}
+    numNodes: 2
+    resourcesPerNode: {limits: {nvidia.com/gpu: 4, memory: 64G}}
)");
  CHECK(changed(R"({"apiVersion": "trainer.kubeflow.org/v1", "kind": "TrainJob", "metadata": {"name": "one"},
 "spec": {"runtimeRef": {"nme": "torch-distribute"}, "trainer": {"env": {"A": 1}, "command": "python x.py"}}}
)",
                "a.json") ==
        R"(-{"apiVersion": "trainer.kubeflow.org/v1", "kind": "TrainJob", "metadata": {"name": "one"},
- "spec": {"runtimeRef": {"nme": "torch-distribute"}, "trainer": {"env": {"A": 1}, "command": "python x.py"}}}
+{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "one"},
+ "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"env": [{"name": "A", "value": "1"}], "command": ["python", "x.py"]}}}
)");
  CHECK(changed("apiVersion: trainer.kubeflow.org/v1alpha1\nmetadata:\n  name: one\nspec:\n" +
                std::string(kRuntimeRef) + "  trainer: {image: \"a/b:1\"}\n") == R"(+kind: TrainJob
)");
  CHECK(changed(std::string(kHead) +
                "  runtimeRef:\n    kind: ClusterTrainingRuntim\n    name: torch-distributed\n" +
                "  managedBy: trainer.kubeflow.org/trainjob-controler\n  trainer: {image: \"a/b:1\"}\n") ==
        R"(-    kind: ClusterTrainingRuntim
+    kind: ClusterTrainingRuntime
-  managedBy: trainer.kubeflow.org/trainjob-controler
+  managedBy: trainer.kubeflow.org/trainjob-controller
)");
  CHECK(changed(std::string(kHead) + "  runtimeRef: torch-distributed\n  trainer: {image: \"a/b:1\"}\n") ==
        R"(-  runtimeRef: torch-distributed
+  runtimeRef: {name: torch-distributed}
)");
}

TEST_CASE("--fix=all: containers, replicatedJobs, enum values and limits") {
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) + R"(  runtimePatches:
  - manager: example.com/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: nod
            template:
              spec:
                template:
                  spec:
                    tolerations:
                    - {key: gpu, operator: exists}
                    containers:
                    - name: nodes
                      volumeMounts: []
  trainer:
    image: a/b:1
    resourcesPerNode:
      requests:
        # all of the node
        nvidia.com/gpu: 8
)") == R"(-          - name: nod
+          - name: node
-                    - {key: gpu, operator: exists}
+                    - {key: gpu, operator: Exists}
-                    - name: nodes
+                    - name: node
+      limits: {nvidia.com/gpu: 8}
)");
}

TEST_CASE("--fix=all: another name is not a misspelt one") {
  CHECK(changed(std::string(kHead) + R"(  runtimeRef: {name: torch-distributed-rocm}
  trainer: {resourcesPerNode: {limits: {amd.com/gpu: 1}}}
)") == "");
  const std::string patch = std::string(kHead) + std::string(kRuntimeRef) + R"(  trainer: {}
  runtimePatches:
  - manager: example.com/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
)";
  CHECK(changed(patch + "                    - {name: proxy, volumeMounts: []}\n") == "");
  CHECK(changed(patch + "                    - {name: nodes, volumeMounts: []}\n") ==
        R"(-                    - {name: nodes, volumeMounts: []}
+                    - {name: node, volumeMounts: []}
)");
  // Patches can't set variables of "node": the webhook would refuse the job.
  CHECK(changed(patch + "                    - {name: nodes, env: [{name: A, value: b}]}\n") == "");
}

TEST_CASE("--fix=all: a fix after which the job would be refused is not applied") {
  std::string words = "--a 0 --b 0";
  for (int i = 0; i < 70; ++i) words += " --x" + std::to_string(i) + " 0";
  CHECK(changed_trainer("    args: [\"" + words + "\"]\n") == "");
  CHECK(changed_trainer("    args: " + words + "\n") == "");
  // The limit is that of each list.
  const std::string half = words.substr(0, words.find(" --x38"));
  std::string list;
  for (const std::string_view word : base::split(half, " ")) list += fmt::format(", \"{}\"", word);
  CHECK(changed_trainer(
            fmt::format("    numNode: 2\n    command: [\"python t.py {0}\"]\n    args: [\"{0}\"]\n", half)) ==
        fmt::format("-    numNode: 2\n-    command: [\"python t.py {0}\"]\n-    args: [\"{0}\"]\n"
                    "+    numNodes: 2\n+    command: [\"torchrun\", \"t.py\"{1}]\n+    args: [{2}]\n",
                    half, list, list.substr(2)));
}

TEST_CASE("--fix=all: variables that are not a list of names and values") {
  CHECK(
      changed_trainer(
          "    env:\n      # verbose\n      NCCL_DEBUG: INFO  # or WARN\n      EPOCHS: 3\n      EMPTY:\n") ==
      R"(-      NCCL_DEBUG: INFO  # or WARN
-      EPOCHS: 3
-      EMPTY:
+      - name: NCCL_DEBUG
+        value: INFO  # or WARN
+      - name: EPOCHS
+        value: "3"
+      - name: EMPTY
+        value: ""
)");
  CHECK(changed_trainer("    env: {A: b, C: 4}\n") == R"(-    env: {A: b, C: 4}
+    env: [{name: A, value: b}, {name: C, value: "4"}]
)");
  CHECK(changed_trainer("    env:\n    - NCCL_DEBUG=INFO\n    - 'EPOCHS=3'\n    - A=b c\n") ==
        R"(-    - NCCL_DEBUG=INFO
-    - 'EPOCHS=3'
-    - A=b c
+    - {name: NCCL_DEBUG, value: INFO}
+    - {name: EPOCHS, value: "3"}
+    - {name: A, value: "b c"}
)");
  CHECK(changed_trainer(
            "    env:\n    - NCCL_DEBUG: INFO\n    - {EPOCHS: 3}\n    - key: A\n      value: b\n") ==
        R"(-    - NCCL_DEBUG: INFO
-    - {EPOCHS: 3}
-    - key: A
+    - name: NCCL_DEBUG
+      value: INFO
+    - {name: EPOCHS, value: "3"}
+    - name: A
)");
  CHECK(
      changed_trainer("    env:\n      name: A\n      value: |\n        b\n\n        c\n    numNodes: 1\n") ==
      R"(-      name: A
-      value: |
-        b
+      - name: A
+        value: |
+          b
-        c
+          c
)");
  // What is on several lines stays.
  CHECK(changed_trainer("    env:\n      A: >-\n        b\n") == "");
}

TEST_CASE("--fix=all: no report shows a password that it moves") {
  base::MemoryFileSystem files;
  files.files["a.yaml"] =
      std::string(kHead) + std::string(kRuntimeRef) +
      "  trainer:\n    env:\n    - DB_PASSWORD=hunter2secret\n    - DB_PASSWORD: hunter2secret\n";
  for (const std::string format : {"text", "json", "sarif", "github"}) {
    CAPTURE(format);
    const Run run = lint(files, {"--format", format, "a.yaml"});
    CHECK(run.out.find("DB_PASSWORD") != std::string::npos);
    CHECK(run.out.find("hunter2") == std::string::npos);
  }
  CHECK(lint(files, {"--fix=all", "--diff", "a.yaml"}).out.find("hunter2") == std::string::npos);
  CHECK(lint(files, {"--fix=all", "a.yaml"}).err == "2 fixed\n");
  CHECK(
      files.files["a.yaml"].ends_with("    - {name: DB_PASSWORD, value: hunter2secret}\n    - name: "
                                      "DB_PASSWORD\n      value: hunter2secret\n"));
}

TEST_CASE("--fix=all: command lines") {
  CHECK(changed_trainer("    command: torchrun train.py --lr 0.1  # plain\n    args: --x 'a b'\n") ==
        R"(-    command: torchrun train.py --lr 0.1  # plain
-    args: --x 'a b'
+    command: ["torchrun", "train.py", "--lr", "0.1"]  # plain
+    args: ["--x", "a b"]
)");
  CHECK(changed_trainer("    command: cd /w && torchrun train.py\n") ==
        R"(-    command: cd /w && torchrun train.py
+    command: ["sh", "-c", "cd /w && torchrun train.py"]
)");
  CHECK(changed_trainer("    args: --out $HOME\n") == "");
  CHECK(changed_trainer("    command: [\"torchrun train.py\"]\n") == R"(-    command: ["torchrun train.py"]
+    command: ["torchrun", "train.py"]
)");
  CHECK(changed_trainer("    command:\n    - torchrun train.py --lr 1\n    args: [--x: 1]\n") ==
        R"(-    - torchrun train.py --lr 1
-    args: [--x: 1]
+    - torchrun
+    - train.py
+    - "--lr"
+    - "1"
+    args: ["--x: 1"]
)");
  CHECK(changed_trainer("    command:\n    - torchrun\n    - --learning-rate: 0.1\n") ==
        R"(-    - --learning-rate: 0.1
+    - "--learning-rate: 0.1"
)");
}

TEST_CASE("--fix=all: the values of a flag stay one word") {
  // --mca takes a name and a value.
  CHECK(changed_trainer("    command: [mpirun, --mca, plm_rsh_args, -o A=no -o B=10, /opt/perf]\n") == "");
  CHECK(changed_trainer("    command: [mpirun, -mca, plm_rsh_args, -o A=no -o B=10, /opt/perf]\n") == "");
  CHECK(changed_trainer("    command: [mpirun, -x, -Da -Db, /opt/perf]\n") == "");
  CHECK(changed_trainer("    command: [mpirun, -x OPTS=-Da -Db, /opt/perf]\n") == "");
  CHECK(changed_trainer("    command: [mpirun, --mca btl ^openib --bind-to none, /opt/perf]\n") ==
        R"(-    command: [mpirun, --mca btl ^openib --bind-to none, /opt/perf]
+    command: [mpirun, "--mca", btl, "^openib", "--bind-to", none, /opt/perf]
)");
  // Only the script knows how many words --opts takes.
  CHECK(changed_trainer("    command: [python, t.py, --opts, a, -b 1 -c 2]\n") == "");
  CHECK(changed_trainer("    command: [python, t.py, --lr 1 2 --wd 0]\n") == "");
  CHECK(changed_trainer("    command: [python, --opt, a, t.py, --lr 1 --wd 0]\n") ==
        R"(-    command: [python, --opt, a, t.py, --lr 1 --wd 0]
+    command: [python, --opt, a, t.py, "--lr", "1", "--wd", "0"]
)");
}

TEST_CASE("--fix=all: characters that were not typed") {
  CHECK(changed_trainer("    numNodes: “4”\n    args: [‘--lr’, “0.1”, –x, --name=“y”]\n"
                        "    env:\n    - {name: A, value: “x y”}\n") == R"(-    numNodes: “4”
-    args: [‘--lr’, “0.1”, –x, --name=“y”]
+    numNodes: 4
+    args: ["--lr", "0.1", "--x", "--name=y"]
-    - {name: A, value: “x y”}
+    - {name: A, value: "x y"}
)");
  CHECK(changed_trainer("    command: [sh, -c, 'python x.py --name “a b” –v']\n") ==
        R"(-    command: [sh, -c, 'python x.py --name “a b” –v']
+    command: [sh, -c, 'python x.py --name "a b" --v']
)");
  CHECK(changed_trainer(
            "    command:\n    - sh\n    - -c\n    - |\n      echo\n\n      python x.py --name “a b”\n") ==
        R"(-      python x.py --name “a b”
+      python x.py --name "a b"
)");
  CHECK(changed_trainer("    numNodes:\u00a02\n    args: [x]\n") == R"(-    numNodes: 2
+    numNodes: 2
)");
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) + "  trainer:\n    numNodes:\u00a02\n") ==
        R"(-    numNodes: 2
+    numNodes: 2
)");
  CHECK(changed_trainer("    env:\n    -\u00a0name: A\n      value: b\n") == R"(-    - name: A
+    - name: A
)");
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) + "  trainer:\n  \u00a0 numNodes: 2\n") ==
        R"(-    numNodes: 2
+    numNodes: 2
)");
}

TEST_CASE("--fix=all: amounts and devices that no node has") {
  CHECK(changed_trainer("    resourcesPerNode:\n      limits:\n        memory: 512m\n        nvidia/gpu: 1\n"
                        "      requests:\n        nvidia/gpu: 1\n") == R"(-        memory: 512m
-        nvidia/gpu: 1
+        memory: 512Mi
+        nvidia.com/gpu: 1
-        nvidia/gpu: 1
+        nvidia.com/gpu: 1
)");
}

TEST_CASE("--fix=all writes no field twice") {
  CHECK(changed_trainer("    numNodes: 1\n    numNode: 2\n") == "");
  CHECK(changed_trainer("    numNod: 1\n    numNode: 2\n") == R"(-    numNod: 1
+    numNodes: 1
)");
}

TEST_CASE("--fix=all removes what a finding says to remove") {
  // In brackets and in lines, first, last and alone.
  CHECK(changed_trainer("    env: [{name: PET_NNODES, value: \"4\"}, {name: A, value: b}]\n") ==
        R"(-    env: [{name: PET_NNODES, value: "4"}, {name: A, value: b}]
+    env: [{name: A, value: b}]
)");
  CHECK(changed_trainer("    env: [{name: A, value: b}, {name: PET_NNODES, value: \"4\"}]\n") ==
        R"(-    env: [{name: A, value: b}, {name: PET_NNODES, value: "4"}]
+    env: [{name: A, value: b}]
)");
  CHECK(changed_trainer("    env: [{name: PET_NNODES, value: \"4\"}]\n") ==
        R"(-    env: [{name: PET_NNODES, value: "4"}]
)");
  CHECK(changed_trainer(
            "    env:\n    # how many\n    - name: PET_NNODES\n\n      value: \"4\"\n    - name: A\n      "
            "value: b\n") == R"(-    - name: PET_NNODES
-
-      value: "4"
)");
  CHECK(changed_trainer("    env:\n      - name: PET_NNODES\n        value: \"4\"\n    numNodes: 2\n") ==
        R"(-    env:
-      - name: PET_NNODES
-        value: "4"
)");
  // What does not show where it ends stays.
  CHECK(changed_trainer(
            "    env:\n    -\n      name: PET_NNODES\n      value: \"4\"\n    - {name: A, value: b}\n") ==
        R"()");
  CHECK(
      changed(
          "{\"apiVersion\": \"trainer.kubeflow.org/v1alpha1\", \"kind\": \"TrainJob\",\n"
          "\"metadata\": {\"name\": \"one\"}, \"spec\": {\"runtimeRef\": {\"name\": \"torch-distributed\"},\n"
          "\"trainer\": {\"env\": [{\"name\": \"PET_NNODES\", \"value\": \"4\"}], \"image\": \"a/b:1\"}}}\n",
          "a.json") == R"(-"trainer": {"env": [{"name": "PET_NNODES", "value": "4"}], "image": "a/b:1"}}}
+"trainer": {"image": "a/b:1"}}}
)");
}

TEST_CASE("--fix=all removes a launcher's flags that contradict the job, with their values") {
  const auto command = [](const std::string& words) {
    return changed_trainer("    numNodes: 4\n    command: " + words + "\n");
  };
  CHECK(command("[torchrun, --nnodes=2, train.py]") == R"(-    command: [torchrun, --nnodes=2, train.py]
+    command: [torchrun, train.py]
)");
  CHECK(command("[torchrun, --nnodes, \"2\", train.py]") ==
        R"(-    command: [torchrun, --nnodes, "2", train.py]
+    command: [torchrun, train.py]
)");
  CHECK(command("[torchrun, --standalone, train.py]") == R"(-    command: [torchrun, --standalone, train.py]
+    command: [torchrun, train.py]
)");
  CHECK(command("\n    - torchrun\n    - --rdzv-endpoint\n    - localhost:29500\n    - train.py") ==
        R"(-    - --rdzv-endpoint
-    - localhost:29500
)");
  CHECK(command("[sh, -c, torchrun --nnodes 2 train.py]") ==
        R"(-    command: [sh, -c, torchrun --nnodes 2 train.py]
+    command: [sh, -c, torchrun train.py]
)");
  CHECK(
      command("\n    - bash\n    - -ec\n    - |\n      cd /app\n      exec torchrun --standalone train.py") ==
      R"(-      exec torchrun --standalone train.py
+      exec torchrun train.py
)");
  CHECK(
      command(
          "\n    - bash\n    - -c\n    - >-\n      cd /app &&\n      torchrun  --nnodes=2\n      train.py") ==
      R"(-      torchrun  --nnodes=2
+      torchrun
)");
  // Once.
  CHECK(command("[sh, -c, torchrun --nnodes=2 a.py; torchrun --nnodes=2 b.py]") == R"()");
}

TEST_CASE("--fix=all starts a script with the launcher of its framework") {
  const auto command = [](const std::string& words) {
    return changed_trainer("    numNodes: 4\n    command: " + words + "\n");
  };
  CHECK(command("[python, train.py, --lr, \"1\"]") == R"(-    command: [python, train.py, --lr, "1"]
+    command: [torchrun, train.py, --lr, "1"]
)");
  CHECK(command("\n    - /usr/bin/python3\n    args: [\"-m\", pkg]") == R"(-    - /usr/bin/python3
+    - torchrun
)");
  CHECK(command("[./train.py, --lr]") == R"(-    command: [./train.py, --lr]
+    command: [torchrun, ./train.py, --lr]
)");
  CHECK(command("[python, -u, train.py]") == R"(-    command: [python, -u, train.py]
+    command: [torchrun, train.py]
)");
  CHECK(command("\n    - python\n    - -u\n    - -m\n    - pkg") == R"(-    - python
-    - -u
+    - torchrun
)");
  CHECK(command("[deepspeed, train.py, --deepspeed, zero.json]") ==
        R"(-    command: [deepspeed, train.py, --deepspeed, zero.json]
+    command: [torchrun, train.py, --deepspeed, zero.json]
)");
  CHECK(command("[python, -c, 'import torch.distributed as d; d.init_process_group()']") ==
        R"(-    command: [python, -c, 'import torch.distributed as d; d.init_process_group()']
+    command: [torchrun, "--no_python", python, -c, 'import torch.distributed as d; d.init_process_group()']
)");
  CHECK(command("[sh, -c, 'cd /app && python3 -u train.py --lr 1']") ==
        R"(-    command: [sh, -c, 'cd /app && python3 -u train.py --lr 1']
+    command: [sh, -c, 'cd /app && torchrun train.py --lr 1']
)");
  CHECK(
      command(
          "\n    - bash\n    - -c\n    - |\n      set -e\n      pip install x\n      python -m pkg.train") ==
      R"(-      python -m pkg.train
+      torchrun -m pkg.train
)");
  CHECK(command("[sh, -c, ./train.py]") == R"(-    command: [sh, -c, ./train.py]
+    command: [sh, -c, torchrun ./train.py]
)");
  // What only Python or the other launcher understands, and scripts that start it twice.
  CHECK(command("[python, -O, train.py]") == "");
  CHECK(command("[deepspeed, --num_gpus=2, train.py]") == "");
  CHECK(command("[sh, -c, python train.py && python train.py --eval]") == "");
  CHECK(command("[sh, -c, python  train.py]") == "");
}

TEST_CASE("--fix=all starts Python on an MPI launcher with mpirun") {
  const auto command = [](const std::string& words) {
    std::string runtime(kRuntimeRef);
    runtime.replace(runtime.find("torch-distributed"), 17, "deepspeed-distributed");
    return changed(std::string(kHead) + runtime + "  trainer:\n    image: a/b:1\n    command: " + words +
                   "\n");
  };
  CHECK(command("[python, train.py]") == R"(-    command: [python, train.py]
+    command: [mpirun, python, train.py]
)");
  CHECK(command("\n    - deepspeed\n    - train.py") == R"(-    - deepspeed
+    - mpirun
+    - python
)");
  CHECK(command("[deepspeed, --num_gpus=2, train.py]") == "");
  CHECK(command("[torchrun, train.py]") == "");
}

TEST_CASE("--fix=all moves a field to where it belongs") {
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) +
                "  numNodes: 2  # two\n  trainer:\n    image: a/b:1\n    command: [torchrun]\n") ==
        R"(-  numNodes: 2  # two
+    numNodes: 2  # two
)");
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) + "  numNodes: 2\n") ==
        R"(+  trainer: {numNodes: 2}
-  numNodes: 2
)");
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) + "  numNodes: 2  # two\n") == "");
  CHECK(changed(std::string(kHead) + std::string(kRuntimeRef) +
                "  numNodes: 2\n  trainer: {numNodes: 3, image: a/b:1, command: [torchrun]}\n") == R"()");
  CHECK(changed("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nname: one\nspec:\n" +
                std::string(kRuntimeRef) + "  trainer: {image: a/b:1, command: [torchrun]}\n") == R"()");
  CHECK(
      changed("{\"apiVersion\": \"trainer.kubeflow.org/v1alpha1\", \"kind\": \"TrainJob\",\n"
              "\"metadata\": {\"name\": \"one\"},\n\"spec\": {\"numNodes\": 2, \"runtimeRef\": {\"name\": "
              "\"torch-distributed\"},\n\"trainer\": {\"image\": \"a/b:1\", \"command\": [\"torchrun\"]}}}\n",
              "a.json") == R"(-"spec": {"numNodes": 2, "runtimeRef": {"name": "torch-distributed"},
-"trainer": {"image": "a/b:1", "command": ["torchrun"]}}}
+"spec": {"runtimeRef": {"name": "torch-distributed"},
+"trainer": {"numNodes": 2, "image": "a/b:1", "command": ["torchrun"]}}}
)");
}

TEST_CASE("--fix=all moves no field of one container into another") {
  const auto patched = [](const std::string& containers) {
    return changed(std::string(kHead) + std::string(kRuntimeRef) +
                   "  trainer: {command: [torchrun]}\n  runtimePatches:\n  - manager: a.io/b\n    "
                   "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: "
                   "{template: {spec: {" +
                   containers + "}}}}}]}}}\n");
  };
  CHECK(patched("initContainers: [{name: fetch, image: \"a/b:1\"}]") == "");
  CHECK(patched("containers: [{name: side, image: \"a/b:1\"}]") == "");
}

TEST_CASE("--fix=all: a space that is missing") {
  CHECK(changed_trainer("    numNodes:2\n    command: [torchrun]\n") == R"(-    numNodes:2
+    numNodes: 2
)");
  CHECK(changed_trainer("    command:\n    - torchrun\n    -train.py\n    - --lr\n") == R"(-    -train.py
+    - train.py
)");
  // Not a key.
  CHECK(changed_trainer("    https://a.example\n    command: [torchrun]\n") == "");
}

TEST_CASE("--fix=all: a document on the line of its separator") {
  base::MemoryFileSystem files;
  const std::string text =
      "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: one}, spec: {runtimeRef: "
      "{name: torch-distributed}, trainer: {command: [torchrun]}}}\n";
  files.files["a.yaml"] = "---   " + text;
  CHECK(lint(files, {"--fix=all", "-q", "a.yaml"}).out == "");
  CHECK(files.files["a.yaml"] == "---\n" + text);
}

TEST_CASE("--fix=all: suppressions that suppress nothing") {
  CHECK(changed_trainer("    # trainjobc:ignore advice/image-tag -- a\n    # why\n    command: [torchrun]  # "
                        "trainjobc:ignore advice/no-command -- b\n") ==
        R"(-    # trainjobc:ignore advice/image-tag -- a
-    command: [torchrun]  # trainjobc:ignore advice/no-command -- b
+    command: [torchrun]
)");
}

}  // namespace trainjobc::cli_fix_test
