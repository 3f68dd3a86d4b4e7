// SPDX-License-Identifier: Apache-2.0

// The differences between Trainer versions other than schemas and defaults: one row of named behaviours per
// version. No other code compares versions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainjobc::model {

// How a TrainJob changes its runtime's template.
enum class OverrideStyle : uint8_t {
  PodSpecs,      // spec.podSpecOverrides, merged into the pod spec of each target job
  PodTemplates,  // spec.podTemplateOverrides, merged into the pod template of each target job
  JobTemplates,  // spec.runtimePatches, merged into the Job template of each replicatedJob they name
  JobSets,       // spec.runtimePatches, merged into the whole JobSet spec
};

// What spec.trainer.resourcesPerNode does to the resources of the container `node`.
enum class NodeResourcesStyle : uint8_t {
  Replace,      // limits and requests together replace those of the runtime
  MergePerKey,  // each resource on its own; ignored if the runtime has no mlPolicy
};

// Which requests of the container `node` a PodGroup's minResources count.
enum class GangRequests : uint8_t {
  Runtime,   // those of the runtime; the job's don't count
  Job,       // those of resourcesPerNode, for trainers of a runtime with mlPolicy
  Rendered,  // those of the rendered JobSet
};

// How the number of torchrun's processes per node is determined if none is given.
enum class TorchProcesses : uint8_t {
  JobResources,   // only resourcesPerNode: limits before requests, 1 if it has no requests
  NodeResources,  // the node's resources: "auto" with GPUs, otherwise its CPUs; requests before limits
};

// Which arguments turn a torchtune job into a QLoRA one.
enum class QloraSwitch : uint8_t {
  Mentioned,  // quantize_base in any form, unless there is use_dora in any form
  True,       // quantize_base=True, unless use_dora=True
};

// Whose number of processes per node the Flux webhook checks; none if the schema has refused it before.
enum class FluxProcesses : uint8_t { None, Runtime, JobThenRuntime };

struct TorchBehaviour {
  TorchProcesses processes = TorchProcesses::NodeResources;
  bool always_checked = true;  // false: checked only if the job sets numProcPerNode
};

struct TorchtuneBehaviour {
  std::span<const std::string_view> models;  // models that have recipes
  std::span<const std::string_view>
      settings;                  // settings in the runtime's command that survive when it is rewritten
  bool needs_num_nodes = false;  // the webhook crashes on a job without numNodes
  bool counts_gpus = true;       // one GPU means a single device; false: only numProcPerNode 1 does
  bool has_lora = true;          // there are recipes of LoRA and QLoRA
  QloraSwitch qlora = QloraSwitch::True;
  bool refuses_multi_node_lora = true;  // false: silently runs a full fine-tuning
  bool refuses_settings = true;         // settings in the job's args
};

struct MpiBehaviour {
  bool slots_from_gpus = true;       // a numProcPerNode of 1 in the runtime means one slot per GPU
  bool launched_node_trains = true;  // with runLauncherAsNode, `node` also gets the job's env and resources
  bool reserves_env = true;          // false: the job's own values win
  bool key_has_modes = true;         // the volume of the SSH key sets file modes
  bool hosts_every_replica = true;   // false: the hostfile lists replica 0 only
  bool launcher_has_one_replica = false;  // the webhook requires it, whatever the labels are
};

struct FluxBehaviour {
  FluxProcesses checked_processes = FluxProcesses::JobThenRuntime;
  bool wraps_runtime_command = true;  // for a job without a command; false: wraps an empty one
  bool shares_memory = true;          // there is an in-memory volume at /dev/shm
  bool counts_resources = true;       // Flux is told the cores and GPUs; false: it detects them on its node
};

struct Behaviours {
  std::string_view trainer;  // "2.3"
  std::string_view jobset;   // the JobSet release that it uses: "0.12"
  // What is compiled for before its release, in words: "Trainer's main at …". "" for a release.
  std::string_view preview;
  std::span<const std::string_view> feature_gates;  // those that change what the controller creates

  OverrideStyle overrides = OverrideStyle::JobSets;
  bool one_override_per_job = false;  // a replicatedJob is the target of at most one override
  bool overrides_add_jobs = true;     // false: a target that the runtime does not have is refused

  NodeResourcesStyle node_resources = NodeResourcesStyle::MergePerKey;
  GangRequests gang_requests = GangRequests::Rendered;
  bool first_trainer_counts = false;     // all trainers get the pod count of the first
  bool rebuilds_init_containers = true;  // upserts their env, ports and mounts as in containers

  TorchBehaviour torch;
  TorchtuneBehaviour torchtune;
  MpiBehaviour mpi;
  FluxBehaviour flux;
  // The schemes of storageUri that the release's initializers can fetch.
  std::span<const std::string_view> dataset_schemes;
  std::span<const std::string_view> model_schemes;
  bool jax_needs_trainer = false;  // the controller crashes on a JAX runtime without a trainer

  bool any_policy_labels_pods = false;  // `podGroupPolicy: {}` is enough for the pod-group label

  bool webhook_checks_name = false;      // checks metadata.name; otherwise the schema does
  bool initializer_needs_mount = true;   // requires a mount of the volume `initializer`
  bool ancestor_needs_container = true;  // a job with an ancestor label must have the corresponding container
  bool warns_of_deprecated_runtimes = true;  // warns of cluster-scoped ones
  bool rewrites_jobs = true;                 // its mutating webhook decodes and encodes TrainJobs
  bool runtimes_opt_out = true;              // a label excludes a runtime from the validating webhook
  bool heeds_managed_by = true;              // creates nothing for a TrainJob that another controller manages
  bool takes_snapshots = true;               // of a job's runtime, when it first reconciles the job
  // A job that failed, or completed, runs again after a TTL has deleted its JobSet. Trainer 2.3.0 still does
  // so.
  bool repeats_failed_jobs = true;
  bool repeats_completed_jobs = false;
  bool coordinator_is_label = true;  // the coordinator's address must be a valid label value
};

// Every version that trainjobc compiles for, oldest first; previews come after the releases.
std::span<const Behaviours> all_behaviours();
// The rows of releases, among which `auto` chooses.
std::span<const Behaviours> released_behaviours();
const Behaviours* find_behaviours(std::string_view trainer);
// The row of the newest release.
const Behaviours& newest_behaviours();
// For a preview, a warning that says what it is a preview of; "" for a release.
std::string preview_note(std::string_view trainer);

// Trainer versions as people write them.

// The values of flags for a Trainer version: "2.0", … "2.4-preview".
std::vector<std::string> trainer_versions();

// "2.3" for 2.3, v2.3, 2.3.0 or v2.3.1; "auto" for auto. nullopt for anything but a known version.
std::optional<std::string> read_trainer_version(std::string_view text);

// The feature gates of Trainer's controller that change what it creates.
std::vector<std::string_view> known_feature_gates();

// Adds gates to those that are on, or removes them, as a text such as "A=true,B=false" says; A alone means
// A=true. Returns what is wrong with the text; "" if nothing is.
std::string read_feature_gates(std::string_view text, std::vector<std::string>& on);

}  // namespace trainjobc::model
