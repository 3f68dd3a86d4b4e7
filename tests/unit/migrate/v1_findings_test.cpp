// SPDX-License-Identifier: Apache-2.0

// v1 jobs: what is said about them
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_findings_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: no finding shows a secret") {
  const std::string env = kTorch + ", env: [{name: DB_PASSWORD, value: ";
  CHECK(
      said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
           replica("Master", "1", env + "one-word}]") + replica("Worker", "2", env + "two-words}]")) ==
      R"(in.yaml:11:133: warning: Master and Worker differ in spec.containers[0].env[0].value: the job gets a runtime of its own, with the addresses of its 3 pods [advice/v1-difference]
  hint: make them alike if they need not differ; for another number of pods, migrate the v1 job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  dbPasswords: {DB_PASSWORD: one-word}\n  tokens: [hf_abcdefghij0123456789abcd]\n")) ==
      R"(in.yaml:5:3: warning: PyTorchJob has no field "dbPasswords" in spec, and ignores it [advice/v1-ignored-field]
in.yaml:6:3: warning: PyTorchJob has no field "tokens" in spec, and ignores it [advice/v1-ignored-field]
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: what a PyTorchJob loses") {
  CHECK(
      said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "1", kTorch) +
           replica("Worker", "2", kTorch + ", args: [--worker]")) ==
      R"(in.yaml:11:106: warning: Master and Worker differ in spec.containers[0].args: the job gets a runtime of its own, with the addresses of its 3 pods [advice/v1-difference]
   11 |       template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py], args: [--worker]}]}}
      |                                                                                                          ^ make them alike if they need not differ; for another number of pods, migrate the v1 job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "1", kTorch) +
           replica("Worker", "2", kTorch, "      restartPolicy: Never\n")) ==
      R"(in.yaml:7:7: warning: the nodes of a TrainJob are all alike: they get the restart policy of Worker, not of Master [advice/v1-difference]
    7 |       replicas: 1
      |       ^~~~~~~~ --alike Master takes those of Master, --plain keeps both
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  runPolicy: {ttlSecondsAfterFinished: 60, cleanPodPolicy: All}\n")) ==
      R"(in.yaml:5:40: warning: Trainer 2.3 would run a job that failed again each time this deletes its JobSet: it is left out [advice/v1-difference]
    5 |   runPolicy: {ttlSecondsAfterFinished: 60, cleanPodPolicy: All}
      |                                        ^~ delete TrainJobs that have ended: their JobSets and pods go with them
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  nprocPerNode: gpu\n  elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: "
                 "Resource}]}\n")) ==
      R"(in.yaml:5:17: warning: Trainer starts one process per CPU and ignores this value [advice/v1-difference]
    5 |   nprocPerNode: gpu
      |                 ^~~ write a number
in.yaml:6:32: warning: Trainer 2.3 has no elastic training: the job runs on 2 nodes, and waits for all of them [advice/v1-difference]
    6 |   elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource}]}
      |                                ^ set spec.trainer.numNodes to the number of nodes that you want
in.yaml:6:60: warning: Trainer has no autoscaling: the number of nodes stays [advice/v1-difference]
    6 |   elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource}]}
      |                                                            ^ change spec.trainer.numNodes, and create the job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  nprocesPerNode: 8\n  cleanPodPolicy: All\n  runPolicy: {cleanPodPolicy: All}\n",
                 "      restartPolicy: Always\n      template2: {}\n")) ==
      R"(in.yaml:5:3: warning: PyTorchJob has no field "nprocesPerNode" in spec, and ignores it [advice/v1-ignored-field]
    5 |   nprocesPerNode: 8
      |   ^~~~~~~~~~~~~~ did you mean "nprocPerNode"?
in.yaml:6:3: warning: PyTorchJob has no field "cleanPodPolicy" in spec, and ignores it [advice/v1-ignored-field]
    6 |   cleanPodPolicy: All
      |   ^~~~~~~~~~~~~~ it is a field of spec.runPolicy
in.yaml:7:31: warning: the pods that ended stay with the TrainJob, so that their logs do [advice/v1-difference]
    7 |   runPolicy: {cleanPodPolicy: All}
      |                               ^~~ delete the TrainJob to remove them
in.yaml:11:22: warning: Trainer starts a pod again only if it failed, as with OnFailure [advice/v1-difference]
   11 |       restartPolicy: Always
      |                      ^~~~~~ write OnFailure if this is what you want
