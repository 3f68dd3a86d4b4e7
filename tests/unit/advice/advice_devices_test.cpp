// SPDX-License-Identifier: Apache-2.0

// Advice on GPUs and adapters that pods don't ask for, or that reach only a launcher.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_devices_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string placed(const std::string& pod, const std::string& lines = "    numNodes: 2\n") {
  std::string text = runtime("{torch: {}}", trainer());
  text.insert(text.find("                containers:\n"), "                " + pod + "\n");
  return text + job("  trainer:\n" + lines);
}

std::string mpi(const std::string& policy, const std::string& trainer_lines) {
  return runtime(policy, "      replicatedJobs:\n" + replicated_job("launcher", "trainer") +
                             replicated_job("node", "")) +
         job("  trainer:\n" + trainer_lines);
}

std::string required(const std::string& expression) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{"
         "matchExpressions: [" +
         expression + "]}]}}}";
}

constexpr const char* kGpus = "    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n";

}  // namespace

TEST_CASE("advice/gpu-not-requested") {
  CHECK(advice("advice/gpu-not-requested", placed("nodeSelector: {nvidia.com/gpu.product: H100}")) ==
        "in.yaml:18:32: warning: the pods select nodes with GPUs and ask for none: they get no GPU "
        "[advice/gpu-not-requested]\n"
        "   18 |                 nodeSelector: {nvidia.com/gpu.product: H100}\n"
        "      |                                ^~~~~~~~~~~~~~~~~~~~~~ add resourcesPerNode: {limits: "
        "{nvidia.com/gpu: …}}, with the GPUs of a node\n"
        "  note: the job at in.yaml:26:9\n");
  CHECK(advice("advice/gpu-not-requested", placed("tolerations: [{key: amd.com/gpu, operator: Exists}]")) ==
        "in.yaml:18:37: warning: the pods tolerate nodes with GPUs and ask for none: they get no GPU "
        "[advice/gpu-not-requested]\n"
        "   18 |                 tolerations: [{key: amd.com/gpu, operator: Exists}]\n"
        "      |                                     ^~~~~~~~~~~ add resourcesPerNode: {limits: "
        "{amd.com/gpu: …}}, with the GPUs of a node\n"
        "  note: the job at in.yaml:26:9\n");
  CHECK(advice("advice/gpu-not-requested", placed(required("{key: cloud.google.com/gke-accelerator, "
                                                           "operator: Exists}"))) ==
        "in.yaml:18:138: warning: the pods select nodes with GPUs and ask for none: they get no GPU "
        "[advice/gpu-not-requested]\n"
        "   18 |                 affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-accelerator, operator: "
        "Exists}]}]}}}\n"
        "      |                                                                                             "
        "                                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ add resourcesPerNode: "
        "{limits: {nvidia.com/gpu: …}}, with the GPUs of a node\n"
        "  note: the job at in.yaml:26:9\n");
}

TEST_CASE("advice/gpu-not-requested: MPI's launcher only starts processes") {
  const auto tolerated = [](const std::string& policy, bool is_launcher) {
    std::string text = mpi(policy, "    numNodes: 2\n");
    const size_t first = text.find("                containers:\n");
    text.insert(is_launcher ? first : text.find("                containers:\n", first + 1),
                "                tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n");
    return advice("advice/gpu-not-requested", text);
  };
  CHECK(tolerated("{mpi: {}}", true) == "");
  CHECK(tolerated("{mpi: {}}", false) != "");
  CHECK(tolerated("{mpi: {runLauncherAsNode: true}}", true) != "");
}

