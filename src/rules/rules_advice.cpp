// SPDX-License-Identifier: Apache-2.0

// Rules of trainjobc itself: the cluster accepts it, and users regret it.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kAdviceRules = std::to_array<Rule>({
    {"advice/address", Stage::Advice, Warning, "The nodes of the job won't find each other",
     "The controller gives every node the address <job>-node-0-0.<job> as the meeting point. A pod has "
     "this address only if the replicatedJob that trains is called \"node\", the JobSet keeps its own "
     "name as the subdomain, and DNS hostnames are on. Otherwise all nodes wait until they time out. "
     "Change the runtime as the hint says."},
    {"advice/bad-suppression", Stage::Advice, Warning, "A suppression lacks its rule or its reason",
     "A comment that suppresses findings names the rules and, after two dashes, why they don't matter "
     "here, so the next reader knows. A comment that lacks one of them suppresses nothing.\n\n"
     "    image: torch  # trainjobc:ignore advice/image-tag -- the registry serves one build only"},
    {"advice/claim-policy", Stage::Advice, Warning, "A suspended job with claims never starts",
     "A queued job starts suspended: its JobSet is created, and then updated when the job is resumed. "
     "JobSet's webhook adds retentionPolicy to volumeClaimPolicies when the JobSet is created, the "
     "controller's update lacks it, and the field is immutable. So every update is refused, and the job "
     "stays suspended. Write the policy in the runtime.\n\n"
     "    volumeClaimPolicies:\n    - retentionPolicy: {whenDeleted: Delete}\n      templates: []"},
    {"advice/claim-retained", Stage::Advice, Info,
     "Claims outlive their job and block the next job of the same name",
     "With whenDeleted: Retain the claims are kept when the job is deleted. JobSet's webhook accepts "
     "another job of that name only if the template equals the spec of the claim, and a claim's spec "
     "contains more than any template: volumeMode, the volume it was bound to, the default storage class. "
     "Give each job a unique name, or delete the claim first."},
    {"advice/deadline-overflow", Stage::Advice, Warning,
     "activeDeadlineSeconds is too large: the job fails immediately",
     "The controllers count nanoseconds in 64 bits: more than 9223372036 seconds, 292 years, overflows to "
     "a time in the past. So the job fails as soon as it starts. Leave the deadline out if you want none."},
    {"advice/depends-on-itself", Stage::Advice, Warning, "A replicatedJob depends on itself and never starts",
     "JobSet's webhook accepts a dependsOn on the replicatedJob itself, and its controller waits for that "
     "job before creating it. Name the replicatedJob that comes first."},
    {"advice/deprecated-runtime", Stage::Advice, Warning, "The runtime is deprecated",
     "The label trainer.kubeflow.org/support: deprecated marks runtimes that a later release of Trainer "
     "removes; the webhook warns about them too. Jobs that refer to one will be refused after the "
     "upgrade. Move to the runtime that replaces it, or keep a copy under your own name."},
    {"advice/device-name", Stage::Advice, Warning, "No device plugin offers a resource of that name",
     "A container may request any resource whose name has a domain, and the scheduler looks for a node "
     "that offers exactly that name. No node offers nvidia.com/gpus, nvidia.com/GPU or nvidia/gpu, so the "
     "pods stay pending without an error. Write the name that the vendor's device plugin uses.\n\n"
     "    limits:\n      nvidia.com/gpu: 8"},
    {"advice/dialect", Stage::Advice, Warning, "The API version is from before Trainer 2.0 or from a fork",
     "kubeflow.org/v2alpha1 and trainer.kubeflow.org/v2alpha1 are what Trainer's API was called before "
     "2.0, and ome.io/v1beta1 is a fork of it. A cluster with Trainer serves none of them. trainjobc "
     "reads them as trainer.kubeflow.org/v1alpha1: it finds what trains by label and by the name "
     "\"node\", reads moved fields at their new place, and expands elasticPolicy, Intel MPI, MPICH and "
     "Volcano's minMember as the older API defines them. trainjobc migrate rewrites the files."},
    {"advice/endless-restart", Stage::Advice, Warning, "A program that always fails is restarted forever",
     "Restarts are for nodes that break. A failure policy that ignores the restart limit for every "
     "failure, a limit of thousands, or a pod failure policy that ignores exit code 1 also restarts a "
     "program with a typo, and keeps its GPUs allocated all the time. Limit the number of retries, or the "
     "failures that are retried.\n\n"
     "    failurePolicy:\n      maxRestarts: 3"},
    {"advice/env-twice", Stage::Advice, Warning, "The job replaces a variable of its runtime",
     "A variable in spec.trainer.env or spec.initializer replaces the variable of the same name in the "
     "runtime's container, and readers of the runtime can't see it. If the job needs another value, say "
     "so with a suppression on the line; if the runtime reads the value from a Secret and the job writes "
     "plain text, remove it from the job.\n\n"
     "    - name: NCCL_DEBUG  # trainjobc:ignore advice/env-twice -- this cluster needs the log\n"
     "      value: INFO"},
    {"advice/env-value-dropped", Stage::Advice, Warning, "A variable has both value and valueFrom",
     "In a pod the API server refuses such a variable. The controller rewrites the variables of "
     "spec.trainer and spec.initializer first and keeps only valueFrom, so the value has no effect. "
     "Remove the one that you don't mean."},
    {"advice/exclusive-topology", Stage::Advice, Warning,
     "The topology of an exclusive placement is not a node label",
     "The value of alpha.jobset.sigs.k8s.io/exclusive-topology becomes the topologyKey of the pods' "
     "affinity. It must be the key of a label; otherwise the API server refuses the pods, and their Jobs "
     "stay without pods.\n\n"
     "    annotations:\n"
     "      alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool"},
    {"advice/flux-setting", Stage::Advice, Warning, "A Flux setting comes from a valueFrom, which is ignored",
     "The controller itself reads {Flux.settings} from spec.trainer.env when it writes the pods. It sees "
     "only plain values; a valueFrom counts as an empty string. Write the value into the job."},
    {"advice/framework-label", Stage::Advice, Warning, "A runtime has no framework label",
     "The Kubeflow SDK lists runtimes by the label trainer.kubeflow.org/framework and ignores runtimes "
     "without it, so users don't find the runtime and can't start jobs from it. Set the label to what the "
     "runtime runs: {plugins.labels}, mpi, deepspeed, or another name.\n\n"
     "    labels:\n      trainer.kubeflow.org/framework: torch"},
    {"advice/generated-env", Stage::Advice, Warning, "A variable that the controller computes is set by hand",
     "The controller computes these variables from the numbers of nodes and processes. If a runtime sets "
     "them, they are replaced in every job; if a job sets them where the webhook allows it, they replace "
     "the computed values and are wrong as soon as the numbers change. Similarly, STORAGE_URI overrides "
     "storageUri. Remove one of the two."},
    {"advice/gpu-limit", Stage::Advice, Warning, "Jobs of this runtime will be refused because of its GPUs",
     "The runtime requests GPUs or another extended resource without an equal limit. The API server "
     "refuses such pods, so each job that does not set the resource itself fails. Put the amount under "
     "limits; the request defaults to it.\n\n"
     "    resources:\n      limits:\n        nvidia.com/gpu: 4"},
    {"advice/hidden-gpus", Stage::Advice, Warning, "resourcesPerNode hides the runtime's GPUs",
     "If the TrainJob has resourcesPerNode, it alone decides the number of processes. A job that asks "
     "only for CPU or memory keeps the runtime's GPUs, but its processes are counted by CPU, so GPUs stay "
     "idle. Name the GPUs in the job as well, or set numProcPerNode.\n\n"
     "    resourcesPerNode:\n      limits:\n        memory: 64Gi\n        nvidia.com/gpu: 4"},
    {"advice/image-name", Stage::Advice, Warning, "No container runtime can parse the image's name",
     "The API server accepts any text as an image. A container runtime expects a registry, a repository "
     "of lower-case letters and digits, and a tag or a digest; with capital letters, spaces or non-ASCII "
     "characters the pods stay in InvalidImageName. Often the name was pasted from a document. Type it "
     "again.\n\n"
     "    image: ghcr.io/team-a/trainer:1.4"},
    {"advice/image-tag", Stage::Advice, Warning, "An image has no tag, or the tag \"latest\"",
     "What such a name refers to changes with each release. Nodes that pulled the image on different days "
     "run different code, and last month's run can't be reproduced. Pin a version or, better, a "
     "digest.\n\n"
     "    image: pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime"},
    {"advice/initializer-no-effect", Stage::Advice, Warning,
     "spec.initializer has no effect with this runtime",
     "The controller passes the settings of an initializer to the replicatedJob that has its role in the "
     "label trainer.kubeflow.org/trainjob-ancestor-step. No replicatedJob of the runtime has this label, "
     "so the runtime's own settings apply. Label the template in the runtime."},
    {"advice/jax-initialize", Stage::Advice, Warning, "JAX is not told how many processes there are",
     "Of the {JAX.env_family} variables that the controller sets, jax.distributed.initialize() itself reads "
     "the coordinator's address. It finds the other two by asking the Kubernetes API, if the image has the "
     "package kubernetes and the pods may read their Job; otherwise it fails with \"Number of processes must "
     "be defined\". Pass them: both are in the environment.\n\n"
     "    jax.distributed.initialize(num_processes=…, process_id=…)"},
    {"advice/kueue-label", Stage::Advice, Warning, "A runtime, not a TrainJob, names a Kueue queue",
     "Kueue reads the labels of the TrainJob, and the labels of the runtime object reach no job. So jobs "
     "are not queued, although the runtime suggests that they are. Label each TrainJob.\n\n"
     "    metadata:\n      labels:\n        kueue.x-k8s.io/queue-name: team-a"},
    {"advice/managed-elsewhere", Stage::Advice, Info, "Another controller manages the job",
     "spec.managedBy: kueue.x-k8s.io/multikueue hands the job to MultiKueue, which copies it to another "
     "cluster. On the cluster that it is applied to, Trainer creates nothing for it; what is rendered is "
     "what the other cluster creates. If the other cluster would refuse the JobSet, that is a warning, "
     "and the JobSet is not rendered."},
    {"advice/mpi-image", Stage::Advice, Warning, "The job's image reaches only one side of an MPI run",
     "spec.trainer.image replaces the image of the replicatedJob with the trainer label, and no patch can "
     "set another. The launcher and the nodes then have different images: mpirun starts a program that "
     "the other side lacks, or another version of it. Use a runtime in which both replicatedJobs have the "
     "image."},
    {"advice/mpi-jobs", Stage::Advice, Warning,
     "An MPI runtime lacks a replicatedJob or container with a fixed name",
     "The MPI plugin looks for the replicatedJobs \"launcher\" and \"node\", each with a container "
     "\"node\", and mounts the SSH key and the hostfile there. If one is missing or has another name, the "
     "job starts and mpirun finds no hosts or no key. Rename it."},
    {"advice/mpi-launcher", Stage::Advice, Warning, "The MPI launcher does not run mpirun",
     "The nodes of an MPI run only wait for the launcher to start processes on them, which mpirun, "
     "mpiexec or horovodrun does. A launcher whose command runs Python or torchrun trains alone, while "
     "the nodes stay idle, and so does one that runs deepspeed without a hostfile: deepspeed looks for "
     "/job/hostfile, and the controller mounts /etc/mpi/hostfile. Put mpirun before the program.\n\n"
     "    command: [mpirun, python, train.py]"},
    {"advice/mpi-num-nodes", Stage::Advice, Warning,
     "numNodes does not count the pods that it seems to count",
     "If the launcher has the trainer label, the runtime's numNodes multiplies launchers, not nodes. If "
     "the launcher is itself a node, a job with numNodes: 1 still has a second pod, because \"node\" "
     "always has at least one. Write 1 in the runtime, and the real number in the job."},
    {"advice/no-trainer-section", Stage::Advice, Warning,
     "Without spec.trainer the framework's variables are not set",
     "The controller sets the variables for the rendezvous only in jobs with a spec.trainer, even an "
     "empty one. Without it each node trains alone or waits for the others, and nothing says why. Add the "
     "section.\n\n"
     "    spec:\n      trainer: {}"},
    {"advice/node-name", Stage::Advice, Warning,
     "A pod with scheduling gates names its node: no pod is created",
     "The API server accepts a Job whose pods have both nodeName and schedulingGates, and then refuses "
     "the pods: a gate makes the scheduler wait, and nodeName bypasses the scheduler. Use a nodeSelector "
     "instead of nodeName.\n\n"
     "    nodeSelector:\n      kubernetes.io/hostname: node-17"},
    {"advice/num-nodes-no-effect", Stage::Advice, Warning, "numNodes has no effect with this runtime",
     "The number of nodes goes to the replicatedJob that trains, and the controller finds none in the "
     "runtime: either the label trainer.kubeflow.org/trainjob-ancestor-step: trainer or, for MPI, the "
     "name \"node\" is missing. The job runs with the runtime's number. Change the runtime first."},
    {"advice/num-nodes-zero", Stage::Advice, Warning, "numNodes: 0 trains nothing",
     "A replicatedJob without pods is complete immediately, so the TrainJob succeeds without having "
     "trained; an MPI run then has no host, or only the launcher if it is a node. To make a job wait, set "
     "suspend instead.\n\n"
     "    spec:\n      suspend: true"},
    {"advice/object-size", Stage::Advice, Warning, "An object is too large for etcd",
     "etcd accepts requests of at most 1.5 MiB. The API server finds nothing wrong with a larger object "
     "but fails to store it, and the controller retries forever. Move scripts and data into images, "
     "ConfigMaps or volumes."},
    {"advice/one-word-command", Stage::Advice, Warning, "A whole command line is one item of a command",
     "The first item of a command is a program, and the container runtime looks for one whose name is the "
     "whole text, with its spaces. There is none, and the container can't start. Write each word as a "
     "separate item, or let a shell split the line.\n\n"
     "    command: [torchrun, train.py]"},
    {"advice/overhead", Stage::Advice, Warning,
     "Pods with an overhead but without a RuntimeClass are refused",
     "A RuntimeClass adds overhead to its pods. The API server refuses pods that set overhead without "
     "runtimeClassName, and their Jobs stay without pods. Remove it; the RuntimeClass fills it in."},
    {"advice/patch-no-effect", Stage::Advice, Warning,
     "A value of a patch clears nothing, or clears too much",
     "Patches drop empty values before they are merged, so \"\", [], {} and null leave the runtime's "
     "value unchanged. And $patch in a map that the runtime does not have removes the whole map. Change "
     "the runtime, or leave the line out."},
    {"advice/patch-overridden", Stage::Advice, Warning, "A later patch replaces what this one sets",
     "Patches are merged one after the other, and the last one that sets or deletes a value wins. What an "
     "earlier patch sets there is silently lost, which surprises its owner. Keep one of the two."},
    {"advice/patch-target", Stage::Advice, Warning,
     "A patch names a replicatedJob or container that the runtime does not have",
     "Merging adds what it does not find. A misspelt container becomes a second one without image and "
     "command, which the API server refuses later; a misspelt replicatedJob becomes another Job. Use the "
     "names of the runtime, and write containers under containers or initContainers as the runtime does."},
    {"advice/plain-secret", Stage::Advice, Warning, "The manifest contains a secret in plain text",
     "Everyone who can read the repository or the TrainJob can read the secret, and the repository's "
     "history keeps it even after it is removed. Put it into a Secret, refer to that, and revoke the one "
     "that was committed. Reports never show the value.\n\n"
     "    env:\n      - name: HF_TOKEN\n        valueFrom:\n"
     "          secretKeyRef: {name: hf, key: token}"},
    {"advice/pod-count", Stage::Advice, Warning,
     "The controller replaces a runtime's parallelism or completions",
     "The controller sets both to the number of nodes: mlPolicy.numNodes or the TrainJob's for the "
     "replicatedJob that trains, and the parallelism for the others. A value in the runtime has no effect "
     "and misleads readers. Remove it, or write the number in mlPolicy."},
    {"advice/pod-group-empty", Stage::Advice, Warning, "A PodGroup for coscheduling has no members",
     "A PodGroup has as many members as the job has pods, and its CustomResourceDefinition refuses a "
     "minMember below 1. The API server accepts the job, but the controller then fails at the PodGroup and "
     "may never create the JobSet. Add a replicatedJob with pods to the runtime, or remove its "
     "podGroupPolicy."},
    {"advice/pod-restart", Stage::Advice, Warning, "A failed node is restarted alone before its gang is",
     "With a backoffLimit above 0 the Job first restarts the single pod. The other nodes of a distributed "
     "run have lost their connection by then and can't accept it back, so the restart is wasted until all "
     "are restarted. Let the runtime's Job give up immediately and let the JobSet restart.\n\n"
     "    backoffLimit: 0"},
    {"advice/port-replaced", Stage::Advice, Warning, "The trainer's port replaces another port",
     "The controller adds port 29500 to the container that trains. It replaces a port with the same "
     "number or, because two missing names count as equal, one without a name. The other port, or its "
     "name, is lost. Name your ports, and use numbers in probes.\n\n"
     "    ports:\n      - name: metrics\n        containerPort: 9090"},
    {"advice/priority", Stage::Advice, Warning,
     "Pods with a priority but without a PriorityClass are refused",
     "The API server computes priority and preemptionPolicy from the pod's PriorityClass, or from the "
     "cluster's default one. It refuses pods with different values, and their Jobs stay without pods. "
     "Name a class.\n\n"
     "    priorityClassName: batch-high"},
    {"advice/priority-class", Stage::Advice, Info,
     "The job needs a PriorityClass that must exist in the cluster",
     "Pods whose priority class does not exist are not created, and with Volcano the webhook refuses the "
     "job. This can't be checked offline. Make sure that the class is deployed before the job."},
    {"advice/processes-per-gpu", Stage::Advice, Warning,
     "The number of processes does not match the GPUs per node",
     "The number of processes per node is set, and the nodes have a different number of GPUs. With more "
     "processes than GPUs, the extra processes fail or share a GPU; with fewer, GPUs stay idle unless "
     "each process uses several. One process per node is not reported; Flux allows no other, since "
     "each process asks for all GPUs of its node. Write the same number, or let the controller choose the "
     "number of processes.\n\n"
     "    numProcPerNode: 8\n    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: 8"},
    {"advice/queue", Stage::Advice, Info, "The job needs a queue that must exist in the cluster",
     "Kueue keeps a job suspended while its LocalQueue is missing from the job's namespace, and Volcano "
     "keeps its pods pending. Neither can be checked offline. Make sure that the queue exists with "
     "exactly this name."},
    {"advice/queue-no-effect", Stage::Advice, Warning, "A Volcano queue is set where nothing reads it",
     "The annotations of a TrainJob don't reach its PodGroup; those of the runtime's template and of "
     "patches do. So the job waits in the default queue. Set the annotation in a patch.\n\n"
     "    runtimePatches:\n      - manager: example.com/team-a\n        trainingRuntimeSpec:\n"
     "          template:\n            metadata:\n              annotations:\n"
     "                scheduling.volcano.sh/queue-name: team-a"},
    {"advice/second-trainer", Stage::Advice, Warning,
     "Two replicatedJobs of a runtime have the trainer label",
     "The TrainJob's number of nodes and the framework's variables go to the first replicatedJob with the "
     "trainer label. Others keep the runtime's settings and don't join the run. Train in one "
     "replicatedJob, and remove the label from the other."},
    {"advice/size-unit", Stage::Advice, Warning, "An amount of memory or storage has no useful unit",
     "A number without a unit counts bytes, and m means thousandths, as for CPUs. With memory: 64 or 128m "
     "no container starts, or it is killed immediately. Write Mi or Gi.\n\n"
     "    limits:\n      memory: 64Gi"},
    {"advice/ssh-key", Stage::Advice, Warning, "ssh refuses the key of the MPI job, or can't read it",
     "mpirun starts processes on the nodes over ssh, with the key that the controller mounts at "
     "sshAuthMountPath. Root owns the file. As root, ssh refuses a key that others can read (\"bad "
     "permissions\"), and they can: Trainer 2.3 sets mode 0640, 2.0 to 2.2 set none, which is 0644. As "
     "another user, ssh looks in that user's home, not in /root, and must be able to read the file: with "
     "mode 0640 only if the pod has an fsGroup. So run launcher and nodes as a user, with a group for their "
     "volumes. The image's sshd needs StrictModes no, because everyone can write to a Secret's folder.\n\n"
     "    securityContext: {fsGroup: 1000}\n"
     "    containers:\n"
     "    - name: node\n"
     "      securityContext: {runAsUser: 1000}"},
    {"advice/suspended", Stage::Advice, Info, "A suspended job names no queue",
     "Queueing systems such as Kueue suspend a job until there is room for it, and then set suspend to "
     "false themselves. If the manifest suspends a job and no queue manages it, the job waits until a "
     "person resumes it. Remove suspend, or name the queue.\n\n"
     "    metadata:\n      labels:\n        kueue.x-k8s.io/queue-name: team-a"},
    {"advice/torchrun-flags", Stage::Advice, Warning, "--torchrun flags can't do what was asked",
     "With --torchrun flags, render writes the rendezvous settings as flags of torchrun, for images whose "
     "torchrun ignores {Torch.env_family} variables. It can do this only if the command begins with "
     "torchrun, and it "
     "does not change flags that are already set. Start the command with torchrun and remove your own "
     "flags.\n\n"
     "    command: [torchrun, train.py]"},
    {"advice/trainer-no-effect", Stage::Advice, Warning,
     "A setting of spec.trainer has no effect with this runtime",
     "image, command, args, env and resources go to the container \"node\" of the replicatedJob with the "
     "trainer label; numProcPerNode has an effect with {plugins.with_processes} only; claims of "
     "resourcesPerNode are dropped. The runtime lacks what the setting is for, so the job runs without it. "
     "Remove it, or "
     "change the runtime."},
    {"advice/trainer-version", Stage::Advice, Info, "The files are not for the newest Trainer version",
     "If no version is given, trainjobc uses the newest one that has all fields of the TrainJobs and "
     "their runtimes, and says which line decided it. If no single version has them all, each TrainJob is "
     "compiled for its own version, with a warning: a cluster runs only one. Pin the version of your "
     "cluster.\n\n"
     "    # .trainjobc.yaml\n    trainerVersion: \"2.1\"",
     Warning /* of files for different versions */},
    {"advice/training-operator", Stage::Advice, Warning, "A job of Training Operator v1 is ignored",
     "PyTorchJob, MPIJob and the other kinds of kubeflow.org belong to Training Operator v1. A cluster "
     "that runs it accepts them, but trainjobc compiles for Kubeflow Trainer and checked nothing in this "
     "object. trainjobc migrate makes it a TrainJob, with a runtime if it needs one. Turn the rule off for "
     "files that stay as they are."},
    {"advice/tune-command", Stage::Advice, Warning, "tune refuses the command that Trainer makes",
     "For a command [tune, run], Trainer chooses torchtune's recipe and configuration by the number of "
     "nodes, processes and GPUs. Some of its choices fail as soon as the job starts: a recipe for a single "
     "device with more than one process, a recipe for several processes without torchrun, a configuration "
     "that torchtune does not have, or settings of LoRA for a recipe that trains all weights. Ask for as "
     "many GPUs as processes.\n\n"
     "    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: 2"},
    {"advice/typographic-sign", Stage::Advice, Warning,
     "A command contains curly quotes or typographic dashes",
     "Word processors and chat programs replace typed quotes, dashes and spaces with typographic ones. "
     "Shells and programs do not treat these as quotes, as the start of a flag or as the end of a word; "
     "they become part of the word, which is then misread. Type them again."},
    {"advice/unused-suppression", Stage::Advice, Warning, "A suppression suppresses nothing",
     "The finding is gone, or the comment is not on the line of the finding, or the path or rule is "
     "misspelt. If it stays, it would hide the next finding of that rule. Remove it, or move it to the "
     "line of the finding or the line above."},
    {"advice/v1-difference", Stage::Advice, Warning, "Part of a v1 job means something else in Trainer",
     "Jobs of Training Operator v1 and of the MPI Operator can say some things that a TrainJob can't. If the "
     "job trains all the same, migrate converts it without them, and this finding says what is different. "
     "docs/from-v1.md lists all differences."},
    {"advice/v1-ignored-field", Stage::Advice, Warning, "A v1 job has a field that its API does not have",
     "The API server drops fields that are not in the schema of the job's kind, so this one never had an "
     "effect. The converted job does not have it. Correct it in the v1 job if it was misspelled, and migrate "
     "again."},
});

}  // namespace

std::span<const Rule> advice() {
  return kAdviceRules;
}

}  // namespace trainjobc::rules::tables