in.yaml:12:7: warning: PyTorchJob has no field "template2" in spec.pytorchReplicaSpecs.Worker, and ignores it [advice/v1-ignored-field]
   12 |       template2: {}
      |       ^~~~~~~~~
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  runPolicy: {schedulingPolicy: {minAvailable: 1}}\n")) ==
      R"(in.yaml:5:33: warning: the inputs name no gang scheduler, and Training Operator has none by default: the pods are not started together [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1}}
      |                                 ^ --gang volcano and --gang coscheduling start them together
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  runPolicy: {schedulingPolicy: {minAvailable: 1}}\n") +
           "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: a}\n") ==
      R"(in.yaml:5:33: warning: Kueue admits the pods of a job together: the TrainJob gets no gang scheduler [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1}}
      |                                 ^ --gang volcano and --gang coscheduling give it one
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(
      said(torch("  runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}\n") +
           "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\n") ==
      R"(in.yaml:5:33: warning: the job does not say which scheduler starts its pods together: Volcano, as in other objects of the inputs [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                 ^ --gang none and --gang coscheduling choose another
in.yaml:5:48: warning: Trainer starts all 2 pods of the job together [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                                ^ remove it
in.yaml:5:65: warning: Trainer adds up the requests of all pods [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                                                 ^ remove it
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(torch(
            "  runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 9, queue: q, priorityClass: p}}\n")) ==
        R"(in.yaml:5:58: warning: Volcano does not use it [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 9, queue: q, priorityClass: p}}
      |                                                          ^ remove it
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  // Without torchrun it needs addresses, which contain the name.
  const std::string program = "name: pytorch, image: 'r.io/a:1'";
  CHECK(said("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {generateName: a-}\nspec:\n"
             "  pytorchReplicaSpecs:\n" +
             replica("Master", "1", program)) ==
        R"(1 of 1 object migrated to Trainer 2.3
)");
  CHECK(
      said("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: 1a}\nspec:\n"
           "  pytorchReplicaSpecs:\n" +
           replica("Worker", "1", kTorch)) ==
      R"(in.yaml:2:7: error: Trainer 2.3 refuses the TrainJob that this becomes: metadata.name "1a" must consist of lower-case letters, digits and '-', and begin with a letter [migrate/lost]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ such as "a"
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: what no operator accepts") {
  CHECK(said(head("PyTorchJob") + "spec: {}\n") ==
        R"(in.yaml:1:1: error: the PyTorchJob has no pytorchReplicaSpecs [migrate/lost]
    1 | apiVersion: kubeflow.org/v1
      | ^~~~~~~~~~
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Chief", "1", kTorch)) ==
        R"(in.yaml:7:7: error: PyTorchJob has no replicas "Chief" [migrate/lost]
    7 |       replicas: 1
      |       ^~~~~~~~ it has Master, Worker
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "2", kTorch)) ==
        R"(in.yaml:7:17: error: there is one Master, not 2 [migrate/lost]
    7 |       replicas: 2
      |                 ^ write 1
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Worker", "two", kTorch)) ==
        R"(in.yaml:7:17: error: replicas must be a number of pods, not "two" [migrate/lost]
    7 |       replicas: two
      |                 ^~~
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Worker", "0", kTorch)) ==
        R"(in.yaml:6:5: error: the job has no pods [migrate/lost]
    6 |     Worker:
      |     ^~~~~~
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
             replica("Worker", "1", "name: a, image: b}, {name: b, image: b")) ==
        R"(in.yaml:8:38: error: none of the containers of Worker is called "pytorch" [migrate/lost]
    8 |       template: {spec: {containers: [{name: a, image: b}, {name: b, image: b}]}}
      |                                      ^ name the container that trains "pytorch"
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(torch("", "      restartPolicy: Sometimes\n")) ==
        R"(in.yaml:8:22: error: there is no restartPolicy "Sometimes" [migrate/lost]
    8 |       restartPolicy: Sometimes
      |                      ^~~~~~~~~ it is one of Always, ExitCode, Never, OnFailure
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n    Worker: {replicas: 1}\n") ==
        R"(in.yaml:6:13: error: the Worker has no containers [migrate/lost]
    6 |     Worker: {replicas: 1}
      |             ^
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("XGBoostJob") + "spec:\n  xgbReplicaSpecs:\n" +
             replica("Worker", "1", "name: xgboost, image: 'r.io/a:1'")) ==
        R"(in.yaml:6:5: error: an XGBoostJob needs a Master [migrate/lost]
    6 |     Worker:
      |     ^~~~~~ add a Master
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said(head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
             replica("Worker", "1", "name: mpi, image: 'r.io/a:1'")) ==
        R"(in.yaml:6:5: error: an MPIJob needs a Launcher [migrate/lost]
    6 |     Worker:
      |     ^~~~~~ add a Launcher
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_findings_test
