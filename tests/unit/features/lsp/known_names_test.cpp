// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/lsp.h"

namespace trainjobc::known_names_test {
namespace {

constexpr std::string_view kHead =
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: bert\n  namespace: "
    "team-a\n";

constexpr std::string_view kOther = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: other
  labels: {kueue.x-k8s.io/queue-name: research, team: nlp}
spec:
  runtimeRef: {name: jax-gpu}
  trainer: {resourcesPerNode: {limits: {nvidia.com/mig-1g.10gb: 1, memory: 1Gi}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: jax-gpu
  labels: {trainer.kubeflow.org/framework: jax, site: north}
spec:
  mlPolicy: {numNodes: 2, jax: {}}
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
                - {name: node, image: "a/jax:1", resources: {requests: {rdma/ib: 1}, limits: {rdma/ib: 1}}}
)";

std::string complete(std::string_view text, const std::string& version = "auto") {
  return test::LspWorkspace(version)
      .file("other.yaml", std::string(kOther))
      .open("job.yaml", text)
      .complete();
}

std::string labels(std::string_view text) {
  return test::LspWorkspace().file("other.yaml", std::string(kOther)).open("job.yaml", text).labels();
}

std::string in_job(std::string_view rest) {
  return std::string(kHead).append(rest);
}

}  // namespace

TEST_CASE("known names: resources, those of the workspace first") {
  const std::string trainer = "spec:\n  runtimeRef: {name: jax-gpu}\n  trainer:\n    resourcesPerNode:\n";
  CHECK(complete(in_job(trainer + "      limits:\n        @@\n")) ==
        R"(nvidia.com/mig-1g.10gb (used in this workspace): nvidia.com/mig-1g.10gb: 
rdma/ib (used in this workspace): rdma/ib: 
cpu (cores: 8, or 500m for half of one): cpu: 
memory (bytes: 64Gi): memory: 
ephemeral-storage (bytes on the node's disk): ephemeral-storage: 
hugepages-2Mi (bytes in pages of 2 MiB): hugepages-2Mi: 
hugepages-1Gi (bytes in pages of 1 GiB): hugepages-1Gi: 
nvidia.com/gpu (devices): nvidia.com/gpu: 
amd.com/gpu (devices): amd.com/gpu: 
habana.ai/gaudi (devices): habana.ai/gaudi: 
google.com/tpu (devices): google.com/tpu: 
gpu.intel.com/i915 (devices): gpu.intel.com/i915: 
gpu.intel.com/xe (devices): gpu.intel.com/xe: 
aws.amazon.com/neuron (devices): aws.amazon.com/neuron: 
aws.amazon.com/neuroncore (devices): aws.amazon.com/neuroncore: 
aws.amazon.com/neurondevice (devices): aws.amazon.com/neurondevice: 
vpc.amazonaws.com/efa (devices): vpc.amazonaws.com/efa: 
rdma/hca_shared_devices_a (an RDMA device that pods share): rdma/hca_shared_devices_a: 
rdma/roce (a RoCE device): rdma/roce: 
)");
  CHECK(
      labels(in_job(trainer + "      requests: {cpu: 1, nv@@}\n")) ==
      R"(nvidia.com/mig-1g.10gb rdma/ib memory ephemeral-storage hugepages-2Mi hugepages-1Gi nvidia.com/gpu amd.com/gpu habana.ai/gaudi google.com/tpu gpu.intel.com/i915 gpu.intel.com/xe aws.amazon.com/neuron aws.amazon.com/neuroncore aws.amazon.com/neurondevice vpc.amazonaws.com/efa rdma/hca_shared_devices_a rdma/roce)");
  const std::string runtime(kOther.substr(kOther.find("---\n") + 4));
  std::string edited = runtime;
  const size_t at = edited.find("requests: {rdma/ib: 1}, ");
  edited.replace(at, 24, "requests: {@@}, ");
  CHECK(
      labels(edited) ==
      R"(nvidia.com/mig-1g.10gb rdma/ib cpu memory ephemeral-storage hugepages-2Mi hugepages-1Gi nvidia.com/gpu amd.com/gpu habana.ai/gaudi google.com/tpu gpu.intel.com/i915 gpu.intel.com/xe aws.amazon.com/neuron aws.amazon.com/neuroncore aws.amazon.com/neurondevice vpc.amazonaws.com/efa rdma/hca_shared_devices_a rdma/roce)");
}

TEST_CASE("known names: labels by what they label, and their values") {
  CHECK(complete(
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  name: a\n  labels:\n  "
            "  @@\n") ==
        R"(kueue.x-k8s.io/queue-name (Kueue: the LocalQueue that admits the job): kueue.x-k8s.io/queue-name: 
kueue.x-k8s.io/priority-class (Kueue: a WorkloadPriorityClass): kueue.x-k8s.io/priority-class: 
team (used in this workspace): team: 
)");
  CHECK(complete("kind: TrainJob\napiVersion: trainer.kubeflow.org/v1alpha1\nmetadata:\n  labels:\n    "
                 "kueue.x-k8s.io/queue-name: @@\n") == R"(research (used in this workspace): research
)");
  const std::string runtime =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: a\n  "
      "labels:\n";
  CHECK(
      complete(runtime + "    @@\n") ==
      R"(trainer.kubeflow.org/framework (the framework, by which the SDK finds runtimes): trainer.kubeflow.org/framework: 
trainer.kubeflow.org/support (deprecated: Trainer warns of each job that uses it): trainer.kubeflow.org/support: 
site (used in this workspace): site: 
)");
  CHECK(labels(runtime + "    trainer.kubeflow.org/framework: @@\n") ==
        R"(flux jax torch torchtune xgboost)");
  const std::string template_labels = runtime +
                                      "    a: b\nspec:\n  template:\n    spec:\n      replicatedJobs:\n      "
                                      "- name: node\n        template:\n   "
                                      "       metadata:\n            labels:\n";
  CHECK(
      complete(template_labels + "              @@\n") ==
      R"(trainer.kubeflow.org/trainjob-ancestor-step (the step of the TrainJob that it runs): trainer.kubeflow.org/trainjob-ancestor-step: 
)");
  CHECK(labels(template_labels + "              trainer.kubeflow.org/trainjob-ancestor-step: @@\n") ==
        R"(dataset-initializer model-initializer trainer)");
}

TEST_CASE("known names: schemes of storageUri that the Trainer version can fetch") {
  const std::string initializer = "spec:\n  runtimeRef: {name: jax-gpu}\n  initializer:\n";
  CHECK(complete(in_job(initializer + "    dataset:\n      storageUri: @@\n")) ==
        R"(cache:// (the data cache: cache://SCHEMA/TABLE): cache://
hf:// (Hugging Face Hub: hf://OWNER/NAME): hf://
s3:// (S3, or what speaks its protocol: s3://BUCKET/PATH): s3://
)");
  CHECK(labels(in_job(initializer + "    model:\n      storageUri: @@\n")) == R"(hf:// s3://)");
  CHECK(test::LspWorkspace("2.0")
            .open("job.yaml", in_job(initializer + "    dataset:\n      storageUri: @@\n"))
            .labels() == R"(hf://)");
}

TEST_CASE("known names: environment variables by framework, without those that are there") {
  const std::string trainer =
      "  trainer:\n    env:\n    - name: NCCL_DEBUG\n      value: INFO\n    - name: @@\n";
  const std::string reference = "spec:\n  runtimeRef: {name: jax-gpu}\n";
  CHECK(complete(in_job(reference + trainer)) ==
        R"(CUDA_DEVICE_MAX_CONNECTIONS (read by CUDA): CUDA_DEVICE_MAX_CONNECTIONS
CUDA_LAUNCH_BLOCKING (read by CUDA): CUDA_LAUNCH_BLOCKING
HF_DATASETS_CACHE (read by Hugging Face's libraries): HF_DATASETS_CACHE
HF_DATASETS_OFFLINE (read by Hugging Face's libraries): HF_DATASETS_OFFLINE
HF_ENDPOINT (read by Hugging Face's libraries): HF_ENDPOINT
HF_HOME (read by Hugging Face's libraries): HF_HOME
HF_HUB_CACHE (read by Hugging Face's libraries): HF_HUB_CACHE
HF_HUB_OFFLINE (read by Hugging Face's libraries): HF_HUB_OFFLINE
HF_TOKEN (read by Hugging Face's libraries): HF_TOKEN
MLFLOW_TRACKING_URI (read by MLflow): MLFLOW_TRACKING_URI
NCCL_ALGO (read by NCCL): NCCL_ALGO
NCCL_CROSS_NIC (read by NCCL): NCCL_CROSS_NIC
NCCL_DEBUG_SUBSYS (read by NCCL): NCCL_DEBUG_SUBSYS
NCCL_IB_DISABLE (read by NCCL): NCCL_IB_DISABLE
NCCL_IB_GID_INDEX (read by NCCL): NCCL_IB_GID_INDEX
NCCL_IB_HCA (read by NCCL): NCCL_IB_HCA
NCCL_IB_TIMEOUT (read by NCCL): NCCL_IB_TIMEOUT
NCCL_NET_GDR_LEVEL (read by NCCL): NCCL_NET_GDR_LEVEL
NCCL_NVLS_ENABLE (read by NCCL): NCCL_NVLS_ENABLE
NCCL_P2P_DISABLE (read by NCCL): NCCL_P2P_DISABLE
NCCL_P2P_LEVEL (read by NCCL): NCCL_P2P_LEVEL
NCCL_PROTO (read by NCCL): NCCL_PROTO
NCCL_SHM_DISABLE (read by NCCL): NCCL_SHM_DISABLE
NCCL_SOCKET_IFNAME (read by NCCL): NCCL_SOCKET_IFNAME
OMP_NUM_THREADS (read by OpenMP): OMP_NUM_THREADS
PYTHONUNBUFFERED (read by Python): PYTHONUNBUFFERED
TOKENIZERS_PARALLELISM (read by Hugging Face's libraries): TOKENIZERS_PARALLELISM
TRANSFORMERS_OFFLINE (read by Hugging Face's libraries): TRANSFORMERS_OFFLINE
WANDB_API_KEY (read by Weights & Biases): WANDB_API_KEY
WANDB_MODE (read by Weights & Biases): WANDB_MODE
WANDB_PROJECT (read by Weights & Biases): WANDB_PROJECT
XLA_FLAGS (read by JAX): XLA_FLAGS
XLA_PYTHON_CLIENT_MEM_FRACTION (read by JAX): XLA_PYTHON_CLIENT_MEM_FRACTION
XLA_PYTHON_CLIENT_PREALLOCATE (read by JAX): XLA_PYTHON_CLIENT_PREALLOCATE
)");
  CHECK(
      labels(in_job("spec:\n  runtimeRef: {name: torch-distributed}\n" + trainer)) ==
      R"(CUDA_DEVICE_MAX_CONNECTIONS CUDA_LAUNCH_BLOCKING GLOO_SOCKET_IFNAME HF_DATASETS_CACHE HF_DATASETS_OFFLINE HF_ENDPOINT HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE HF_TOKEN MLFLOW_TRACKING_URI NCCL_ALGO NCCL_CROSS_NIC NCCL_DEBUG_SUBSYS NCCL_IB_DISABLE NCCL_IB_GID_INDEX NCCL_IB_HCA NCCL_IB_TIMEOUT NCCL_NET_GDR_LEVEL NCCL_NVLS_ENABLE NCCL_P2P_DISABLE NCCL_P2P_LEVEL NCCL_PROTO NCCL_SHM_DISABLE NCCL_SOCKET_IFNAME OMP_NUM_THREADS PYTHONUNBUFFERED PYTORCH_CUDA_ALLOC_CONF TOKENIZERS_PARALLELISM TORCH_CPP_LOG_LEVEL TORCH_DISTRIBUTED_DEBUG TORCH_HOME TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_TRACE_BUFFER_SIZE TRANSFORMERS_OFFLINE WANDB_API_KEY WANDB_MODE WANDB_PROJECT)");
  CHECK(
      labels(in_job(reference + "  initializer:\n    dataset:\n      env:\n      - name: @@\n")) ==
      R"(ACCESS_KEY_ID ACCESS_TOKEN ENDPOINT IGNORE_PATTERNS REGION ROLE_ARN SECRET_ACCESS_KEY CACHE_IMAGE CLUSTER_SIZE IAM_ROLE METADATA_LOC)");
  CHECK(labels(in_job(reference + "  initializer:\n    model:\n      env:\n      - name: @@\n")) ==
        R"(ACCESS_KEY_ID ACCESS_TOKEN ENDPOINT IGNORE_PATTERNS REGION ROLE_ARN SECRET_ACCESS_KEY)");
}

TEST_CASE("known names: fields in the order in which a person writes them") {
  CHECK(
      labels("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata:\n  @@\n") ==
      R"(name namespace labels annotations generateName finalizers creationTimestamp deletionGracePeriodSeconds deletionTimestamp generation managedFields ownerReferences resourceVersion selfLink uid)");
  CHECK(labels("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nspec:\n  @@\n") ==
        R"(mlPolicy podGroupPolicy template)");
  CHECK(
      labels(
          "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nspec:\n  template:\n    "
          "spec:\n      replicatedJobs:\n      - name: node\n        template:\n          spec:\n          "
          "  template:\n              spec:\n                @@\n") ==
      R"(containers initContainers resources volumes nodeSelector tolerations activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets nodeName os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds topologySpreadConstraints)");
}

}  // namespace trainjobc::known_names_test
