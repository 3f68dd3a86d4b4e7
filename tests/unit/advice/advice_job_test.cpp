// SPDX-License-Identifier: Apache-2.0

// Advice on TrainJobs: parts that have no effect or not the expected one.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_job_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_resources(const std::string& resources) {
  return trainer("                  resources: " + resources + "\n");
}

std::string mpi_jobs(const std::string& container = "") {
  return "      replicatedJobs:\n" + replicated_job("launcher", "trainer", container) +
         replicated_job("node", "", container);
}

constexpr const char* kGpus = "{limits: {nvidia.com/gpu: 4}}";

}  // namespace

TEST_CASE("advice/hidden-gpus: torch counts CPUs instead of GPUs") {
  const std::string rt = runtime("{torch: {}}", with_resources(kGpus));
  CHECK(
      advice("advice/hidden-gpus",
             rt + job("  trainer:\n    resourcesPerNode: {requests: {cpu: \"11.5\"}}\n")) ==
      R"(in.yaml:30:5: warning: torchrun starts 12 processes per node instead of one per GPU, which is 4: only resourcesPerNode is counted, which hides the runtime's [advice/hidden-gpus]
   30 |     resourcesPerNode: {requests: {cpu: "11.5"}}
      |     ^~~~~~~~~~~~~~~~ add them here too: limits: {nvidia.com/gpu: 4}
  note: the runtime's GPUs at in.yaml:21:56
)");
  CHECK(advice("advice/hidden-gpus",
               rt + job("  trainer: {numProcPerNode: 2, resourcesPerNode: {requests: {cpu: 12}}}\n")) == "");
  CHECK(advice("advice/hidden-gpus",
               rt + job("  trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 2}}}\n")) == "");
  CHECK(advice("advice/hidden-gpus", rt + job("  trainer: {numNodes: 2}\n")) == "");
  const std::string cpus = runtime("{torch: {}}", with_resources("{requests: {cpu: 4}}"));
  CHECK(advice("advice/hidden-gpus", cpus + job("  trainer: {resourcesPerNode: {requests: {cpu: 12}}}\n")) ==
        "");
}

TEST_CASE("advice/hidden-gpus: MPI, XGBoost and Flux") {
  const std::string change = job("  trainer: {numNodes: 2, resourcesPerNode: {requests: {cpu: 12}}}\n");
  const std::string resources = std::string("                  resources: ") + kGpus + "\n";
  const std::string tail = R"( [advice/hidden-gpus]
   38 |   trainer: {numNodes: 2, resourcesPerNode: {requests: {cpu: 12}}}
      |                          ^~~~~~~~~~~~~~~~ add them here too: limits: {nvidia.com/gpu: 4}
  note: the runtime's GPUs at in.yaml:21:56
)";
  CHECK(advice("advice/hidden-gpus", runtime("{mpi: {}}", mpi_jobs(resources)) + change) ==
        "in.yaml:38:26: warning: a node has 1 MPI slot instead of one per GPU, which is 4: only "
        "resourcesPerNode is counted, which hides the runtime's" +
            tail);
  CHECK(advice("advice/hidden-gpus", runtime("{mpi: {numProcPerNode: 8}}", mpi_jobs(resources)) + change) ==
        "");
  const auto message_of = [&](const char* policy) {
    const std::string found = advice("advice/hidden-gpus", runtime(policy, with_resources(kGpus)) + change);
    return found.substr(0, found.find(" [advice"));
  };
  CHECK(message_of("{xgboost: {}}") ==
        "in.yaml:29:26: warning: XGBoost counts 2 workers instead of one per GPU, which is 8: only "
        "resourcesPerNode is counted, which hides the runtime's");
  CHECK(message_of("{flux: {}}") ==
        "in.yaml:29:26: warning: Flux runs the command without GPUs instead of with 4 per node: only "
        "resourcesPerNode is counted, which hides the runtime's");
  CHECK(message_of("{jax: {}}") == "");
}