TEST_CASE("advice/gpu-not-requested: types of machines") {
  const auto type = [](const std::string& pod) { return advice("advice/gpu-not-requested", placed(pod)); };
  CHECK(
      type("nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}") ==
      R"(in.yaml:18:32: warning: the pods select nodes with GPUs and ask for none: they get no GPU [advice/gpu-not-requested]
   18 |                 nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
      |                                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ add resourcesPerNode: {limits: {nvidia.com/gpu: …}}, with the GPUs of a node
  note: the job at in.yaml:26:9
)");
  CHECK(type("nodeSelector: {karpenter.k8s.aws/instance-family: g6e}") != "");
  CHECK(type("nodeSelector: {node.kubernetes.io/instance-type: m5.large}") == "");
  CHECK(type("nodeSelector: {karpenter.k8s.aws/instance-family: g6ex}") == "");
  CHECK(type(required("{key: node.kubernetes.io/instance-type, operator: In, values: [a3-highgpu-8g, "
                      "Standard_ND96isr_H100_v5]}")) != "");
  CHECK(type(required("{key: node.kubernetes.io/instance-type, operator: In, values: [a3-highgpu-8g, "
                      "n2-standard-8]}")) == "");
  CHECK(type(required("{key: node.kubernetes.io/instance-type, operator: NotIn, values: [p5.48xlarge]}")) ==
        "");
}

TEST_CASE("advice/gpu-not-requested: GPUs, or no nodes with GPUs") {
  const std::string selector = "nodeSelector: {nvidia.com/gpu.product: H100}";
  CHECK(advice("advice/gpu-not-requested", placed(selector, kGpus)) == "");
  CHECK(advice("advice/gpu-not-requested", placed("runtimeClassName: nvidia\n                " + selector)) ==
        "");
  for (const std::string& pod : {std::string("nodeSelector: {disk: ssd}"),
                                 std::string("nodeSelector: {nvidia.com/gpu.present: 'false'}"),
                                 std::string("tolerations: [{operator: Exists}]"),
                                 required("{key: nvidia.com/gpu, operator: DoesNotExist}")})
    CHECK_MESSAGE(advice("advice/gpu-not-requested", placed(pod)) == "", pod);
}

TEST_CASE("advice/efa") {
  const std::string env = "    env: [{name: FI_PROVIDER, value: efa}]\n";
  CHECK(advice("advice/efa", placed("", env + kGpus)) ==
        "in.yaml:30:38: warning: FI_PROVIDER names EFA, and \"node\" of replicatedJob \"node\" asks for no "
        "vpc.amazonaws.com/efa: it sees no adapter [advice/efa]\n"
        "   30 |     env: [{name: FI_PROVIDER, value: efa}]\n"
        "      |                                      ^~~ add vpc.amazonaws.com/efa to its limits: the "
        "adapters of a node\n");
  CHECK(advice("advice/efa",
               placed("", env + "    resourcesPerNode: {limits: {vpc.amazonaws.com/efa: 4}}\n")) == "");
  CHECK(advice("advice/efa", placed("", "    env: [{name: FI_PROVIDER, value: tcp}]\n")) == "");
}

