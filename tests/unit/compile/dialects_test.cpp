// SPDX-License-Identifier: Apache-2.0

// Dialects: read as today's API, and rewritten into it.
#include <doctest/doctest.h>

#include "support/test_console.h"
#include "support/versions.h"

namespace trainjobc::dialects_test {
using namespace trainjobc::test;

namespace {

// A replicatedJob with one container.
std::string job(const std::string& name, const std::string& container, const std::string& more = "") {
  return "{name: " + name + ", template: {spec: {" + more +
         "template: {spec: {containers: [{name: " + container + ", image: x}]}}}}}";
}

// A runtime of a dialect, its spec in flow style.
std::string runtime(const std::string& api_version, const std::string& policy, const std::string& jobs) {
  return "apiVersion: " + api_version + "\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec: {" +
         policy + ", template: {spec: {replicatedJobs: [" + jobs + "]}}}\n---\n";
}

std::string v2alpha1(const std::string& policy) {
  return runtime("kubeflow.org/v2alpha1", policy, job("trainer-node", "trainer"));
}

std::string ome(const std::string& policy) {
  return runtime("ome.io/v1beta1", policy, job("worker", "pytorch"));
}

const std::string kJob = train_job("trainer: {}");

std::string env(const std::string& manifests, std::string_view version = "2.3") {
  std::string text;
  const Compilation compiled = compile_for(version, manifests);
  for (const Object& object : compiled.objects) {
    const yaml::Node* list = object.kind == "JobSet" ? part_of(*object.root, of_node("env")) : nullptr;
    for (const yaml::Node* item : list ? list->items() : std::span<const yaml::Node* const>()) {
      const yaml::Node* value = item->get("value");
      text += std::string(item->get("name")->text()) + "=" + std::string(value ? value->text() : "") + "\n";
    }
  }
  return text;
}

std::string warnings(const Compilation& compiled) {
  std::string text;
  for (const base::Diagnostic& d : compiled.diagnostics.items()) text += d.rule + ": " + d.message + "\n";
  return text;
}

struct Migrated {
  base::MemoryFileSystem files;
  TestConsole console{files};
  int status = -1;