TEST_CASE("advice/no-processes: below 1 in the job or its runtime, if the framework counts processes") {
  const std::string rule = "advice/no-processes";
  const std::string zero = job("  trainer: {numProcPerNode: 0}\n");
  CHECK(advice(rule, runtime("{torch: {}}", trainer()) + zero) ==
        R"(in.yaml:28:29: error: torch jobs can't run with 0 processes per node [advice/no-processes]
   28 |   trainer: {numProcPerNode: 0}
      |                             ^ write 1 or more, or leave it out
)");
  CHECK(advice(rule, runtime("{mpi: {}}", mpi_jobs()) + job("  trainer: {numProcPerNode: -2}\n")) ==
        R"(in.yaml:36:29: error: MPI jobs can't run with -2 processes per node [advice/no-processes]
   36 |   trainer: {numProcPerNode: -2}
      |                             ^~ write 1 or more, or leave it out
)");
  CHECK(advice(rule, runtime("{mpi: {numProcPerNode: 0}}", mpi_jobs()) + job("  trainer: {}\n")) ==
        R"(in.yaml:8:36: error: MPI jobs can't run with 0 processes per node [advice/no-processes]
    8 |   mlPolicy: {mpi: {numProcPerNode: 0}}
      |                                    ^ write 1 or more, or leave it out
)");
  CHECK(advice(rule, runtime("{mpi: {numProcPerNode: 0}}", mpi_jobs()) + zero) ==
        R"(in.yaml:8:36: error: MPI jobs can't run with 0 processes per node [advice/no-processes]
    8 |   mlPolicy: {mpi: {numProcPerNode: 0}}
      |                                    ^ write 1 or more, or leave it out
in.yaml:36:29: error: MPI jobs can't run with 0 processes per node [advice/no-processes]
   36 |   trainer: {numProcPerNode: 0}
      |                             ^ write 1 or more, or leave it out
)");
  CHECK(advice(rule, runtime("{torch: {}}", trainer()) + job("  trainer: {numProcPerNode: 1}\n")) == "");
  CHECK(advice(rule, runtime("{jax: {}}", trainer()) + zero) == "");
}

TEST_CASE("advice/num-nodes-no-effect: nothing to count") {
  const std::string unlabelled = "      replicatedJobs:\n" + replicated_job("node", "");
  CHECK(
      advice("advice/num-nodes-no-effect",
             runtime("{torch: {}}", unlabelled) + job("  trainer: {numNodes: 2}\n")) ==
      R"(in.yaml:27:23: warning: numNodes has no effect: runtime "rt" has no replicatedJob with trainer.kubeflow.org/trainjob-ancestor-step: trainer [advice/num-nodes-no-effect]
   27 |   trainer: {numNodes: 2}
      |                       ^ label the replicatedJob that trains, in the runtime
  note: the runtime at in.yaml:4:9
)");
  const std::string launcher = "      replicatedJobs:\n" + replicated_job("launcher", "trainer");
  CHECK(
      advice("advice/num-nodes-no-effect",
             runtime("{mpi: {}}", launcher) + job("  trainer: {numNodes: 2}\n")) ==
      R"(in.yaml:28:23: warning: numNodes has no effect: runtime "rt" has no replicatedJob "node" [advice/num-nodes-no-effect]
   28 |   trainer: {numNodes: 2}
      |                       ^ add it to the runtime
  note: the runtime at in.yaml:4:9
)");
  CHECK(advice("advice/num-nodes-no-effect",
               runtime("{torch: {}}", trainer()) + job("  trainer: {numNodes: 2}\n")) == "");
  CHECK(advice("advice/num-nodes-no-effect",
               runtime("{mpi: {}}", mpi_jobs()) + job("  trainer: {numNodes: 2}\n")) == "");
  const std::string as_node = runtime("{mpi: {runLauncherAsNode: true}}", launcher);
  CHECK(advice("advice/num-nodes-no-effect", as_node + job("  trainer: {numNodes: 1}\n")) == "");
}

TEST_CASE("advice/mpi-num-nodes: one node is two pods") {
  const std::string rt = runtime("{mpi: {runLauncherAsNode: true}}", mpi_jobs());
  CHECK(
      advice("advice/mpi-num-nodes", rt + job("  trainer: {numNodes: 1}\n")) ==
      R"(in.yaml:36:23: warning: numNodes: 1 runs two pods: the launcher counts as a node, and at least one worker is always created [advice/mpi-num-nodes]
   36 |   trainer: {numNodes: 1}
      |                       ^ write 2 to make this clear, or use a runtime without the replicatedJob "node"
)");
  CHECK(advice("advice/mpi-num-nodes", rt + job("  trainer: {numNodes: 2}\n")) == "");
  CHECK(advice("advice/mpi-num-nodes",
               runtime("{mpi: {}}", mpi_jobs()) + job("  trainer: {numNodes: 1}\n")) == "");
}

TEST_CASE("advice/no-trainer-section: a framework without its variables") {
  CHECK(
      advice("advice/no-trainer-section", runtime("{torch: {}}", trainer()) + job("")) ==
      R"(in.yaml:26:1: warning: without spec.trainer the torch job gets no PET_* variables, which torchrun needs [advice/no-trainer-section]
   26 | spec:
      | ^~~~ add trainer: {}
)");
  CHECK(
      advice("advice/no-trainer-section", runtime("{jax: {}}", trainer()) + job("")) ==
      R"(in.yaml:26:1: warning: without spec.trainer the JAX job gets no JAX_* variables, which jax.distributed needs [advice/no-trainer-section]
   26 | spec:
      | ^~~~ add trainer: {}
)");
  CHECK(advice("advice/no-trainer-section", runtime("{torch: {}}", trainer()) + job("  trainer: {}\n")) ==
        "");
  CHECK(advice("advice/no-trainer-section", runtime("{numNodes: 2}", trainer()) + job("")) == "");
  CHECK(advice("advice/no-trainer-section", runtime("{mpi: {}}", mpi_jobs()) + job("")) == "");
}

