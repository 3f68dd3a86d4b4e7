// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_torchtune_test {
using namespace trainjobc::test;

namespace {

// What becomes of the command [tune, run] on a runtime of that name.
std::string tune(const std::string& trainer, std::string_view runtime = "torchtune-llama3.3-70b",
                 const std::string& container = "") {
  const std::string policy = "mlPolicy: {torch: {}}, ";
  return in_each_version(
      cluster_runtime(policy + template_of(flow_replicated_job("node", "trainer", container)), runtime) +
          train_job("trainer: {command: [tune, run], " + trainer + "}", runtime),
      "JobSet", of_node("command"));
}

std::string command(const std::string& rest) {
  return "[\"tune\",\"run\"," + rest + "]\n";
}

}  // namespace

TEST_CASE("2.0 supports full fine-tuning only, and counts no GPUs") {
  const std::string args =
      "numNodes: 1, resourcesPerNode: {requests: {nvidia.com/gpu: 1}}, args: "
      "[\"model.lora_attn_modules=[q_proj]\"]";
  const std::string lora =
      command("\"lora_finetune_single_device\",\"--config\",\"llama3_3/70B_lora_single_device\"");
  CHECK(tune(args) == "2.0 " +
                          command("\"--rdzv_endpoint=job-node-0-0.job:29500\",\"full_finetune_distributed\","
                                  "\"--config\",\"llama3_3/70B_full\"") +
                          "2.1 " + lora + "2.2 " + lora + "2.3 " + lora);
}

TEST_CASE("quantize_base=False means QLoRA until 2.2, use_dora=False none") {
  const std::string lora = "numNodes: 1, numProcPerNode: 1, args: [\"model.lora_attn_modules=[q]\", ";
  const auto single = [](const std::string& suffix) {
    return command("\"lora_finetune_single_device\",\"--config\",\"llama3_3/70B_" + suffix +
                   "_single_device\"");
  };
  const std::string full =
      command("\"full_finetune_single_device\",\"--config\",\"llama3_3/70B_full_single_device\"");
  CHECK(tune(lora + "\"model.quantize_base=False\"]") ==
        "2.0 " + full + "2.1 " + single("qlora") + "2.2 " + single("qlora") + "2.3 " + single("lora"));
  CHECK(tune(lora + "\"model.quantize_base=True\", \"model.use_dora=False\"]") ==
        "2.0 " + full + "2.1 " + single("lora") + "2.2 " + single("lora") + "2.3 " + single("qlora"));
}

TEST_CASE("LoRA on several nodes is silently full fine-tuning until 2.2") {
  const std::string full = command(
      "\"--rdzv_endpoint=job-node-0-0.job:29500\",\"full_finetune_distributed\",\"--config\",\"llama3_3/"
      "70B_full_multinode\"");
  CHECK(tune("numNodes: 2, numProcPerNode: 1, args: [\"model.lora_attn_modules=[q]\"]") ==
        "2.0 " + full + "2.1 " + full + "2.2 " + full +
            "2.3 refused: spec.trainer.numNodes: torchtune fine-tunes with LoRA only on one node\n");
}

TEST_CASE("each version has its models, and until 2.1 checks them only in jobs that give numProcPerNode") {
  const auto refused = [](const std::string& name) {
    return "refused: spec.runtimeRef.name: the runtime's name \"" + name +
           "\" does not say which torchtune model to train\n";
  };
  const auto single = [](const std::string& model) {
    return command("\"full_finetune_single_device\",\"--config\",\"" + model + "_full_single_device\"");
  };
  const std::string one = "numNodes: 1, numProcPerNode: 1";
  CHECK(tune(one, "torchtune-llama3.2-7b") ==
        "2.0 " + single("llama3_2/7B") + "2.1 " + refused("torchtune-llama3.2-7b") + "2.2 " +
            refused("torchtune-llama3.2-7b") + "2.3 " + refused("torchtune-llama3.2-7b"));
  CHECK(tune(one, "torchtune-llama3.2-3b") == "2.0 " + refused("torchtune-llama3.2-3b") + "2.1 " +
                                                  single("llama3_2/3B") + "2.2 " + single("llama3_2/3B") +
                                                  "2.3 " + single("llama3_2/3B"));
  const std::string gemma = refused("torchtune-gemma2-9b");
  const std::string nonsense = command("\"full_finetune_distributed\",\"--config\",\"gemma2/9B_full\"");
  CHECK(
      tune("numNodes: 1, resourcesPerNode: {requests: {cpu: 1, nvidia.com/gpu: 0}}", "torchtune-gemma2-9b") ==
      "2.0 " +
          command("\"--rdzv_endpoint=job-node-0-0.job:29500\",\"full_finetune_distributed\",\"--config\","
                  "\"gemma2/9B_full\"") +
          "2.1 " + command("\"full_finetune_single_device\",\"--config\",\"gemma2/9B_full_single_device\"") +
          "2.2 " + gemma + "2.3 " + gemma);
}

TEST_CASE("until 2.1 the webhook crashes over numProcPerNode without numNodes") {
  const std::string crash =
      "refused: spec.trainer.numNodes: a torchtune job that sets numProcPerNode needs numNodes too: the "
      "webhook crashes without it\n";
  const std::string single =
      command("\"full_finetune_single_device\",\"--config\",\"llama3_3/70B_full_single_device\"");
  CHECK(tune("numProcPerNode: 1") == "2.0 " + crash + "2.1 " + crash + "2.2 " + single + "2.3 " + single);
}

TEST_CASE("settings of the runtime are kept; in a job's args only 2.3 refuses them") {
  const std::string given = "command: [tune, run, output_dir=/o, tokenizer.merges_file=/m, epochs=1]";
  const std::string recipe =
      "\"full_finetune_single_device\",\"--config\",\"llama3_3/70B_full_single_device\",";
  const std::string kept = command(recipe + "\"output_dir=/o\",\"tokenizer.merges_file=/m\"");
  CHECK(tune("numNodes: 1, numProcPerNode: 1, args: [output_dir=/mine]", "torchtune-llama3.3-70b", given) ==
        "2.0 " + command(recipe + "\"output_dir=/o\"") + "2.1 " + kept + "2.2 " + kept +
            "2.3 refused: spec.trainer.args[0]: output_dir is set by the runtime and can't be changed by a "
            "job\n");
}

}  // namespace trainjobc::version_torchtune_test