TEST_CASE("advice/efa: in the command") {
  const auto command = [](const std::string& words, const std::string& more = "") {
    return advice("advice/efa", placed("", "    command: " + words + "\n" + more));
  };
  CHECK(
      command("[env, FI_PROVIDER=efa, torchrun, t.py]") ==
      R"(in.yaml:30:20: warning: FI_PROVIDER names EFA, and "node" of replicatedJob "node" asks for no vpc.amazonaws.com/efa: it sees no adapter [advice/efa]
   30 |     command: [env, FI_PROVIDER=efa, torchrun, t.py]
      |                    ^~~~~~~~~~~~~~~ add vpc.amazonaws.com/efa to its limits: the adapters of a node
)");
  CHECK(
      command("[bash, -c, 'export FI_PROVIDER=efa; torchrun t.py']") ==
      R"(in.yaml:30:33: warning: FI_PROVIDER names EFA, and "node" of replicatedJob "node" asks for no vpc.amazonaws.com/efa: it sees no adapter [advice/efa]
   30 |     command: [bash, -c, 'export FI_PROVIDER=efa; torchrun t.py']
      |                                 ^~~~~~~~~~~~~~~ add vpc.amazonaws.com/efa to its limits: the adapters of a node
)");
  CHECK(command("[bash, -c, 'echo FI_PROVIDER=efa2 # FI_PROVIDER=efa']") == "");
  CHECK(command("[env, FI_PROVIDER=efa, torchrun, t.py]",
                "    resourcesPerNode: {limits: {vpc.amazonaws.com/efa: 4}}\n") == "");
  CHECK(
      advice("advice/efa", mpi("{mpi: {}}", "    command: [mpirun, -x, FI_PROVIDER=efa, python, t.py]\n")) ==
      R"(in.yaml:37:27: warning: FI_PROVIDER names EFA, and "node" of replicatedJob "node" asks for no vpc.amazonaws.com/efa: it sees no adapter [advice/efa]
   37 |     command: [mpirun, -x, FI_PROVIDER=efa, python, t.py]
      |                           ^~~~~~~~~~~~~~~ add vpc.amazonaws.com/efa to its limits: the adapters of a node
)");
  CHECK(advice("advice/efa", mpi("{mpi: {runLauncherAsNode: true}}",
                                 "    command: [mpirun, -x, FI_PROVIDER=efa, python, t.py]\n"
                                 "    resourcesPerNode: {limits: {vpc.amazonaws.com/efa: 4}}\n")) == "");
}

TEST_CASE("advice/several-gpus") {
  const std::string several =
      "    resourcesPerNode: {limits: {nvidia.com/gpualloc: 1, nvidia.com/gpumem: 8192}}\n";
  CHECK(advice("advice/several-gpus", mpi("{mpi: {}}", several)) ==
        "in.yaml:37:33: warning: a node has 1 or 8192 MPI slots, at random: Trainer takes one of "
        "nvidia.com/gpualloc and nvidia.com/gpumem for the number of its GPUs [advice/several-gpus]\n"
        "   37 |     resourcesPerNode: {limits: {nvidia.com/gpualloc: 1, nvidia.com/gpumem: 8192}}\n"
        "      |                                 ^~~~~~~~~~~~~~~~~~~ write spec.trainer.numProcPerNode\n");
  // Neither number is known to be that of the processes.
  CHECK(advice("advice/processes-per-gpu",
               mpi("{mpi: {}}", "    resourcesPerNode: {limits: {nvidia.com/gpu: 4, a.b/gpu-mem: 16}}\n")) ==
        "");
  CHECK(advice("advice/several-gpus", mpi("{mpi: {}}", several), {}, "2.0") == "");
  CHECK(advice("advice/several-gpus", mpi("{mpi: {}}", several + "    numProcPerNode: 1\n")) == "");
  CHECK(advice("advice/several-gpus", mpi("{mpi: {numProcPerNode: 4}}", several)) == "");
  CHECK(advice("advice/several-gpus", mpi("{mpi: {}}", kGpus)) == "");
  CHECK(advice("advice/several-gpus", placed("", several)) == "");
}

TEST_CASE("advice/launcher-resources: Trainer 2.0") {
  const std::string text = mpi("{mpi: {runLauncherAsNode: true}}", kGpus);
  CHECK(advice("advice/launcher-resources", text, {}, "2.0") ==
        "in.yaml:37:5: warning: the GPUs reach only the launcher: Trainer 2.0 does not set resourcesPerNode "
        "on replicatedJob \"node\" [advice/launcher-resources]\n"
        "   37 |     resourcesPerNode: {limits: {nvidia.com/gpu: 8}}\n"
        "      |     ^~~~~~~~~~~~~~~~ set them in the runtime too, or use Trainer 2.1 or newer\n");
  CHECK(advice("advice/launcher-resources", text, {}, "2.1") == "");
}

}  // namespace trainjobc::advice_devices_test
