// SPDX-License-Identifier: Apache-2.0

#include "features/plan/plan.h"

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::plan_test {
namespace {

constexpr const char* kTrainer = "apiVersion: trainer.kubeflow.org/v1alpha1\n";

// A job of one replicatedJob `node`; its container has these fields.
std::string manifests(const std::string& policy, const std::string& container,
                      const std::string& trainer = "") {
  return std::string(kTrainer) + "kind: TrainJob\nmetadata: {name: job, namespace: team}\nspec:\n" +
         "  runtimeRef: {name: rt}\n" + (trainer.empty() ? "" : "  trainer: {" + trainer + "}\n") + "---\n" +
         kTrainer + "kind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec:\n  mlPolicy: " + policy +
         "\n  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: "
         "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
         "[{name: node, "
         "image: a/b:1" +
         (container.empty() ? "" : ", " + container) + "}]}}}}}]}}\n";
}

plan::JobPlan plan_of(const std::string& text) {
  Options options;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = "2.1";
  options.with_defaults = true;
  options.policy.ssh_key.source = policy::SshKeySource::Omit;
  const Compilation compiled = compile_sources({{"in.yaml", text}}, {}, options);
  REQUIRE(compiled.train_jobs == 1);
  REQUIRE(!compiled.objects.empty());
  return plan::plan_job(compiled.objects, {.ranks = true});
}

std::string env_of(const plan::RankNode& node) {
  std::string text;
  for (const plan::Variable& variable : node.env)
    text +=
        variable.name + "=" + (variable.source.empty() ? variable.value : "<" + variable.source + ">") + " ";
  return text;
}

std::optional<int64_t> processes(const std::string& per_node, const std::string& container = "",
                                 const std::string& trainer = "numNodes: 2") {
  return plan_of(manifests("{torch: {numProcPerNode: " + per_node + "}}", container, trainer)).processes;
}

}  // namespace

TEST_CASE("processes of torchrun") {
  const std::string gpus = "resources: {limits: {nvidia.com/gpu: 4}}";
  CHECK(processes("3") == 6);
  CHECK(processes("auto", gpus) == 8);
  CHECK(processes("gpu", gpus) == 8);
  CHECK(processes("3", "command: [torchrun, --nproc-per-node=cpu, a.py]") == std::nullopt);
  CHECK(processes("3", "command: [torchrun, --nproc-per-node=5, a.py]") == 10);
  CHECK(processes("3", "command: [torchrun, --nproc_per_node, '5', a.py]") == 10);
  CHECK(processes("3", "command: [sh, -c, torchrun --nproc-per-node 5 a.py]") == 10);
}

TEST_CASE("ranks of torchrun's nodes") {
  const plan::JobPlan job = plan_of(manifests("{torch: {numProcPerNode: 2}}", "", "numNodes: 2"));
  CHECK(job.framework == "torch");
  CHECK(job.nodes == 2);
  REQUIRE(job.ranks.size() == 2);
  CHECK(job.ranks[1].host == "job-node-0-1.job");
  CHECK(job.ranks[1].first_rank == 2);
  CHECK(job.ranks[1].ranks == 2);
  CHECK(env_of(job.ranks[1]) ==
        "PET_NNODES=2 PET_NPROC_PER_NODE=2 PET_NODE_RANK=1 PET_MASTER_ADDR=job-node-0-0.job "
        "PET_MASTER_PORT=29500 "
        "JOB_COMPLETION_INDEX=1 ");
  CHECK(job.pod_sets.front().hosts == "job-node-0-{0..1}.job");
}

TEST_CASE("ranks that torchrun gives out itself have no number") {
  const plan::JobPlan job =
      plan_of(manifests("{torch: {}}", "command: [torchrun, '--nnodes=1:2', a.py]", "numNodes: 2"));
  CHECK(job.ranks.front().first_rank == std::nullopt);
}

TEST_CASE("the environment as the kubelet makes it") {
  const std::string env =
      "env: [{name: A, value: '1'}, {name: B, value: $(A)-$(C)-$$(A)-$}, {name: C, value: $(B)}, "
      "{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}, "
      "{name: SET, valueFrom: {fieldRef: {fieldPath: "
      "\"metadata.labels['jobset.sigs.k8s.io/replicatedjob-name']\"}}}, "
      "{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, "
      "{name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}, "
      "{name: PASSWORD, value: hunter2hunter2}], command: [run, $(A), $(KEY), $$(A)]";
  const plan::JobPlan job = plan_of(manifests("{numNodes: 1}", env));
  CHECK(env_of(job.ranks.front()) ==
        "A=1 B=1-$(C)-$(A)-$ C=1-$(C)-$(A)-$ NS=team SET=node POD=<metadata.name> KEY=<Secret s, key k> "
        "PASSWORD=*** "
        "JOB_COMPLETION_INDEX=0 ");
  CHECK(job.ranks.front().command == std::vector<std::string>{"run", "1", "$(KEY)", "$(A)"});
}

TEST_CASE("what pods request: limits count where there is no request") {
  const plan::JobPlan job = plan_of(
      manifests("{numNodes: 3}",
                "resources: {requests: {cpu: 500m}, limits: {cpu: 2, memory: 1Gi, nvidia.com/gpu: 1}}"));
  CHECK(job.requests.size() == 3);
  CHECK(job.requests.at("cpu").to_string() == "1500m");
  CHECK(job.requests.at("memory").to_string() == "3Gi");
  CHECK(job.requests.at("nvidia.com/gpu").to_string() == "3");
  CHECK(plan::in_order(job.requests) == std::vector<std::string>{"nvidia.com/gpu", "cpu", "memory"});
}

TEST_CASE("jobs of a billion nodes are planned, and few of their ranks are listed") {
  const plan::JobPlan job = plan_of(manifests("{torch: {numProcPerNode: 1}}", "", "numNodes: 1000000000"));
  CHECK(job.pods == 1000000000);
  CHECK(job.processes == 1000000000);
  CHECK(job.ranks.size() == 10000);
  CHECK(job.ranks_left_out == 999990000);
}

}  // namespace trainjobc::plan_test
