// SPDX-License-Identifier: Apache-2.0

#include "features/json_schema/descriptions.h"

#include <algorithm>
#include <array>
#include <string>

#include "features/json_schema/json_schema.h"

namespace trainjobc::json_schema {
namespace {

struct Description {
  std::string_view path;
  std::string_view text;
};

// Sorted by path. Fields of Kubernetes' own types (env, volumes, template.spec …) are not among them.
constexpr std::array kDescriptions = std::to_array<Description>({
    {"TrainJob.spec", "What to train, and on which runtime."},
    {"TrainJob.spec.activeDeadlineSeconds",
     "Seconds after which a job that has not ended fails; suspension starts the time again."},
    {"TrainJob.spec.annotations", "Annotations of the JobSet and its pods."},
    {"TrainJob.spec.initializer", "Downloads of a dataset and a model, which end before the nodes start."},
    {"TrainJob.spec.initializer.dataset", "The dataset to download."},
    {"TrainJob.spec.initializer.dataset.env", "Environment variables of the initializer's container."},
    {"TrainJob.spec.initializer.dataset.secretRef",
     "Secret with credentials, whose keys become environment variables."},
    {"TrainJob.spec.initializer.dataset.secretRef.name", "Name of the Secret, in the job's namespace."},
    {"TrainJob.spec.initializer.dataset.storageUri",
     "Where to download from: hf://, s3:// or another URI that the initializer knows."},
    {"TrainJob.spec.initializer.model", "The model to download."},
    {"TrainJob.spec.initializer.model.env", "Environment variables of the initializer's container."},
    {"TrainJob.spec.initializer.model.secretRef",
     "Secret with credentials, whose keys become environment variables."},
    {"TrainJob.spec.initializer.model.secretRef.name", "Name of the Secret, in the job's namespace."},
    {"TrainJob.spec.initializer.model.storageUri",
     "Where to download from: hf://, s3:// or another URI that the initializer knows."},
    {"TrainJob.spec.labels", "Labels of the JobSet and its pods."},
    {"TrainJob.spec.managedBy",
     "The controller that runs the job: Trainer's own, or MultiKueue's. It can't be changed."},
    {"TrainJob.spec.podSpecOverrides",
     "Changes to the pods of the runtime's replicatedJobs, applied in order."},
    {"TrainJob.spec.podSpecOverrides.containers", "Changes to containers, by name."},
    {"TrainJob.spec.podSpecOverrides.containers.env", "Environment variables to add or replace."},
    {"TrainJob.spec.podSpecOverrides.containers.name", "The container to change."},
    {"TrainJob.spec.podSpecOverrides.containers.volumeMounts", "Volume mounts to add or replace."},
    {"TrainJob.spec.podSpecOverrides.initContainers", "Changes to init containers, by name."},
    {"TrainJob.spec.podSpecOverrides.nodeSelector", "Node labels that the pods need."},
    {"TrainJob.spec.podSpecOverrides.schedulingGates", "Gates that hold the pods back from the scheduler."},
    {"TrainJob.spec.podSpecOverrides.serviceAccountName", "ServiceAccount of the pods."},
    {"TrainJob.spec.podSpecOverrides.targetJobs", "The replicatedJobs to change."},
    {"TrainJob.spec.podSpecOverrides.targetJobs.name", "Name of a replicatedJob of the runtime."},
    {"TrainJob.spec.podSpecOverrides.tolerations", "Taints that the pods tolerate."},
    {"TrainJob.spec.podSpecOverrides.volumes", "Volumes to add or replace."},
    {"TrainJob.spec.podTemplateOverrides",
     "Changes to the pod templates of the runtime's replicatedJobs, applied in order."},
    {"TrainJob.spec.podTemplateOverrides.manager", "Who made the change: a name with a domain."},
    {"TrainJob.spec.podTemplateOverrides.metadata", "Labels and annotations to add to the pods."},
    {"TrainJob.spec.podTemplateOverrides.spec", "Changes to the pod spec."},
    {"TrainJob.spec.podTemplateOverrides.spec.affinity", "Affinity of the pods."},
    {"TrainJob.spec.podTemplateOverrides.spec.containers", "Changes to containers, by name."},
    {"TrainJob.spec.podTemplateOverrides.spec.containers.env", "Environment variables to add or replace."},
    {"TrainJob.spec.podTemplateOverrides.spec.containers.name", "The container to change."},
    {"TrainJob.spec.podTemplateOverrides.spec.containers.volumeMounts", "Volume mounts to add or replace."},
    {"TrainJob.spec.podTemplateOverrides.spec.imagePullSecrets", "Secrets with credentials for registries."},
    {"TrainJob.spec.podTemplateOverrides.spec.initContainers", "Changes to init containers, by name."},
    {"TrainJob.spec.podTemplateOverrides.spec.nodeSelector", "Node labels that the pods need."},
    {"TrainJob.spec.podTemplateOverrides.spec.schedulingGates",
     "Gates that hold the pods back from the scheduler."},
    {"TrainJob.spec.podTemplateOverrides.spec.securityContext", "Security context of the pods."},
    {"TrainJob.spec.podTemplateOverrides.spec.serviceAccountName", "ServiceAccount of the pods."},
    {"TrainJob.spec.podTemplateOverrides.spec.tolerations", "Taints that the pods tolerate."},
    {"TrainJob.spec.podTemplateOverrides.spec.volumes", "Volumes to add or replace."},
    {"TrainJob.spec.podTemplateOverrides.targetJobs", "The replicatedJobs to change."},
    {"TrainJob.spec.podTemplateOverrides.targetJobs.name", "Name of a replicatedJob of the runtime."},
    {"TrainJob.spec.runtimePatches", "Patches to the runtime, each by its own manager; applied in order."},
    {"TrainJob.spec.runtimePatches.manager",
     "Who made the patch: a name with a domain, such as trainer.kubeflow.org/user."},
    {"TrainJob.spec.runtimePatches.time", "When the patch was last changed."},
    {"TrainJob.spec.runtimePatches.trainingRuntimeSpec",
     "The part of the runtime's spec to change, merged strategically."},
    {"TrainJob.spec.runtimePatches.trainingRuntimeSpec.template", "Changes to the JobSet."},
    {"TrainJob.spec.runtimePatches.trainingRuntimeSpec.template.metadata",
     "Labels and annotations of the JobSet."},
    {"TrainJob.spec.runtimePatches.trainingRuntimeSpec.template.spec",
     "Changes to the JobSet's spec: name the replicatedJobs and containers to change."},
    {"TrainJob.spec.runtimeRef", "The runtime to train on. It can't be changed."},
    {"TrainJob.spec.runtimeRef.apiGroup", "API group of the runtime."},
    {"TrainJob.spec.runtimeRef.kind",
     "ClusterTrainingRuntime, or TrainingRuntime for one of the job's namespace."},
    {"TrainJob.spec.runtimeRef.name", "Name of the runtime."},
    {"TrainJob.spec.suspend", "True: no pod runs until it is false. Queues such as Kueue set it."},
    {"TrainJob.spec.trainer", "What the nodes run, in place of what the runtime says."},
    {"TrainJob.spec.trainer.args", "Arguments of the command."},
    {"TrainJob.spec.trainer.command", "Command of the training container."},
    {"TrainJob.spec.trainer.env", "Environment variables of the training container."},
    {"TrainJob.spec.trainer.image", "Image of the training container."},
    {"TrainJob.spec.trainer.numNodes", "Number of nodes: pods that train."},
    {"TrainJob.spec.trainer.numProcPerNode",
     "Number of processes per node; until Trainer 2.1 also auto, cpu or gpu."},
    {"TrainJob.spec.trainer.resourcesPerNode", "Requests and limits of the training container of each node."},
    {"TrainJob.status", "What became of the job; written by the controller."},
    {"TrainJob.status.conditions", "Suspended, Complete and Failed, with reasons."},
    {"TrainJob.status.jobsStatus", "Pods of each replicatedJob by state."},
    {"TrainJob.status.jobsStatus.active", "Number of Jobs that run."},
    {"TrainJob.status.jobsStatus.failed", "Number of Jobs that failed."},
    {"TrainJob.status.jobsStatus.name", "Name of the replicatedJob."},
    {"TrainJob.status.jobsStatus.ready", "Number of Jobs whose pods are ready."},
    {"TrainJob.status.jobsStatus.succeeded", "Number of Jobs that succeeded."},
    {"TrainJob.status.jobsStatus.suspended", "Number of Jobs that are suspended."},
    {"TrainJob.status.trainerStatus", "Progress and metrics that the training itself reports."},
    {"TrainingRuntime.spec", "How jobs of this runtime train."},
    {"TrainingRuntime.spec.mlPolicy", "The framework, and how many nodes and processes it starts."},
    {"TrainingRuntime.spec.mlPolicy.flux", "Flux: the nodes form a Flux instance, which runs the command."},
    {"TrainingRuntime.spec.mlPolicy.flux.numProcPerNode", "Number of processes per node."},
    {"TrainingRuntime.spec.mlPolicy.jax", "JAX: the nodes get the variables of jax.distributed."},
    {"TrainingRuntime.spec.mlPolicy.mpi", "MPI: a launcher gets a hostfile and an SSH key for the nodes."},
    {"TrainingRuntime.spec.mlPolicy.mpi.mpiImplementation", "The implementation of MPI in the image."},
    {"TrainingRuntime.spec.mlPolicy.mpi.numProcPerNode",
     "Number of processes per node: the slots in the hostfile."},
    {"TrainingRuntime.spec.mlPolicy.mpi.runLauncherAsNode",
     "True: the launcher trains, too, and counts as a node."},
    {"TrainingRuntime.spec.mlPolicy.mpi.sshAuthMountPath",
     "Folder in the containers for the SSH key: the user's .ssh."},
    {"TrainingRuntime.spec.mlPolicy.numNodes", "Number of nodes of jobs that don't say it."},
    {"TrainingRuntime.spec.mlPolicy.torch", "PyTorch: the nodes get the variables of torchrun."},
    {"TrainingRuntime.spec.mlPolicy.torch.elasticPolicy",
     "Elastic training: how far the number of nodes may vary."},
    {"TrainingRuntime.spec.mlPolicy.torch.elasticPolicy.maxNodes", "Most nodes that train."},
    {"TrainingRuntime.spec.mlPolicy.torch.elasticPolicy.maxRestarts",
     "How often torchrun restarts the processes."},
    {"TrainingRuntime.spec.mlPolicy.torch.elasticPolicy.metrics",
     "Metrics by which an autoscaler sets the number of nodes."},
    {"TrainingRuntime.spec.mlPolicy.torch.elasticPolicy.minNodes", "Fewest nodes that train."},
    {"TrainingRuntime.spec.mlPolicy.torch.envInjection",
     "Which containers get torchrun's variables, if not only the trainer's."},
    {"TrainingRuntime.spec.mlPolicy.torch.envInjection.targets", "Containers by replicatedJob."},
    {"TrainingRuntime.spec.mlPolicy.torch.envInjection.targets.containerNames", "Names of the containers."},
    {"TrainingRuntime.spec.mlPolicy.torch.envInjection.targets.jobName", "Name of the replicatedJob."},
    {"TrainingRuntime.spec.mlPolicy.torch.numProcPerNode",
     "Processes per node: a number, or until Trainer 2.1 auto, cpu or gpu."},
    {"TrainingRuntime.spec.mlPolicy.xgboost", "XGBoost: the nodes get the variables of its collective."},
    {"TrainingRuntime.spec.podGroupPolicy", "Gang scheduling: all pods of a job start, or none."},
    {"TrainingRuntime.spec.podGroupPolicy.coscheduling", "A PodGroup for the scheduler plugin coscheduling."},
    {"TrainingRuntime.spec.podGroupPolicy.coscheduling.scheduleTimeoutSeconds",
     "Seconds that the gang waits for all of its pods."},
    {"TrainingRuntime.spec.podGroupPolicy.volcano", "A PodGroup for the scheduler Volcano."},
    {"TrainingRuntime.spec.podGroupPolicy.volcano.networkTopology",
     "How close the pods' nodes must be in the network."},
    {"TrainingRuntime.spec.podGroupPolicy.volcano.networkTopology.highestTierAllowed",
     "Highest tier of switches that the pods may span."},
    {"TrainingRuntime.spec.podGroupPolicy.volcano.networkTopology.mode",
     "hard: the pods wait for such nodes; soft: they prefer them."},
    {"TrainingRuntime.spec.template", "The JobSet of each job."},
    {"TrainingRuntime.spec.template.metadata", "Labels and annotations of the JobSet."},
    {"TrainingRuntime.spec.template.spec",
     "Spec of the JobSet. The replicatedJob that trains has the label "
     "trainer.kubeflow.org/trainjob-ancestor-step: trainer."},
});
static_assert(std::ranges::is_sorted(kDescriptions, {}, &Description::path));

}  // namespace

std::string_view description_of(std::string_view path) {
  const auto found = std::ranges::lower_bound(kDescriptions, path, {}, &Description::path);
  return found != kDescriptions.end() && found->path == path ? found->text : std::string_view();
}

bool has_descriptions_below(std::string_view path) {
  const std::string prefix = std::string(path) + ".";
  const auto found =
      std::ranges::lower_bound(kDescriptions, std::string_view(prefix), {}, &Description::path);
  return found != kDescriptions.end() && found->path.starts_with(prefix);
}

}  // namespace trainjobc::json_schema