  explicit Migrated(const std::string& text) {
    files.files["a.yaml"] = text;
    status = cli::run({"migrate", "--write", "--no-catalogue", "a.yaml"}, console);
  }
  const std::string& text() { return files.files["a.yaml"]; }
};

}  // namespace

TEST_CASE("dialects: the training job is found by its old name") {
  const Compilation compiled = compile_for("2.3", v2alpha1("mlPolicy: {numNodes: 2, torch: {}}") + kJob);
  CHECK(warnings(compiled) ==
        "advice/dialect: a cluster with Trainer 2.0 or later does not serve kubeflow.org/v2alpha1: it is "
        "read as trainer.kubeflow.org/v1alpha1, with replicatedJob \"trainer-node\" as \"node\" and "
        "container \"trainer\" as \"node\"\n");
  CHECK(outcome(compiled, "JobSet", "spec/replicatedJobs/node/template/spec/parallelism") == "2");
  CHECK(outcome(compiled, "JobSet", of_node("env/PET_NNODES/value")) == "\"2\"");
  CHECK(outcome(compile_for("2.3", runtime("trainer.kubeflow.org/v2alpha1", "mlPolicy: {numNodes: 3}",
                                           job("trainer-node", "trainer")) +
                                       kJob),
                "JobSet", "spec/replicatedJobs/node/template/spec/parallelism") == "3");
}

TEST_CASE("dialects: every version renders what its schema accepts, auto finds one") {
  const std::string manifests = ome("mlPolicy: {numNodes: 2, torch: {numProcPerNode: \"4\"}}") + kJob;
  CHECK(compile_for("auto", manifests).trainer_version == "2.1");
  CHECK(env(manifests, "auto") == R"(PET_NNODES=2
PET_NPROC_PER_NODE=4
PET_NODE_RANK=
PET_MASTER_ADDR=job-node-0-0.job
PET_MASTER_PORT=29500
)");
  CHECK(env(manifests, "2.3").empty());
}

TEST_CASE("dialects: an elastic policy is a range of nodes and a rendezvous") {
  const std::string elastic =
      ome("mlPolicy: {torch: {elasticPolicy: {minNodes: 2, maxNodes: 8, maxRestarts: 5}}}");
  CHECK(env(elastic + kJob) ==
        "PET_NNODES=2:8\n"
        "PET_NPROC_PER_NODE=1\n"
        "PET_NODE_RANK=\n"
        "PET_MASTER_ADDR=job-node-0-0.job\n"
        "PET_MASTER_PORT=29500\n"
        "PET_RDZV_BACKEND=c10d\n"
        "PET_RDZV_ENDPOINT=job-node-0-0.job:29500\n"
        "PET_RDZV_ID=job\n"
        "PET_RDZV_CONF=is_host=true\n"
        "PET_MAX_RESTARTS=5\n");
  const Compilation compiled = compile_for("2.3", elastic + kJob);
  CHECK(outcome(compiled, "JobSet", "spec/replicatedJobs/node/template/spec/parallelism") == "8");
  CHECK(outcome(compiled, "JobSet", "spec/failurePolicy/maxRestarts") == "5");
  const auto with_config = [&](const std::string& value) {
    return compile_for("2.3", elastic + train_job("trainer: {env: [{name: PET_RDZV_CONF, " + value + "}]}"));
  };
  CHECK(
      warnings(with_config("value: last_call_timeout=5")) ==
      R"(advice/dialect: a cluster with Trainer 2.0 or later does not serve ome.io/v1beta1: it is read as trainer.kubeflow.org/v1alpha1, with replicatedJob "worker" as "node" and container "pytorch" as "node"
advice/generated-env: PET_RDZV_CONF replaces is_host=true, without which torchrun 1.13 starts no rendezvous
)");
  CHECK(
      warnings(with_config("value: is_host=1")) ==
      R"(advice/dialect: a cluster with Trainer 2.0 or later does not serve ome.io/v1beta1: it is read as trainer.kubeflow.org/v1alpha1, with replicatedJob "worker" as "node" and container "pytorch" as "node"
)");
  const char* const success = "spec/replicatedJobs/node/template/spec/successPolicy";
  CHECK(outcome(compiled, "JobSet", success) == R"({"rules":[{"succeededIndexes":"0"}]})");
  const std::string own =
      runtime("ome.io/v1beta1", "mlPolicy: {torch: {elasticPolicy: {maxNodes: 2}}}",
              job("worker", "pytorch", "successPolicy: {rules: [{succeededCount: 2}]}, "));
  CHECK(outcome(compile_for("2.3", own + kJob), "JobSet", success) == R"({"rules":[{"succeededCount":2}]})");
  CHECK(env(elastic + train_job("trainer: {numNodes: 3}")) == R"(PET_NNODES=2:8
PET_NPROC_PER_NODE=1
PET_NODE_RANK=
PET_MASTER_ADDR=job-node-0-0.job
PET_MASTER_PORT=29500
PET_RDZV_BACKEND=c10d
PET_RDZV_ENDPOINT=job-node-0-0.job:29500
PET_RDZV_ID=job
PET_RDZV_CONF=is_host=true
PET_MAX_RESTARTS=5
)");
  CHECK(env(ome("mlPolicy: {numNodes: 4, torch: {elasticPolicy: {maxRestarts: 3}}}") + kJob) ==
        R"(PET_NNODES=4
PET_NPROC_PER_NODE=1
PET_NODE_RANK=
PET_MASTER_ADDR=job-node-0-0.job
PET_MASTER_PORT=29500
PET_RDZV_BACKEND=c10d
PET_RDZV_ENDPOINT=job-node-0-0.job:29500
PET_RDZV_ID=job
PET_RDZV_CONF=is_host=true
PET_MAX_RESTARTS=3
)");
  const std::string metrics =
      ome("mlPolicy: {torch: {elasticPolicy: {maxNodes: 2, metrics: [{type: Resource}]}}}");
  CHECK(
      warnings(compile_for("2.3", metrics + kJob)) ==
      R"(advice/dialect: a cluster with Trainer 2.0 or later does not serve ome.io/v1beta1: it is read as trainer.kubeflow.org/v1alpha1, with replicatedJob "worker" as "node" and container "pytorch" as "node"
advice/dialect: no autoscaler is created from these metrics: the job starts with all its nodes
)");
}

TEST_CASE("dialects: each MPI implementation has its own variables and hostfile") {
  const std::string jobs = job("launcher", "main") + ", " + job("worker", "main");
  const auto hostfile = [&](const std::string& implementation) {
    const std::string policy =
        "mlPolicy: {numNodes: 2, mpi: {numProcPerNode: 4, mpiImplementation: " + implementation + "}}";
    return runtime("ome.io/v1beta1", policy, jobs) + kJob;
  };
  const auto launcher = [&](const std::string& implementation) {
    return outcome(compile_for("2.3", hostfile(implementation)), "JobSet",
                   "spec/replicatedJobs/launcher/template/spec/template/spec/containers/node/env");
  };
  CHECK(launcher("Intel") ==
        "[{\"name\":\"I_MPI_HYDRA_HOST_FILE\",\"value\":\"/etc/mpi/hostfile\"},{\"name\":"
        "\"I_MPI_PERHOST\",\"value\":\"4\"},{\"name\":\"I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS\",\"value\":"
        "\"-o "
        "ConnectionAttempts=10\"},{\"name\":\"I_MPI_HYDRA_IFACE\",\"value\":\"eth0\"}]");
  CHECK(launcher("MPICH") ==
        "[{\"name\":\"HYDRA_HOST_FILE\",\"value\":\"/etc/mpi/hostfile\"},{\"name\":"
        "\"HYDRA_LAUNCHER_EXTRA_ARGS\",\"value\":\"-o "
        "ConnectionAttempts=10\"},{\"name\":\"HYDRA_IFACE\",\"value\":\"eth0\"}]");
  CHECK(outcome(compile_for("2.3", hostfile("Intel")), "ConfigMap", "data/hostfile") ==
        "\"job-node-0-0.job:4\\njob-node-0-1.job:4\\n\"");
  // Hydra knows the launcher by its host name.
  const std::string as_node =
      runtime("ome.io/v1beta1",
              "mlPolicy: {mpi: {numProcPerNode: 4, mpiImplementation: MPICH, runLauncherAsNode: true}}",
              jobs) +
      train_job("trainer: {numNodes: 2}");
  CHECK(outcome(compile_for("2.3", as_node), "ConfigMap", "data/hostfile") ==
        "\"job-launcher-0-0:4\\njob-node-0-0.job:4\\n\"");
  CHECK(outcome(compile_for("2.3", hostfile("OpenMPI")), "ConfigMap", "data/hostfile") ==
        "\"job-node-0-0.job slots=4\\njob-node-0-1.job slots=4\\n\"");
  // One launcher: Trainer would count numNodes there.
  CHECK(outcome(compile_for("2.3", hostfile("MPICH")), "JobSet",
                "spec/replicatedJobs/launcher/template/spec/parallelism") == "1");
  CHECK(
      outcome(compile_for("2.3", hostfile("LAM")), "JobSet", "kind") ==
      R"(refused: spec.mlPolicy.mpi.mpiImplementation: spec.mlPolicy.mpi.mpiImplementation can't be "LAM")");
}

TEST_CASE("dialects: Volcano's settings reach the PodGroup") {
  const std::string manifests =
      ome("mlPolicy: {numNodes: 4}, podGroupPolicy: {volcano: {minMember: 3, queue: fast, priorityClassName: "
          "high}}") +
      kJob;
  const Compilation compiled = compile_for("2.3", manifests);
  CHECK(outcome(compiled, "PodGroup", "spec/minMember") == "3");
  CHECK(outcome(compiled, "PodGroup", "spec/queue") == "\"fast\"");
  CHECK(outcome(compiled, "PodGroup", "spec/priorityClassName") == "\"high\"");
  CHECK(outcome(compiled, "JobSet", std::string(kPodSpec) + "/priorityClassName") == "\"high\"");
}

TEST_CASE("dialects: a job's older fields become today's") {
  const std::string jobs =
      job("trainer-node", "trainer") + ", " + job("dataset-initializer", "dataset-initializer");
  const std::string manifests =
      runtime("kubeflow.org/v2alpha1", "mlPolicy: {torch: {}}", jobs) +
      "apiVersion: trainer.kubeflow.org/v2alpha1\nkind: TrainJob\nmetadata: {name: job}\nspec:\n"
      "  runtimeRef: {apiGroup: kubeflow.org, name: rt}\n"
      "  managedBy: kubeflow.org/trainjob-controller\n"
      "  datasetConfig: {storageUri: \"hf://data\"}\n"
      "  trainer: {numProcPerNode: \"2\"}\n"
      "  podSpecOverrides: [{targetJobs: [{name: trainer-node}], nodeSelector: {a: b}}]\n";
  const Compilation compiled = compile_for("2.0", manifests);
  CHECK(outcome(compiled, "JobSet", std::string(kPodSpec) + "/nodeSelector") == "{\"a\":\"b\"}");
  CHECK(outcome(compiled, "JobSet",
                "spec/replicatedJobs/dataset-initializer/template/spec/template/spec/containers/"
                "dataset-initializer/env/STORAGE_URI/value") == "\"hf://data\"");
  CHECK(outcome(compiled, "JobSet", of_node("env/PET_NPROC_PER_NODE/value")) == "\"2\"");

  const Compilation output = compile_for(
      "2.3",
      "apiVersion: kubeflow.org/v2alpha1\nkind: TrainJob\nmetadata: {name: job}\nspec: {runtimeRef: {name: "
      "rt}, modelConfig: {output: {storageUri: \"s3://x\"}}}\n");
  CHECK(
      warnings(output) ==
      R"(advice/dialect: a cluster with Trainer 2.0 or later does not serve kubeflow.org/v2alpha1: it is read as trainer.kubeflow.org/v1alpha1
input/missing-runtime: there is no ClusterTrainingRuntime "rt"
input/dialect-field: Trainer has no field for a model's output
)");
}

TEST_CASE("dialects: renamed jobs are renamed in references too") {
  const std::string manifests =
      "apiVersion: ome.io/v1beta1\nkind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec: {mlPolicy: "
      "{numNodes: "
      "1}, template: {spec: {successPolicy: {operator: All, targetReplicatedJobs: [worker]}, replicatedJobs: "
      "[" +
      job("worker", "main") +
      ", {name: after, dependsOn: [{name: worker, status: Complete}], template: {spec: {template: {spec: "
      "{containers: [{name: a, image: x}]}}}}}]}}}\n---\n" +
      kJob;
  const Compilation compiled = compile_for("2.3", manifests);
  CHECK(outcome(compiled, "JobSet", "spec/successPolicy/targetReplicatedJobs") == "[\"node\"]");
  CHECK(outcome(compiled, "JobSet", "spec/replicatedJobs/after/dependsOn/0/name") == "\"node\"");
}

TEST_CASE("dialects: migrate writes today's API") {
  Migrated run(
      "apiVersion: ome.io/v1beta1  # a fork\n"
      "kind: ClusterTrainingRuntime\n"
      "metadata:\n"
      "  name: rt\n"
      "spec:\n"
      "  mlPolicy:\n"
      "    numNodes: 4\n"
      "    torch:\n"
      "      numProcPerNode: auto\n"
      "  podGroupPolicy:\n"
      "    volcano:\n"
      "      queue: fast  # the team's\n"
      "  template:\n"
      "    spec:\n"
      "      replicatedJobs:\n"
      "      # the only one\n"
      "      - name: worker\n"
      "        template:\n"
      "          spec:\n"
      "            template:\n"
      "              spec:\n"
      "                containers:\n"
      "                - name: pytorch  # one\n"
      "                  image: x\n");
  CHECK(run.text() ==
        "apiVersion: trainer.kubeflow.org/v1alpha1  # a fork\n"
        "kind: ClusterTrainingRuntime\n"
        "metadata:\n"
        "  name: rt\n"
        "  labels:\n"
        "    trainer.kubeflow.org/framework: torch\n"
        "spec:\n"
        "  mlPolicy:\n"
        "    numNodes: 4\n"
        "    torch: {}\n"
        "  podGroupPolicy:\n"
        "    # the team's\n"
        "    volcano: {}\n"
        "  template:\n"
        "    metadata:\n"
        "      annotations:\n"
        "        scheduling.volcano.sh/queue-name: fast\n"
        "    spec:\n"
        "      replicatedJobs:\n"
        "      # the only one\n"
        "      - name: node\n"
        "        template:\n"
        "          metadata:\n"
        "            labels:\n"
        "              trainer.kubeflow.org/trainjob-ancestor-step: trainer\n"
        "          spec:\n"
        "            template:\n"
        "              spec:\n"
        "                containers:\n"
        "                - name: node  # one\n"
        "                  image: x\n");
  CHECK(run.status == 0);
  CHECK(run.console.err == "1 of 1 object migrated to Trainer 2.3\n");
}

TEST_CASE("dialects: a runtime with settings that Trainer lacks is not migrated") {
  const std::string elastic =
      ome("mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}, podGroupPolicy: {volcano: "
          "{minMember: 2}}");
  Migrated run(elastic);
  CHECK(run.status == 1);
  CHECK(run.text() == elastic);
  CHECK(
      run.console.err ==
      R"(a.yaml:4:42: error: Trainer has no elastic training: torchrun gets a fixed number of nodes [migrate/lost]
    4 | spec: {mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}, podGroupPolicy: {volcano: {minMember: 2}}, template: {spec: {replicatedJobs: [{name: worker, template: {spec: {template: {spec: {containers: [{name: pytorch, image: x}]}}}}}]}}}
      |                                          ^ set mlPolicy.numNodes instead
a.yaml:4:110: error: Trainer counts every pod of the job as a required member [migrate/lost]
    4 | spec: {mlPolicy: {torch: {elasticPolicy: {minNodes: 1, maxNodes: 2}}}, podGroupPolicy: {volcano: {minMember: 2}}, template: {spec: {replicatedJobs: [{name: worker, template: {spec: {template: {spec: {containers: [{name: pytorch, image: x}]}}}}}]}}}
      |                                                                                                              ^ remove it
nothing to migrate to Trainer 2.3 in 1 object
)");
}

TEST_CASE("excerpts of manifests, as in documentation, name what is missing") {
  const auto first = [](const std::string& text) {
    const Compilation compiled = compile_for("2.3", text);
    const base::Diagnostic& d = compiled.diagnostics.items().front();
    return std::to_string(d.location.line) + " " + d.message + " (" + d.hint + ")";
  };
  CHECK(first("spec:\n  mlPolicy: {numNodes: 2}\n") ==
        "1 the document has no kind (this is part of a TrainingRuntime: add apiVersion: "
        "trainer.kubeflow.org/v1alpha1, kind: TrainingRuntime, metadata.name)");
  CHECK(first("a: b\nspec:\n  c: d\n  ...\n") ==
        "4 \"...\" is a placeholder for omitted text (write the text, or remove the line)");
  CHECK(first("a: b\nspec:\n    c: d\n    ...\n---\n") ==
        "4 \"...\" is a placeholder for omitted text (write the text, or remove the line)");
}

}  // namespace trainjobc::dialects_test
