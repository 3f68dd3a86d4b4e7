// SPDX-License-Identifier: Apache-2.0

// Rules of admission for training frameworks, gang schedulers and patches of a runtime.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kInputPolicyRules = std::to_array<Rule>({
    {"input/env-injection-target", Stage::Input, Error,
     "envInjection names a container that the runtime does not have",
     "mlPolicy.torch.envInjection lists additional containers that get the variables of torchrun. The "
     "webhook looks each one up by replicatedJob and container name in the runtime with the job's patches "
     "applied, and refuses the job if one is missing. Correct the name in the runtime."},
    {"input/flux-installer", Stage::Input, Error,
     "An init container uses the reserved name \"flux-installer\"",
     "The Flux plugin adds an init container with this name, which copies Flux into the pod. A second one "
     "would make the pod invalid, so the webhook reserves the name. Rename yours in the runtime or the "
     "patch."},
    {"input/flux-processes", Stage::Input, Error, "A Flux job asks for less than one process per node",
     "The Flux plugin multiplies numProcPerNode by the number of nodes to get the number of tasks. Zero "
     "or less would start nothing, so the webhook refuses it. Write 1 or more, or leave the field to the "
     "runtime."},
    {"input/mpi-hostfile", Stage::Input, Error, "The hostfile is too large for a ConfigMap",
     "The controller writes one line per MPI node into a ConfigMap, which holds at most 1 MiB. The API "
     "server refuses a larger one, the controller retries forever, and no pod starts. Run fewer nodes "
     "with more slots each, or shorten the names of the job and its subdomain, which are in each line."},
    {"input/mpi-implementation", Stage::Input, Error,
     "The controller does not support the runtime's MPI implementation",
     "The schema allows several names, but the controller writes a hostfile and variables for OpenMPI "
     "only. With any other name every reconciliation of the job fails, and no JobSet is ever created.\n\n"
     "    mlPolicy:\n      mpi:\n        mpiImplementation: OpenMPI"},
    {"input/mpi-launcher-as-node", Stage::Input, Error,
     "More than one node, but no launcher or no node to run them",
     "With runLauncherAsNode the launcher is the first node, and the others are pods of the replicatedJob "
     "\"node\". The webhook refuses two or more nodes if the runtime lacks \"launcher\" or \"node\". Ask "
     "for one node, or use a runtime with both."},
    {"input/patch", Stage::Input, Error, "A patch of the job can't be merged into its runtime",
     "spec.runtimePatches are strategic merge patches: maps are merged, lists are merged by their key, "
     "and $patch says replace or delete. An unknown directive, or one with an invalid value, makes the "
     "merge fail, and with it the webhook or the controller.\n\n"
     "    volumes:\n      - name: cache\n        $patch: delete"},
    {"input/patch-duplicate-target", Stage::Input, Error, "Two overrides target the same replicatedJob",
     "Trainer 2.0 applies only one podSpecOverride to each replicatedJob, and its webhook refuses a job "
     "with two for the same one. Combine them. Since Trainer 2.1, the later one wins."},
    {"input/patch-env", Stage::Input, Error, "A patch sets env of a container whose env has its own field",
     "The variables of the containers node, dataset-initializer and model-initializer come from "
     "spec.trainer.env and spec.initializer. The webhook refuses them in patches, because it would not be "
     "clear which one applies. Move them.\n\n"
     "    spec:\n      trainer:\n        env:\n          - name: NCCL_DEBUG\n"
     "            value: INFO"},
    {"input/patch-manager", Stage::Input, Error, "The manager of a patch is not a domain-prefixed path",
     "Each entry of runtimePatches says which controller or person owns it, so owners don't overwrite "
     "each other's patches. The webhook requires a DNS domain, a slash and a path.\n\n"
     "    runtimePatches:\n      - manager: example.com/platform-team"},
    {"input/patch-target", Stage::Input, Error,
     "A patch targets a replicatedJob that the runtime does not have",
     "Until Trainer 2.2 the webhook looks up the replicatedJobs that overrides and patches name, and "
     "refuses the job if one is missing. The names are those in the runtime's template, such as \"node\" "
     "or \"launcher\", not the names of containers or the roles in labels. Correct the name."},
    {"input/reserved-env", Stage::Input, Error, "The job sets a variable that the framework's plugin sets",
     "The controller computes these variables from the number of nodes and processes: "
     "{plugins.reserved_env}. A value from the job would break the rendezvous, so the webhook refuses it. "
     "Remove it, and set numNodes and numProcPerNode instead."},
    {"input/torchtune-immutable-argument", Stage::Input, Error,
     "The job changes a setting that its runtime fixes",
     "A torchtune runtime's paths for the model and the output depend on its volumes, so the webhook of "
     "Trainer 2.3 refuses output_dir, tokenizer.path, tokenizer.merges_file and "
     "checkpointer.checkpoint_dir in spec.trainer.args. Remove the argument, or write a runtime with "
     "other paths."},
    {"input/torchtune-model", Stage::Input, Error,
     "The runtime's name does not say which model torchtune trains",
     "For the command \"tune run\" the controller derives the model from runtimeRef.name, which must be "
     "three words separated by dashes: any prefix, the family, the size. There are recipes for the known "
     "models only, and the webhook refuses others.\n\n"
     "    runtimeRef:\n      name: torchtune-llama3.2-1b"},
    {"input/torchtune-nodes", Stage::Input, Error,
     "torchtune can't run this model or method on several nodes",
     "torchtune has multi-node recipes only for llama3.3-70B and only for full fine-tuning; LoRA, QLoRA "
     "and the other models run on one node. The webhook refuses a job that has no recipe. Set numNodes: 1 "
     "and use more GPUs on that node."},
    {"input/torchtune-qlora", Stage::Input, Error,
     "torchtune has no QLoRA recipe for this model or number of devices",
     "model.quantize_base=True selects QLoRA. There is no recipe for qwen2.5, and those for llama3.2-1B "
     "and 3B run in one process on one GPU; the webhook refuses the rest. Ask for one GPU, or leave "
     "quantize_base out.\n\n"
     "    trainer:\n      resourcesPerNode:\n        limits:\n          nvidia.com/gpu: 1"},
    {"input/volcano-queue", Stage::Input, Error, "The annotation for the Volcano queue is empty",
     "scheduling.volcano.sh/queue-name names the queue in which the job waits. A Volcano queue always has "
     "a name, so the webhook refuses an empty value. Name a queue, or remove the annotation to use the "
     "default queue."},
});

}  // namespace

std::span<const Rule> input_policy() {
  return kInputPolicyRules;
}

}  // namespace trainjobc::rules::tables
