// SPDX-License-Identifier: Apache-2.0

// migrate --summary and --report
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/v1_jobs.h"

namespace trainjobc::migrate_report_test {
using namespace trainjobc::test;

// Jobs that are converted, stay, and need nothing; a Service that selects pods, and a document for others.
V1Run run(const std::vector<std::string>& flags) {
  V1Run all;
  all.files.files["a.yaml"] = torch("") + "---\n" + head("MXJob") + R"(spec: {}
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {training.kubeflow.org/job-name: a}}
---
apiVersion: v1
kind: Namespace
metadata: {name: n}
)";
  all.files.files["b.yaml"] = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: b}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {image: r.io/b:1, command: [torchrun, b.py]}
)";
  all.files.files["c.yaml"] = named(torch("  runPolicy: {backoffLimit: 3}\n"), "c");
  std::vector<std::string> arguments{"migrate", "--no-config", "--to", "2.3", "a.yaml", "b.yaml", "c.yaml"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  all.status = cli::run(arguments, all.console);
  return all;
}

TEST_CASE("migrate --summary prints a table of the objects") {
  const V1Run all = run({"--summary"});
  CHECK(all.status == 1);
  CHECK(all.console.out ==
        R"(OBJECT                PLACE      BECOMES                                                 FINDINGS
PyTorchJob/default/a  a.yaml:1   TrainJob/default/a                                      0
MXJob/default/a       a.yaml:11  stays as it is                                          1
Service/default/s     a.yaml:15  Service/default/s                                       0
TrainJob/default/b    b.yaml:1   unchanged                                               0
PyTorchJob/default/c  c.yaml:1   ClusterTrainingRuntime/torch-npwb9, TrainJob/default/c  0
)");
}

TEST_CASE("migrate --report: Markdown, with the order in which to apply the files") {
  const V1Run all = run({"--report", "r.md", "--write"});
  CHECK(all.status == 1);
  CHECK(all.files.files.at("r.md") == R"(### Migration to Trainer 2.3

- **3 migrated, 1 unchanged, 1 left as they are**

| object | place | becomes | to look at |
|---|---|---|--:|
| PyTorchJob/default/a | a.yaml:1 | TrainJob/default/a | 0 |
| MXJob/default/a | a.yaml:11 | stays as it is | 1 |
| Service/default/s | a.yaml:15 | Service/default/s | 0 |
| TrainJob/default/b | b.yaml:1 | unchanged | 0 |
| PyTorchJob/default/c | c.yaml:1 | ClusterTrainingRuntime/torch-npwb9, TrainJob/default/c | 0 |

- **Apply in this order**
  - `c.yaml`: ClusterTrainingRuntime/torch-npwb9
  - then 2 other files

- **MXJob/default/a** stays as it is (a.yaml:11)
  - `a.yaml:11`: MXJob of kubeflow.org/v1 stays as it is: Trainer has nothing like it (keep the old operator for it, or write a runtime and a TrainJob by hand)

- **Not for Trainer**
  - `a.yaml:20`: is a Namespace of v1

- **What differs from v1 in every job** https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate --runtimes-dir: a file for each runtime") {
  V1Run all = run({"--runtimes-dir", "runtimes", "--write", "--summary", "--report", "r.md"});
  CHECK(all.files.files.at("runtimes/torch-npwb9.yaml") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-npwb9
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
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
            backoffLimit: 3
            template:
              spec:
                containers:
                - name: node
)");
  CHECK(all.files.files.at("c.yaml") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: c}
spec:
  runtimeRef:
    name: torch-npwb9
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
  CHECK(all.files.files.at("r.md").find(R"(- **Apply in this order**
  - `runtimes/torch-npwb9.yaml`: ClusterTrainingRuntime/torch-npwb9
  - then 3 other files
)") != std::string::npos);
  // The same file again is no clash, another one is.
  V1Run again;
  again.files.files = {{"in.yaml", named(torch("  runPolicy: {backoffLimit: 3}\n"), "c")},
                       {"runtimes/torch-npwb9.yaml", all.files.files.at("runtimes/torch-npwb9.yaml")}};
  again.write({"--runtimes-dir", "runtimes"});
  CHECK(again.status == 0);
  again.files.files["in.yaml"] = named(torch("  runPolicy: {backoffLimit: 3}\n"), "c");
  again.files.files["runtimes/torch-npwb9.yaml"] = "a: b\n";
  again.write({"--runtimes-dir", "runtimes"});
  CHECK(again.status == 2);
  CHECK(again.console.err.ends_with(
      "trainjobc: --runtimes-dir: runtimes/torch-npwb9.yaml would be two runtimes; leave out --runtime-name, "
      "or give the other one's file with --runtimes\n"));
  CHECK(again.files.files.at("in.yaml") == named(torch("  runPolicy: {backoffLimit: 3}\n"), "c"));
}

TEST_CASE("migrate --report: JSON") {
  V1Run all = run({"--report", "r.json"});
  CHECK(all.files.files.at("r.json") == R"({
  "version": 1,
  "trainerVersion": "2.3",
  "objects": [
    {
      "object": "PyTorchJob/default/a",
      "file": "a.yaml",
      "line": 1,
      "result": "migrated",
      "becomes": [
        "TrainJob/default/a"
      ],
      "findings": []
    },
    {
      "object": "MXJob/default/a",
      "file": "a.yaml",
      "line": 11,
      "result": "left",
      "becomes": [],
      "findings": [
        {
          "rule": "migrate/left",
          "stage": "input",
          "severity": "error",
          "object": "MXJob/default/a",
          "field": "kind",
          "message": "MXJob of kubeflow.org/v1 stays as it is: Trainer has nothing like it",
          "hint": "keep the old operator for it, or write a runtime and a TrainJob by hand",
          "file": "a.yaml",
          "line": 11,
          "column": 7,
          "endLine": 11,
          "endColumn": 12
        }
      ]
    },
    {
      "object": "Service/default/s",
      "file": "a.yaml",
      "line": 15,
      "result": "migrated",
      "becomes": [
        "Service/default/s"
      ],
      "findings": []
    },
    {
      "object": "TrainJob/default/b",
      "file": "b.yaml",
      "line": 1,
      "result": "unchanged",
      "becomes": [
        "TrainJob/default/b"
      ],
      "findings": []
    },
    {
      "object": "PyTorchJob/default/c",
      "file": "c.yaml",
      "line": 1,
      "result": "migrated",
      "becomes": [
        "ClusterTrainingRuntime//torch-npwb9",
        "TrainJob/default/c"
      ],
      "findings": []
    }
  ],
  "apply": [
    {
      "file": "c.yaml",
      "runtimes": [
        "ClusterTrainingRuntime//torch-npwb9"
      ]
    },
    {
      "file": "a.yaml",
      "runtimes": []
    },
    {
      "file": "b.yaml",
      "runtimes": []
    }
  ],
  "findings": [],
  "notForTrainer": [
    {
      "file": "a.yaml",
      "line": 20,
      "what": "is a Namespace of v1"
    }
  ]
}
)");
}

TEST_CASE("migrate --report: another kind of file") {
  const V1Run all = run({"--report", "r.txt"});
  CHECK(all.status == 2);
  CHECK(all.console.err == "trainjobc: --report: r.txt ends neither with .md nor with .json\n");
  CHECK_FALSE(all.files.files.contains("r.txt"));
}

}  // namespace trainjobc::migrate_report_test
