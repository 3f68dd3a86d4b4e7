// SPDX-License-Identifier: Apache-2.0

#include "features/plan/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "k8s/quantity.h"
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
  for (const launch::Variable& variable : node.env)
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
  const std::string run = "command: [torchrun, a.py]";
  CHECK(processes("3", run) == 6);
  CHECK(processes("auto", run + ", " + gpus) == 8);
  CHECK(processes("gpu", run + ", " + gpus) == 8);
  CHECK(processes("3", "command: [torchrun, --nproc-per-node=cpu, a.py]") == std::nullopt);
  CHECK(processes("3", "command: [torchrun, --nproc-per-node=5, a.py]") == 10);
  CHECK(processes("3", "command: [torchrun, --nproc_per_node, '5', a.py]") == 10);
  CHECK(processes("3", "command: [sh, -c, torchrun --nproc-per-node 5 a.py]") == 10);
}

TEST_CASE("processes of other programs, on two nodes of three processes") {
  const std::string gpus = ", resources: {limits: {nvidia.com/gpu: 4}}";
  CHECK(processes("3", "command: [python, a.py]") == 2);
  CHECK(processes("3", "command: [python3, -m, torch.distributed.run, a.py]") == 6);
  CHECK(processes("3", "command: [python, -m, torch.distributed.launch, --nproc_per_node=5, a.py]") == 10);
  CHECK(processes("3", "command: [bash, -c, 'pip install . && python a.py 2>&1 | tee log']") == 2);
  CHECK(processes("3", "command: [bash, -c, 'if [ -e x ]; then python a.py; fi']") == std::nullopt);
  CHECK(processes("3", "command: [bash, -c, 'for i in 1 2; do torchrun a.py; done']") == 6);
  CHECK(processes("3", "command: [bash, train.sh]") == std::nullopt);
  CHECK(processes("3", "command: [/opt/train]") == std::nullopt);
  CHECK(processes("3", "") == std::nullopt);
  CHECK(processes("3", "command: [deepspeed, a.py]" + gpus) == 8);
  CHECK(processes("3", "command: [deepspeed, --num_gpus=2, a.py, --num_gpus=7]" + gpus) == 4);
  CHECK(processes("3", "command: [deepspeed, a.py]") == std::nullopt);
  CHECK(processes("3", "command: [deepspeed, --hostfile=/job/hosts, --num_gpus=2, a.py]" + gpus) ==
        std::nullopt);
  CHECK(processes("3", "command: [colossalai, run, --host, h1, --nproc_per_node, '4', a.py]") ==
        std::nullopt);
  CHECK(processes("3", "command: [colossalai, run, --nproc_per_node, '4', a.py]") == 8);
  CHECK(processes("3",
                  "command: [accelerate, launch, --num_processes, '16', --num_machines=2, --machine_rank, "
                  "$(PET_NODE_RANK), --main_process_ip, $(PET_MASTER_ADDR), a.py]" +
                      gpus) == 16);
  CHECK(processes("3", "command: [accelerate, launch, --num_processes, '16', a.py]") == std::nullopt);
  CHECK(processes("3", "command: [accelerate, launch, a.py]") == std::nullopt);
  CHECK(processes(
            "3",
            "command: [composer, -n, '4', --world_size, '8', --node_rank, $(PET_NODE_RANK), --master_addr, "
            "$(PET_MASTER_ADDR), --master_port, '7501', a.py]") == 8);
  CHECK(processes("3", "command: [composer, -n, '4', a.py]" + gpus) == 8);
  CHECK(processes("3", "command: [uv, run, torchrun, a.py]") == 6);
}

TEST_CASE("processes of torchrun that a script's variables tell") {
  const auto told = [](const std::string& number) {
    return processes("3", "command: [sh, -c, \"torchrun --nproc_per_node=" + number +
                              " a.py\"], resources: {limits: {nvidia.com/gpu: 4}}");
  };
  CHECK(told("$GPUS") == std::nullopt);
  CHECK(told("auto") == 8);
  CHECK(told("$PET_NPROC_PER_NODE") == 6);
  CHECK(told("${PET_NPROC_PER_NODE}") == 6);
}

