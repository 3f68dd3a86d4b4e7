// SPDX-License-Identifier: Apache-2.0

// v1 jobs that are templates for envsubst
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_placeholders_test {
using namespace trainjobc::test;

const std::string kTemplate = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: $NAME
spec:
  nprocPerNode: "$GPUS"
  elasticPolicy: {minReplicas: 1, maxReplicas: 64}
  pytorchReplicaSpecs:
    Worker:
      replicas: $NODES
      template:
        spec:
          containers:
            - name: pytorch
              image: ${IMAGE}
              command: [torchrun, --nnodes=$NODES, train.py, --head=$NAME-worker-0]
              resources: {limits: {nvidia.com/gpu: $GPUS, hugepages-2Mi: $PAGES, memory: $MEMORY}}
)";

TEST_CASE("migrate v1: placeholders of envsubst stay where the values don't matter") {
  V1Run run;
  run.files.files["in.yaml"] = kTemplate;
  CHECK(run.write() == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: $NAME
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: $NODES
    numProcPerNode: $GPUS
    image: ${IMAGE}
    command: [torchrun, --nnodes=$NODES, train.py, --head=$NAME-node-0-0.$NAME]
    env:
      - name: JOBSET_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.labels['jobset.sigs.k8s.io/jobset-name']
      - name: PYTHONUNBUFFERED
        value: "1"
      - name: PET_RDZV_BACKEND
        value: c10d
      - name: PET_RDZV_ENDPOINT
        value: $(JOBSET_NAME)-node-0-0.$(JOBSET_NAME):23456
      - name: PET_RDZV_CONF
        value: is_host=true
    resourcesPerNode: {limits: {nvidia.com/gpu: $GPUS, hugepages-2Mi: $PAGES, memory: $MEMORY}}
)");
  CHECK(
      run.console.err ==
      R"(in.yaml:7:32: warning: Trainer 2.3 has no elastic training: the job runs on $NODES nodes, and waits for all of them [advice/v1-difference]
    7 |   elasticPolicy: {minReplicas: 1, maxReplicas: 64}
      |                                ^ set spec.trainer.numNodes to the number of nodes that you want
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: placeholders whose values matter have to be filled in") {
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "1", kTorch) +
             replica("Worker", "$NODES", kTorch)) ==
        R"(in.yaml:10:17: error: $NODES is a placeholder [migrate/lost]
   10 |       replicas: $NODES
      |                 ^~~~~~ fill it in first: envsubst < in.yaml | trainjobc migrate -
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
             replica("Worker", "$NODES", kTorch + ", env: [{name: A, value: '${NODES}'}]") + "---\n" +
             named(torch("  nprocPerNode: $A\n  runPolicy:\n    backoffLimit: ${A}\n"), "b")) ==
        R"(in.yaml:7:17: error: $NODES is a placeholder [migrate/lost]
    7 |       replicas: $NODES
      |                 ^~~~~~ fill it in first: envsubst < in.yaml | trainjobc migrate -
in.yaml:11:7: error: this is an unrendered template [migrate/lost]
   11 | kind: PyTorchJob
      |       ^~~~~~~~~~ fill it in first: envsubst < in.yaml | trainjobc migrate -
nothing to migrate to Trainer 2.3 in 2 objects; 2 v1 jobs stay as they are
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: names with placeholders are not written in two ways") {
  const std::string job = named(torch(""), "<NAME>");
  CHECK(written(job).find("\nmetadata: {name: <NAME>}\n") != std::string::npos);
  CHECK(
      said(named(torch(""), "$NAME") + "# ${NAME}\n") ==
      R"(in.yaml:2:7: error: this is an unrendered template [migrate/lost]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ fill it in first: envsubst < in.yaml | trainjobc migrate -
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: placeholders stay beside kustomizations, and in no other file") {
  const std::string job = head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n";
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [a.yaml]\n";
  run.files.files["app/base/a.yaml"] = job + replica("Worker", "7001", kTorch);
  run.files.files["app/b.yaml"] = named(job, "b") + replica("Worker", "$N", kTorch);
  run.files.files["app/c.yaml"] =
      named(job, "c") + replica("Master", "1", kTorch) + replica("Worker", "$N", kTorch);
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 1);
  CHECK(run.files.files["app/base/a.yaml"].find("    numNodes: 7001\n") != std::string::npos);
  CHECK(run.files.files["app/b.yaml"].find("    numNodes: $N\n") != std::string::npos);
  CHECK(run.console.err == R"(app/c.yaml:10:17: error: $N is a placeholder [migrate/lost]
   10 |       replicas: $N
      |                 ^~ fill it in first: envsubst < app/c.yaml | trainjobc migrate -
2 of 3 objects migrated to Trainer 2.3; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_placeholders_test
