// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/advice.h"
#include "support/test_console.h"

namespace trainjobc::cli_explain_test {
namespace {

using test::Run;

Run explain(std::vector<std::string> arguments, const std::string& policy = "{torch: {}}") {
  base::MemoryFileSystem files;
  files.files["in.yaml"] = test::runtime(policy, test::trainer()) + test::job("  trainer: {numNodes: 2}\n");
  arguments.insert(arguments.begin(), {"explain", "--no-config", "in.yaml"});
  return test::run(files, arguments);
}

}  // namespace

TEST_CASE("explain prints what render prints, with the origin of each field") {
  const Run run = explain({});
  CHECK(run.err == "");
  CHECK(run.status == 0);
  CHECK(run.out == R"(apiVersion: jobset.x-k8s.io/v1alpha2                            # in.yaml:22:1  jobset
kind: JobSet                                                    # in.yaml:22:1  jobset
metadata:
  name: job                                                     # in.yaml:25:9  metadata.name  trainjob/name
spec:
  suspend: false                                                # in.yaml:27:3  spec  default
  replicatedJobs:
  - name: node                                                  # in.yaml:12:15
    groupName: default                                          # in.yaml:12:9  spec.template.spec.replicatedJobs[0]  default
    replicas: 1                                                 # in.yaml:12:9  spec.template.spec.replicatedJobs[0]  default
    template:
      metadata:
        labels:
          trainer.kubeflow.org/trainjob-ancestor-step: trainer  # in.yaml:14:76
      spec:
        completions: 2                                          # in.yaml:28:23  spec.trainer.numNodes  trainer/pod-count
        parallelism: 2                                          # in.yaml:28:23  spec.trainer.numNodes  trainer/pod-count
        template:
          spec:
            containers:
            - name: node                                        # in.yaml:19:25
              image: img:1                                      # in.yaml:20:26
              env:
              - name: PET_NNODES                                # in.yaml:28:23  spec.trainer.numNodes  torch/PET_NNODES
                value: "2"                                      # in.yaml:28:23  spec.trainer.numNodes  torch/PET_NNODES
              - name: PET_NPROC_PER_NODE                        # in.yaml:19:19  torch/PET_NPROC_PER_NODE
                value: "1"                                      # in.yaml:19:19  torch/PET_NPROC_PER_NODE
              - name: PET_NODE_RANK                             # torch/PET_NODE_RANK
                valueFrom:
                  fieldRef:
                    fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']  # torch/PET_NODE_RANK
              - name: PET_MASTER_ADDR                           # in.yaml:25:9  metadata.name  torch/PET_MASTER_ADDR
                value: job-node-0-0.job                         # in.yaml:25:9  metadata.name  torch/PET_MASTER_ADDR
              - name: PET_MASTER_PORT                           # torch/PET_MASTER_PORT
                value: "29500"                                  # torch/PET_MASTER_PORT
              ports:
              - containerPort: 29500                            # in.yaml:19:19  torch/port
)");
}

TEST_CASE("explain --field") {
  CHECK(explain({"--field", "PET_NN"}).out == R"(JobSet job
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].name   "PET_NNODES"  in.yaml:28:23  spec.trainer.numNodes  torch/PET_NNODES
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value  "2"           in.yaml:28:23  spec.trainer.numNodes  torch/PET_NNODES
)");
  CHECK(explain({"--field", "completions", "-o", "json"}).out == R"({
  "version": 1,
  "fields": [
    {
      "object": "JobSet/default/job",
      "path": "spec.replicatedJobs[0].template.spec.completions",
      "value": 2,
      "rule": "trainer/pod-count",
      "file": "in.yaml",
      "line": 28,
      "column": 23,
      "field": "spec.trainer.numNodes",
      "earlier": []
    }
  ]
}
)");
  // File modes in octal for people, as they are for programs.
  CHECK(explain({"--field", "secret.defaultMode"}, "{mpi: {}}").out == R"(JobSet job
  spec.replicatedJobs[node]…volumes[mpi-ssh-auth].secret.defaultMode  0400  mpi/ssh-key-volume
)");
  CHECK(explain({"--field", "secret.defaultMode", "-o", "json"}, "{mpi: {}}").out == R"({
  "version": 1,
  "fields": [
    {
      "object": "JobSet/default/job",
      "path": "spec.replicatedJobs[0].template.spec.template.spec.volumes[0].secret.defaultMode",
      "value": 256,
      "rule": "mpi/ssh-key-volume",
      "file": "",
      "line": 0,
      "column": 0,
      "field": "",
      "earlier": []
    }
  ]
}
)");
  const Run none = explain({"--field", "imagee"});
  CHECK(none.status == 0);
  CHECK(none.out == "");
  CHECK(none.err == "note: no rendered field's path contains \"imagee\"\n");
}

TEST_CASE("explain: flags that don't go together") {
  const Run run = explain({"--field", "image", "-o", "yaml"});
  CHECK(run.status == 2);
  CHECK(run.out == "");
  CHECK(run.err == "trainjobc: --field can't be used with -o yaml: use -o text or -o json\n");
}

TEST_CASE("explain shows no key") {
  CHECK(explain({"--field", "data.ssh"}, "{mpi: {}}").out == R"(Secret job-mpi-ssh-auth
  data.ssh-privatekey  "***"  mpi/ssh-key
  data.ssh-publickey   "***"  mpi/ssh-key
)");
  CHECK(explain({}, "{mpi: {}}").out.find("PRIVATE") == std::string::npos);
}

}  // namespace trainjobc::cli_explain_test
