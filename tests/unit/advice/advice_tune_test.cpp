// SPDX-License-Identifier: Apache-2.0

// Advice on torchtune's command lines: tests/train holds the same against the real `tune`.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_tune_test {
using trainjobc::test::advice;

namespace {

// The finding for a TrainJob with this spec.trainer (flow style), on a runtime of this model whose node has
// these limits.
std::string tune(const std::string& trainer, const std::string& limits = "{nvidia.com/gpu: 2}",
                 const std::string& version = "2.3", const std::string& model = "llama3.2-1b",
                 const char* rule = "advice/tune-command") {
  const std::string text = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torchtune-)" +
                           model + R"(, labels: {trainer.kubeflow.org/framework: torchtune}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/tune:1
                  command: [tune, run, --rdzv_endpoint=localhost:29500, full_finetune_distributed, --config, llama3_2/1B_full]
                  resources: {limits: )" +
                           limits + R"(}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tuned, namespace: team-a}
spec:
  runtimeRef: {name: torchtune-)" +
                           model + R"(}
  trainer: {)" + trainer + "}\n";
  return advice(rule, text, {}, version);
}

constexpr const char* kTune = "command: [tune, run], numNodes: 1";

std::string with(const std::string& more) {
  return kTune + (", " + more);
}

}  // namespace

TEST_CASE("advice/tune-command: a recipe for one device, started as several processes") {
  const std::string processes = with("numProcPerNode: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 1}}");
  CHECK(
      tune(processes) ==
      R"(in.yaml:26:48: warning: tune refuses to start 2 processes: with one GPU, Trainer chooses recipe full_finetune_single_device, which does not support torchrun [advice/tune-command]
   26 |   trainer: {command: [tune, run], numNodes: 1, numProcPerNode: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}
      |                                                ^~~~~~~~~~~~~~ write numProcPerNode: 1
)");
  CHECK(tune(processes, "{nvidia.com/gpu: 2}", "2.0") == "");  // one process
  CHECK(tune(processes, "{nvidia.com/gpu: 2}", "2.3", "llama3.2-1b", "advice/processes-per-gpu") == "");
  CHECK(tune(with("numProcPerNode: 2")) == "");
  CHECK(tune(with("resourcesPerNode: {limits: {nvidia.com/gpu: 1}}")) == "");
}

TEST_CASE("advice/tune-command: a recipe for several processes, started as one") {
  const std::string no_gpus = with("numProcPerNode: gpu, resourcesPerNode: {limits: {cpu: 4}}");
  CHECK(
      tune(no_gpus, "{nvidia.com/gpu: 2}", "2.1") ==
      R"(in.yaml:26:48: warning: tune starts recipe full_finetune_distributed without torchrun, and it fails: the job has neither GPUs nor a number of processes [advice/tune-command]
   26 |   trainer: {command: [tune, run], numNodes: 1, numProcPerNode: gpu, resourcesPerNode: {limits: {cpu: 4}}}
      |                                                ^~~~~~~~~~~~~~ ask for GPUs in resourcesPerNode, or write a number
)");
  CHECK(tune(no_gpus, "{nvidia.com/gpu: 2}", "2.0") == "");
  CHECK(tune(kTune) == "");
  CHECK(tune("numNodes: 1", "{memory: 1Gi}") == "");  // the runtime's own command
}

TEST_CASE("advice/tune-command: configurations that torchtune lacks") {
  CHECK(
      tune(with("numProcPerNode: 1"), "{nvidia.com/gpu: 8}", "2.3", "llama3.3-70b") ==
      R"(in.yaml:25:22: warning: torchtune has no configuration "llama3_3/70B_full_single_device" [advice/tune-command]
   25 |   runtimeRef: {name: torchtune-llama3.3-70b}
      |                      ^~~~~~~~~~~~~~~~~~~~~~ ask for several GPUs, without numProcPerNode: 1
)");
  CHECK(tune(with("numProcPerNode: 2"), "{nvidia.com/gpu: 2}", "2.0", "llama3.2-7b") ==
        R"(in.yaml:25:22: warning: torchtune has no configuration "llama3_2/7B_full" [advice/tune-command]
   25 |   runtimeRef: {name: torchtune-llama3.2-7b}
      |                      ^~~~~~~~~~~~~~~~~~~~~ use a runtime of another model
)");
  // Trainer 2.1 checks only jobs that give numProcPerNode.
  const std::string qlora = with("args: [model.lora_attn_modules=q_proj, model.quantize_base=True]");
  CHECK(tune(qlora, "{nvidia.com/gpu: 2}", "2.1") ==
        R"(in.yaml:25:22: warning: torchtune has no configuration "llama3_2/1B_qlora" [advice/tune-command]
   25 |   runtimeRef: {name: torchtune-llama3.2-1b}
      |                      ^~~~~~~~~~~~~~~~~~~~~ ask for one GPU, or write numProcPerNode: 1
)");
  CHECK(tune(qlora, "{nvidia.com/gpu: 2}", "2.1", "qwen2.5-1.5b") ==
        R"(in.yaml:25:22: warning: torchtune has no configuration "qwen2_5/1.5B_qlora" [advice/tune-command]
   25 |   runtimeRef: {name: torchtune-qwen2.5-1.5b}
      |                      ^~~~~~~~~~~~~~~~~~~~~~ remove model.quantize_base
)");
  CHECK(tune(qlora, "{nvidia.com/gpu: 1}", "2.1") == "");
  CHECK(tune(with("numProcPerNode: 8"), "{nvidia.com/gpu: 8}", "2.3", "llama3.3-70b") == "");
}

TEST_CASE("advice/tune-command: settings of LoRA for a recipe that trains all weights") {
  const auto hint = [](const std::string& trainer, const std::string& version = "2.3",
                       const std::string& model = "llama3.2-1b") {
    const std::string found = tune(trainer, "{nvidia.com/gpu: 2}", version, model);
    const size_t at = found.rfind("~~ ");
    return at == std::string::npos ? found : found.substr(at + 3, found.size() - at - 4);
  };
  CHECK(
      tune(with("args: [epochs=1, model.lora_rank=16, model.lora_alpha=32]")) ==
      R"(in.yaml:26:65: warning: recipe full_finetune_distributed has no setting model.lora_rank, and fails [advice/tune-command]
   26 |   trainer: {command: [tune, run], numNodes: 1, args: [epochs=1, model.lora_rank=16, model.lora_alpha=32]}
      |                                                                 ^~~~~~~~~~~~~~~~~~ add model.lora_attn_modules, which selects a LoRA recipe
)");
  CHECK(hint("args: [model.lora_attn_modules=q_proj], numNodes: 1") ==
        "write command: [tune, run], so that Trainer chooses a LoRA recipe");
  CHECK(hint(with("args: [model.lora_attn_modules=q_proj], numProcPerNode: 2"), "2.0") ==
        "remove it; Trainer 2.1 and newer support LoRA");
  CHECK(hint("command: [tune, run], numNodes: 2, args: [model.lora_attn_modules=q_proj], numProcPerNode: 2",
             "2.2", "llama3.3-70b") == "write numNodes: 1: LoRA runs on one node only");
  CHECK(tune(with("args: [model.lora_attn_modules=q_proj, model.lora_rank=16]")) == "");
  CHECK(tune(with("args: [model=team.models.lora, model.lora_rank=16]")) == "");
}

}  // namespace trainjobc::advice_tune_test
