// Rules of trainjobc itself: the cluster takes it, and users regret it.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"advice/address", Stage::Advice, Warning, "The nodes of the job won't find each other",
     "The controller gives every node the address <job>-node-0-0.<job> to meet at. That is a pod only if "
     "the replicatedJob that trains is called \"node\", the JobSet keeps its own name as the subdomain, "
     "and DNS hostnames are on. Otherwise all nodes wait until they time out. Change the runtime as the "
     "hint says."},
    {"advice/bad-suppression", Stage::Advice, Warning, "A suppression lacks its rule or its reason",
     "A comment that suppresses findings names the rules and, behind two dashes, why they don't matter "
     "here; the next reader can't tell otherwise. One that lacks either suppresses nothing.\n\n"
     "    image: torch  # trainjobc:ignore advice/image-tag -- the registry serves one build only"},
    {"advice/claim-policy", Stage::Advice, Warning, "A suspended job with claims never starts",
     "A queued job starts suspended: its JobSet is made, and changed when the job is resumed. JobSet's "
     "webhook "
     "adds retentionPolicy to volumeClaimPolicies when the JobSet is made, the controller's change lacks it, "
     "and "
     "the field can't be changed. So the change is refused each time, and the job stays suspended. Write the "
     "policy into the runtime.\n\n"
     "    volumeClaimPolicies:\n    - retentionPolicy: {whenDeleted: Delete}\n      templates: []"},
    {"advice/claim-retained", Stage::Advice, Info,
     "Claims outlive their job and refuse the next one of its name",
     "With whenDeleted: Retain the claims stay when the job is deleted. JobSet's webhook takes another job "
     "of that "
     "name only if the template equals the spec of the claim, and a claim's spec holds more than any "
     "template: "
     "volumeMode, the volume it was bound to, the default storage class. Give each job a name of its own, or "
     "delete the claim first."},
    {"advice/deadline-overflow", Stage::Advice, Warning,
     "activeDeadlineSeconds is too large: the job fails at once",
     "The controllers count in nanoseconds, in 64 bits: more than 9223372036 seconds, 292 years, overflow to "
     "a time "
     "that has passed. So the job fails as soon as it starts. Leave the deadline out if there is to be "
     "none."},
    {"advice/depends-on-itself", Stage::Advice, Warning, "A replicatedJob depends on itself and never starts",
     "JobSet's webhook takes a dependsOn on the replicatedJob itself, and its controller waits for that job "
     "before it "
     "makes it. Name the replicatedJob that comes first."},
    {"advice/deprecated-runtime", Stage::Advice, Warning, "The runtime is deprecated",
     "The label trainer.kubeflow.org/support: deprecated marks runtimes that a later release of Trainer "
     "drops; the webhook warns of them, too. Jobs that refer to one will be refused after the upgrade. "
     "Move to the runtime that replaces it, or keep a copy under your own name."},
    {"advice/device-name", Stage::Advice, Warning, "No device plugin offers a resource of that name",
     "A container may ask for any resource whose name has a domain, and the scheduler looks for a node that "
     "offers just that. nvidia.com/gpus, nvidia.com/GPU or nvidia/gpu is offered by none, so that the pods "
     "stay pending without an error. Write the name that the vendor's device plugin uses.\n\n"
     "    limits:\n      nvidia.com/gpu: 8"},
    {"advice/dialect", Stage::Advice, Warning, "The API version is that of an older dialect",
     "kubeflow.org/v2alpha1 and trainer.kubeflow.org/v2alpha1 are what Trainer's API was called before 2.0, "
     "and "
     "ome.io/v1beta1 is a fork of it. A cluster with Trainer knows none of them. trainjobc reads them as "
     "trainer.kubeflow.org/v1alpha1: what trains is found by label and by the name \"node\", fields that "
     "moved are read where they are now, and elasticPolicy, Intel MPI, MPICH and Volcano's minMember are "
     "expanded as the dialect means them. trainjobc migrate rewrites the files."},
    {"advice/endless-restart", Stage::Advice, Warning, "A program that always fails is restarted without end",
     "Restarts are for nodes that break. A failure policy that ignores the restart limit for every "
     "failure, a limit of thousands, or a pod failure policy that ignores exit code 1 also restarts a "
     "program with a typo, and holds its GPUs while it does. Limit the retries, or the failures that they "
     "are for.\n\n"
     "    failurePolicy:\n      maxRestarts: 3"},
    {"advice/env-twice", Stage::Advice, Warning, "The job replaces a variable of its runtime",
     "A variable in spec.trainer.env or spec.initializer replaces the one of the same name in the "
     "runtime's container, and whoever reads or changes the runtime can't see it. Where the job is to "
     "differ, say so with a suppression on the line; where the runtime took the value from a Secret and "
     "the job writes plain text, remove it from the job.\n\n"
     "    - name: NCCL_DEBUG  # trainjobc:ignore advice/env-twice -- this cluster needs the log\n"
     "      value: INFO"},
    {"advice/env-value-dropped", Stage::Advice, Warning, "A variable has both value and valueFrom",
     "In a pod the API server refuses such a variable. The controller rewrites the variables of spec.trainer "
     "and spec.initializer first, "
     "and keeps valueFrom only, so that the value has no effect. "
     "Remove the one that is not meant."},
    {"advice/exclusive-topology", Stage::Advice, Warning,
     "The topology of an exclusive placement is not a node label",
     "The value of alpha.jobset.sigs.k8s.io/exclusive-topology becomes the topologyKey of the pods' "
     "affinity. It must "
     "be the key of a label; the API server refuses the pods otherwise, while the Jobs stand there without "
     "any.\n\n"
     "    annotations:\n      alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool"},
    {"advice/flux-setting", Stage::Advice, Warning,
     "A Flux setting comes from a valueFrom, which is not read",
     "The controller itself reads FLUX_VIEW_IMAGE, FLUX_NETWORK_DEVICE and FLUX_QUEUE_POLICY from "
     "spec.trainer.env when it writes the pods. It sees only plain values; a valueFrom counts as an empty "
     "text. Write the value into the job."},
    {"advice/framework-label", Stage::Advice, Warning, "A runtime has no framework label",
     "The Kubeflow SDK lists runtimes by the label trainer.kubeflow.org/framework and passes over those "
     "without it, so that users don't find the runtime and can't start jobs from it. Label it with torch, "
     "mpi, jax or whatever it runs.\n\n"
     "    labels:\n      trainer.kubeflow.org/framework: torch"},
    {"advice/generated-env", Stage::Advice, Warning, "A variable that the controller computes is set by hand",
     "The controller derives these variables from the numbers of nodes and processes. Set in a runtime, "
     "they are replaced in every job; set in a job where the webhook allows it, they replace what was "
     "computed and are wrong as soon as the numbers change. Likewise STORAGE_URI beats storageUri. Remove "
     "one of the two."},
    {"advice/gpu-limit", Stage::Advice, Warning, "Jobs of this runtime would be refused for its GPUs",
     "The runtime requests GPUs or another extended resource without an equal limit. The API server "
     "refuses such pods, so each job fails that does not set the resource itself. Put the amount under "
     "limits; the request follows from it.\n\n"
     "    resources:\n      limits:\n        nvidia.com/gpu: 4"},
    {"advice/hidden-gpus", Stage::Advice, Warning, "resourcesPerNode hides the runtime's GPUs",
     "Processes are counted by the TrainJob's resourcesPerNode alone if it is there. A job that asks only "
     "for CPU or memory keeps the runtime's GPUs, but gets processes for CPUs, so that GPUs stand idle. "
     "Name the GPUs in the job as well, or set numProcPerNode.\n\n"
     "    resourcesPerNode:\n      limits:\n        memory: 64Gi\n        nvidia.com/gpu: 4"},
    {"advice/image-name", Stage::Advice, Warning, "No container runtime can read the image's name",
     "The API server takes any text for an image. A container runtime wants a registry, a repository of "
     "lower-case letters and digits, and a tag or a digest; with capitals, spaces or signs beyond ASCII the "
     "pods stay in InvalidImageName. Often the name was pasted from a text. Type it again.\n\n"
     "    image: ghcr.io/team-a/trainer:1.4"},
    {"advice/image-tag", Stage::Advice, Warning, "An image has no tag, or \"latest\"",
     "What such a name means changes with each release. Nodes that pulled on different days run different "
     "code, and last month's run can't be repeated. Pin a version or, better, a digest.\n\n"
     "    image: pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime"},
    {"advice/initializer-no-effect", Stage::Advice, Warning,
     "spec.initializer does nothing with this runtime",
     "The controller hands the settings of an initializer to the replicatedJob that carries its role in "
     "the label trainer.kubeflow.org/trainjob-ancestor-step. The runtime labels none, so that its own "
     "settings stay. Label the template in the runtime."},
    {"advice/kueue-label", Stage::Advice, Warning, "A Kueue queue is named on a runtime",
     "Kueue looks at the labels of the TrainJob, and the labels of the runtime object reach no job. So "
     "jobs are not queued, although the runtime seems to say so. Label each TrainJob.\n\n"
     "    metadata:\n      labels:\n        kueue.x-k8s.io/queue-name: team-a"},
    {"advice/managed-elsewhere", Stage::Advice, Info, "Another controller manages the job",
     "spec.managedBy: kueue.x-k8s.io/multikueue hands the job to MultiKueue, which copies it to another "
     "cluster. "
     "Trainer makes nothing of it on the cluster that it is applied to; what is rendered is what the other "
     "cluster makes. A JobSet that the other cluster would refuse is a warning, and is not rendered."},
    {"advice/mpi-image", Stage::Advice, Warning, "The job's image reaches only one side of an MPI run",
     "spec.trainer.image replaces the image of the replicatedJob with the trainer label, and no patch can "
     "set another. The launcher and the nodes then have different images: mpirun starts a program that the "
     "other side lacks, or another version of it. Use a runtime whose two replicatedJobs both have the "
     "image."},
    {"advice/mpi-jobs", Stage::Advice, Warning,
     "An MPI runtime lacks a replicatedJob or container of a fixed name",
     "The MPI plugin looks for replicatedJobs \"launcher\" and \"node\" with containers \"node\" by name, "
     "and mounts the SSH key and the hostfile there. Where one is missing or called otherwise, the job "
     "starts and mpirun finds no hosts or no key. Rename it."},
    {"advice/mpi-launcher", Stage::Advice, Warning, "The MPI launcher runs no mpirun",
     "The nodes of an MPI run only wait for the launcher to start processes on them, which mpirun, "
     "mpiexec, deepspeed or horovodrun does. A launcher whose command runs Python or torchrun trains alone, "
     "while the nodes idle. Put mpirun before the program.\n\n"
     "    command: [mpirun, python, train.py]"},
    {"advice/mpi-num-nodes", Stage::Advice, Warning, "numNodes counts other pods than it seems to",
     "Where the launcher carries the trainer label, the runtime's numNodes multiplies launchers, not "
     "nodes. Where the launcher is a node itself, a job with numNodes: 1 still has a second pod, since "
     "\"node\" never has less than one. Write 1 into the runtime, and the real number into the job."},
    {"advice/no-trainer-section", Stage::Advice, Warning,
     "Without spec.trainer the framework's variables are not set",
     "The controller sets the variables for the rendezvous only in jobs with a spec.trainer, even an "
     "empty one. Without it each node trains on its own or waits for the others, and nothing says why. "
     "Add the section.\n\n"
     "    spec:\n      trainer: {}"},
    {"advice/node-name", Stage::Advice, Warning, "A pod with scheduling gates names its node: no pod is made",
     "The API server takes a Job whose pods have both nodeName and schedulingGates, and refuses the pods: a "
     "gate holds "
     "the scheduler back, and nodeName passes it over. Use a nodeSelector instead of nodeName.\n\n"
     "    nodeSelector:\n      kubernetes.io/hostname: node-17"},
    {"advice/num-nodes-no-effect", Stage::Advice, Warning, "numNodes does nothing with this runtime",
     "The number of nodes goes to the replicatedJob that trains, and the runtime has none that the "
     "controller knows: either the label trainer.kubeflow.org/trainjob-ancestor-step: trainer or, for "
     "MPI, the name \"node\" is missing. The job runs with the runtime's number. Change the runtime first."},
    {"advice/num-nodes-zero", Stage::Advice, Warning, "numNodes: 0 trains nothing",
     "A replicatedJob of no pods is complete at once, so that the TrainJob succeeds without having trained; "
     "MPI has no host then, or keeps the node that the launcher is. To have a job wait, set suspend "
     "instead.\n\n"
     "    spec:\n      suspend: true"},
    {"advice/object-size", Stage::Advice, Warning, "An object is too large for etcd",
     "etcd takes requests of at most 1.5 MiB. The API server finds nothing wrong with a larger object, fails "
     "to store "
     "it, and the controller tries again without end. Move scripts and data into images, ConfigMaps or "
     "volumes."},
    {"advice/one-word-command", Stage::Advice, Warning, "A command line stands in one item of a command",
     "The first item of a command is a program, and the container runtime looks for one whose name is the "
     "whole text, with its spaces. There is none, and the container can't start. Write each word as an item "
     "of its own, or have a shell take the line apart.\n\n"
     "    command: [torchrun, train.py]"},
    {"advice/overhead", Stage::Advice, Warning,
     "Pods with an overhead but without a RuntimeClass are refused",
     "overhead is what a RuntimeClass adds to its pods. The API server refuses pods that state one without "
     "runtimeClassName, while their Jobs stand there without pods. Remove it; the RuntimeClass fills it in."},
    {"advice/patch-no-effect", Stage::Advice, Warning,
     "A value of a patch clears nothing, or clears too much",
     "Patches are reduced to what is not empty before they are merged, so \"\", [], {} and null leave the "
     "runtime's value as it is. And $patch in a map which the runtime does not have removes the whole map. "
     "Change the runtime, or leave the line out."},
    {"advice/patch-overridden", Stage::Advice, Warning, "A later patch replaces what this one sets",
     "Patches are merged one after the other, and the last that sets or deletes a value wins. What an "
     "earlier one says there is lost without a word, which surprises its owner. Keep one of the two."},
    {"advice/patch-target", Stage::Advice, Warning,
     "A patch names a replicatedJob or container that the runtime does not have",
     "Merging adds what it does not find. A misspelt container becomes a second one without image and "
     "command, which the API server refuses later; a misspelt replicatedJob becomes another Job. Use the "
     "name that the runtime has, and containers and initContainers as it has them."},
    {"advice/plain-secret", Stage::Advice, Warning, "A secret stands in the manifest as plain text",
     "Whoever may read the repository or the TrainJob has it, and its history keeps it after it was "
     "removed. Put it into a Secret, refer to that, and revoke the one that was committed. Reports never "
     "show the value.\n\n"
     "    env:\n      - name: HF_TOKEN\n        valueFrom:\n          secretKeyRef: {name: hf, key: token}"},
    {"advice/pod-count", Stage::Advice, Warning, "parallelism or completions in a runtime are replaced",
     "The controller sets both to the number of nodes: mlPolicy.numNodes or the TrainJob's for the "
     "replicatedJob that trains, and the parallelism for the others. What stands there has no effect and "
     "misleads readers. Remove it, or write the number into mlPolicy."},
    {"advice/pod-restart", Stage::Advice, Warning, "A failed node is restarted alone before its gang is",
     "With a backoffLimit above 0 the Job first restarts the single pod. The other nodes of a distributed "
     "run have lost their connection by then and can't take it back, so the restart is wasted until all "
     "are restarted. Let the runtime's Job give up at once and the JobSet restart.\n\n"
     "    backoffLimit: 0"},
    {"advice/port-replaced", Stage::Advice, Warning, "The trainer's port takes the place of another port",
     "The controller adds port 29500 to the container that trains and puts it in place of a port of the "
     "same number or, since two missing names count as equal, without a name. The other port, or its "
     "name, is lost. Name your ports, and use numbers in probes.\n\n"
     "    ports:\n      - name: metrics\n        containerPort: 9090"},
    {"advice/priority", Stage::Advice, Warning,
     "Pods with a priority but without a PriorityClass are refused",
     "The API server computes priority and preemptionPolicy from the pod's PriorityClass, or the cluster's "
     "default "
     "one, and refuses pods that say otherwise, while their Jobs stand there without pods. Name a "
     "class.\n\n"
     "    priorityClassName: batch-high"},
    {"advice/priority-class", Stage::Advice, Info,
     "The job needs a PriorityClass that only the cluster knows",
     "Pods with a priority class that the cluster lacks are not created, and with Volcano the webhook "
     "refuses the job. This can't be checked offline. Make sure that the class is deployed before the job."},
    {"advice/processes-per-gpu", Stage::Advice, Warning, "Processes and GPUs per node don't go together",
     "A number of processes per node was given, and the nodes have another number of GPUs. With more "
     "processes than GPUs those left over fail, or share the GPU of another; with fewer, GPUs stand idle, "
     "unless each process uses several. One process per node is not reported; Flux "
     "has room for no other, since each asks for all GPUs of its node. Write the same number, or "
     "leave the processes to the controller.\n\n"
     "    numProcPerNode: 8\n    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: 8"},
    {"advice/queue", Stage::Advice, Info, "The job needs a queue that only the cluster knows",
     "Kueue keeps a job suspended while its LocalQueue is missing in the job's namespace, and Volcano "
     "keeps its pods pending. Neither can be checked offline. Make sure that the queue is there, and "
     "spelt like this."},
    {"advice/queue-no-effect", Stage::Advice, Warning, "A Volcano queue is named where it is not read",
     "The annotations of a TrainJob don't reach its PodGroup; those of the runtime's template and of "
     "patches do. So the job waits in the default queue. Set the annotation by a patch.\n\n"
     "    runtimePatches:\n      - manager: example.com/team-a\n        trainingRuntimeSpec:\n"
     "          template:\n            metadata:\n              annotations:\n"
     "                scheduling.volcano.sh/queue-name: team-a"},
    {"advice/second-trainer", Stage::Advice, Warning,
     "Two replicatedJobs of a runtime are labelled as trainer",
     "The TrainJob's number of nodes and the framework's variables go to the first replicatedJob with the "
     "trainer label. Others keep what the runtime says and don't join the run. Train in one "
     "replicatedJob, and take the label off the other."},
    {"advice/size-unit", Stage::Advice, Warning, "An amount of memory or storage has no useful unit",
     "A plain number counts bytes, and m stands for thousandths, as it does for CPUs. With memory: 64 or "
     "128m no container starts, or it is killed at once. Write Mi or Gi.\n\n"
     "    limits:\n      memory: 64Gi"},
    {"advice/suspended", Stage::Advice, Info, "A suspended job names no queue",
     "Queueing systems such as Kueue suspend a job until there is room for it, and then set suspend to false "
     "themselves. A job that is suspended by its manifest and that no queue knows of waits until a person "
     "does. Remove suspend, or name the queue.\n\n"
     "    metadata:\n      labels:\n        kueue.x-k8s.io/queue-name: team-a"},
    {"advice/torchrun-flags", Stage::Advice, Warning, "--torchrun flags does not do what was asked",
     "With --torchrun flags, render writes the rendezvous settings as flags of torchrun, for images whose "
     "torchrun ignores PET_* variables. It can do so only where the command begins with torchrun, and it "
     "leaves alone the flags that are set already. Start the command with torchrun and drop your own "
     "flags.\n\n"
     "    command: [torchrun, train.py]"},
    {"advice/trainer-no-effect", Stage::Advice, Warning,
     "A setting of spec.trainer does nothing with this runtime",
     "image, command, args, env and resources go to the container \"node\" of the replicatedJob labelled "
     "as trainer, and processes count for torch, MPI and Flux only; claims of resourcesPerNode are "
     "dropped. The runtime lacks what the setting is for, so that the job runs without it. Remove it, or "
     "change the runtime."},
    {"advice/trainer-version", Stage::Advice, Info, "The files are not for the newest Trainer version",
     "Unless told a version, trainjobc takes the newest one that knows the fields of the TrainJobs and "
     "their runtimes, and says which line decided it. Where no one version knows them all, each TrainJob "
     "is compiled for its own, with a warning: a cluster runs only one. Pin the version of yours.\n\n"
     "    # .trainjobc.yaml\n    trainerVersion: \"2.1\""},
    {"advice/training-operator", Stage::Advice, Warning, "A job of Training Operator v1 is not read",
     "PyTorchJob, MPIJob and the other kinds of kubeflow.org belong to Training Operator v1. A cluster "
     "that runs it takes them, but trainjobc compiles for Kubeflow Trainer and can't say what becomes of "
     "them: nothing in the object was checked. Trainer runs the same work as a TrainJob. Switch the rule "
     "off for files that stay as they are."},
    {"advice/typographic-sign", Stage::Advice, Warning, "A command holds curly quotes or dashes",
     "Word processors and chat programs replace typed quotes, dashes and spaces by typographic ones. "
     "Neither a shell nor a program knows them as quotes, as the begin of a flag or as the end of a word; "
     "they become part of the word, which is then misunderstood. Type them again."},
    {"advice/unused-suppression", Stage::Advice, Warning, "A suppression suppresses nothing",
     "The finding is gone, or the comment stands at another line than the finding, or the path or rule is "
     "misspelt. Left where it is, it would hide the next finding of that rule. Remove it, or move it to "
     "the line of the finding or the one above."},
});

}  // namespace

std::span<const Rule> advice() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