TEST_CASE("advice/trainer-no-effect: no label, no policy, no use") {
  const std::string unlabelled = "      replicatedJobs:\n" + replicated_job("node", "");
  CHECK(
      advice("advice/trainer-no-effect",
             runtime("{torch: {}}", unlabelled) +
                 job("  trainer: {image: \"a:1\", args: [b], resourcesPerNode: {requests: {cpu: 1}}}\n")) ==
      R"(in.yaml:27:13: warning: image, args, resourcesPerNode have no effect: no replicatedJob of runtime "rt" has trainer.kubeflow.org/trainjob-ancestor-step: trainer [advice/trainer-no-effect]
   27 |   trainer: {image: "a:1", args: [b], resourcesPerNode: {requests: {cpu: 1}}}
      |             ^~~~~ label the replicatedJob that trains, in the runtime
  note: the runtime at in.yaml:4:9
)");
  CHECK(
      advice("advice/trainer-no-effect",
             runtime("", trainer()) +
                 job("  trainer: {image: \"a:1\", resourcesPerNode: {requests: {cpu: 1}}}\n")) ==
      R"(in.yaml:27:27: warning: resourcesPerNode has no effect: runtime "rt" has no mlPolicy [advice/trainer-no-effect]
   27 |   trainer: {image: "a:1", resourcesPerNode: {requests: {cpu: 1}}}
      |                           ^~~~~~~~~~~~~~~~ add one to the runtime
  note: the runtime at in.yaml:4:9
)");
  CHECK(
      advice("advice/trainer-no-effect",
             runtime("{jax: {}}", trainer()) + job("  trainer: {numProcPerNode: 2}\n")) ==
      R"(in.yaml:28:13: warning: numProcPerNode has no effect: only torch, MPI and Flux runtimes count processes per node [advice/trainer-no-effect]
   28 |   trainer: {numProcPerNode: 2}
      |             ^~~~~~~~~~~~~~ remove it
  note: the runtime at in.yaml:4:9
)");
}

TEST_CASE("advice/trainer-no-effect: claims, and what does have an effect") {
  const std::string rt = runtime("{torch: {}}", trainer());
  CHECK(advice("advice/trainer-no-effect",
               rt + job("  trainer: {resourcesPerNode: {requests: {cpu: 1}, claims: [{name: c}]}}\n")) ==
        R"(in.yaml:28:52: warning: the controller drops claims of resourcesPerNode [advice/trainer-no-effect]
   28 |   trainer: {resourcesPerNode: {requests: {cpu: 1}, claims: [{name: c}]}}
      |                                                    ^~~~~~ claim them in the runtime
)");
  CHECK(advice("advice/trainer-no-effect",
               rt + job("  trainer: {image: \"a:1\", command: [a], args: [b], env: [{name: A, value: b}], "
                        "numNodes: 2, "
                        "numProcPerNode: 2, resourcesPerNode: {limits: {memory: 4Gi}}}\n")) == "");
  CHECK(advice("advice/trainer-no-effect", runtime("{mpi: {runLauncherAsNode: true}}", mpi_jobs()) +
                                               job("  trainer: {env: [{name: A, value: b}], numProcPerNode: "
                                                   "2, resourcesPerNode: {limits: {cpu: 4}}}\n")) == "");
}

TEST_CASE("advice/initializer-no-effect: a job that only has the name") {
  const auto with_initializer = [](const std::string& ancestor) {
    std::string text = "      replicatedJobs:\n" + replicated_job("dataset-initializer", ancestor) +
                       replicated_job("node", "trainer");
    const std::string name = "                - name: dataset-initializer\n";
    const std::string node = "                - name: node\n";
    if (ancestor.empty()) text.replace(text.find(node), node.size(), name);
    const std::string mounts =
        "                  volumeMounts: [{name: initializer, mountPath: /workspace}]\n"
        "                volumes: [{name: initializer, emptyDir: {}}]\n";
    const size_t image = text.find("image: img:1\n") + 13;
    return runtime("{torch: {}}", text.insert(image, mounts));
  };
  const std::string spec = job("  trainer: {}\n  initializer:\n    dataset: {storageUri: \"hf://a/b\"}\n");
  CHECK(
      advice("advice/initializer-no-effect", with_initializer("") + spec) ==
      R"(in.yaml:40:5: warning: this has no effect: no replicatedJob of runtime "rt" has trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer [advice/initializer-no-effect]
   40 |     dataset: {storageUri: "hf://a/b"}
      |     ^~~~~~~ label it in the runtime
  note: the runtime at in.yaml:4:9
)");
  CHECK(advice("advice/initializer-no-effect", with_initializer("dataset-initializer") + spec) == "");
}

}  // namespace trainjobc::advice_job_test