TEST_CASE("ranks of torchrun's nodes") {
  const plan::JobPlan job =
      plan_of(manifests("{torch: {numProcPerNode: 2}}", "command: [torchrun, a.py]", "numNodes: 2"));
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
      "{name: JOB, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['jobset.sigs.k8s.io/job-index']\"}}}, "
      "{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, "
      "{name: KEY, valueFrom: {secretKeyRef: {name: s, key: k}}}, "
      "{name: PASSWORD, value: hunter2hunter2}], command: [run, $(A), $(KEY), $$(A)]";
  const plan::JobPlan job = plan_of(manifests("{numNodes: 1}", env));
  CHECK(
      env_of(job.ranks.front()) ==
      "A=1 B=1-$(C)-$(A)-$ C=1-$(C)-$(A)-$ NS=team SET=node JOB=0 POD=<metadata.name> KEY=<Secret s, key k> "
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
  const plan::JobPlan job =
      plan_of(manifests("{torch: {numProcPerNode: 1}}", "command: [torchrun, a.py]", "numNodes: 1000000000"));
  CHECK(job.pods == 1000000000);
  CHECK(job.processes == 1000000000);
  CHECK(job.ranks.size() == 10000);
  CHECK(job.ranks_left_out == 999990000);
}

TEST_CASE("plan: processes that can't be counted are unknown, and totals don't overflow") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::string most = std::to_string(kMost);
  const auto of_command = [](const std::string& command) {
    return plan_of(manifests("{torch: {}}", "command: [" + command + "]", "numNodes: 2")).processes;
  };
  CHECK(of_command("torchrun, --nproc-per-node=" + most + ", a.py") == std::nullopt);
  CHECK(of_command("torchrun, --nproc-per-node=4611686018427387903, a.py") == kMost - 1);
  CHECK(of_command("deepspeed, --num_gpus=" + most + ", a.py") == std::nullopt);
  // accelerate divides.
  CHECK(of_command("accelerate, launch, --multi_gpu, --num_machines=2, --machine_rank=$(PET_NODE_RANK), "
                   "--main_process_ip=$(PET_MASTER_ADDR), --num_processes=" +
                   most + ", a.py") == kMost - 1);
  CHECK(processes("auto", "command: [torchrun, a.py], resources: {limits: {nvidia.com/gpu: " + most + "}}") ==
        std::nullopt);

  plan::JobPlan job;
  job.nodes = job.pods = kMost - 1;
  job.processes = kMost;
  const plan::Plan planned = plan::add_totals({job, job});
  CHECK(planned.total.nodes == kMost);
  CHECK(planned.total.pods == kMost);
  CHECK(planned.total.processes == std::nullopt);
  REQUIRE(planned.totals.size() == 1);
  CHECK(planned.totals[0].pods == kMost);
}

TEST_CASE("plan: a queue that holds a key is shown without it") {
  std::string text = manifests("{torch: {}}", "");
  const std::string name = "name: job, ";
  text.replace(text.find(name), name.size(),
               name + "labels: {kueue.x-k8s.io/queue-name: hf_abcdefghij0123456789abcd}, ");
  CHECK(plan_of(text).queue == "***");
}

TEST_CASE("plan: variables that double each other are not written out") {
  std::string env = "env: [{name: V0, value: a123456789}";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "$(V" + std::to_string(i - 1) + ")";
    env += ", {name: V" + std::to_string(i) + ", value: " + before + before + "}";
  }
  const plan::JobPlan planned =
      plan_of(manifests("{torch: {}}", env + "], command: [torchrun, a.py, $(V2), $(V63)]"));
  REQUIRE(planned.ranks.size() == 1);
  const std::vector<launch::Variable>& variables = planned.ranks.front().env;
  const auto find = [&](const std::string& name) {
    return *std::ranges::find(variables, name, &launch::Variable::name);
  };
  CHECK(find("V2").value == "a123456789a123456789a123456789a123456789");
  CHECK(find("V63").value == "");
  CHECK(find("V63").source == "a value that is too long");
  CHECK(planned.ranks.front().command ==
        std::vector<std::string>{"torchrun", "a.py", find("V2").value, "$(V63)"});
}

// Of jobs that each request a resource of their own, a table with a column for each would be a square.
TEST_CASE("plan: of many resources, those of most jobs have columns") {
  std::vector<plan::JobPlan> jobs(20);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].ns = "team";
    jobs[i].name = "j" + std::to_string(i);
    jobs[i].requests.emplace("cpu", k8s::Quantity::from_int(2));
    jobs[i].requests.emplace("example.com/d" + std::to_string(i), k8s::Quantity::from_int(1));
  }
  jobs[19].requests.emplace("example.com/d3", k8s::Quantity::from_int(4));
  jobs.erase(jobs.begin() + 1, jobs.begin() + 3);
  const std::string text = plan::format_text(plan::add_totals(std::move(jobs)), {});
  const auto line_with = [&](const std::string& word) {
    const size_t at = text.find(word);
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(
      line_with("JOB ") ==
      R"(JOB       NODES  PODS  PROCESSES  GANG  example.com/d0  example.com/d10  example.com/d11  example.com/d12  example.com/d13  example.com/d14  example.com/d15  example.com/d16  example.com/d17  example.com/d18  example.com/d3  cpu  OTHER              QUEUE  HOSTS)");
  CHECK(
      line_with("team/j19") ==
      R"(team/j19  0      0     ?          -     -               -                -                -                -                -                -                -                -                -                4               2    1 example.com/d19  -      -)");
}

}  // namespace trainjobc::plan_test
