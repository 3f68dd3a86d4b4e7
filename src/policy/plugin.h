// SPDX-License-Identifier: Apache-2.0

// Plugin: one policy of Kubeflow Trainer. The registry is the only list of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "policy/runtime_info.h"
#include "rules/rules.h"
#include "yaml/node.h"

namespace trainjobc::policy {

// Where the MPI SSH key comes from.
enum class SshKeySource { Generate, Omit, File, Seed };

struct SshKeyOptions {
  SshKeySource source = SshKeySource::Generate;
  std::string material;  // the text of the key file or the bytes of the seed file; never printed
};

enum class TorchrunStyle { Env, Flags };

struct PolicyOptions {
  SshKeyOptions ssh_key;
  TorchrunStyle torchrun = TorchrunStyle::Env;
  std::vector<std::string> feature_gates;  // of Trainer's controller that are on: "TrainJobStatus"
};

// What plugins report about a TrainJob; the caller adds object and stage.
class Findings {
 public:
  explicit Findings(base::Diagnostics& out) : out_(&out) {}

  // `field` as the webhook names it. The finding points at `where` (its key or value); nullptr for no place.
  base::Diagnostic& add(std::string_view rule, std::string field, std::string message,
                        const yaml::Node* where, std::string hint = "");
  bool has_errors() const;

  // Moves all findings to the diagnostics, as those of this object.
  void flush(const std::string& object);

 private:
  base::Diagnostics* out_;
  std::vector<base::Diagnostic> found_;
};

struct PluginContext {
  RuntimeInfo& info;
  const yaml::Maker& make;
  const PolicyOptions& options;
  Findings& findings;
};

// An object that a plugin creates beside the JobSet. Its name is the TrainJob's, with a suffix.
struct OwnedObject {
  enum class Content {
    Computed,        // the same for the same inputs
    Scripts,         // the same for the same inputs, but with different text than Trainer's
    SshKey,          // different each time; any of them works
    FromController,  // of the controller's own certificate, which only the cluster has
    FromOwnerUid,    // computed from the TrainJob's uid, which only an object in the cluster has
  };
  std::string_view kind;
  std::string_view suffix;
  Content content = Content::Computed;

  std::string name_for(std::string_view job_name) const { return std::string(job_name).append(suffix); }
  std::string_view job_of(std::string_view name) const { return name.substr(0, name.size() - suffix.size()); }
  // Whether an object of this kind and name may be this one.
  bool matches(std::string_view object_kind, std::string_view name) const {
    return object_kind == kind && name.ends_with(suffix);
  }
};

// A value of the framework label, by which the Kubeflow SDK finds runtimes.
struct FrameworkLabel {
  std::string_view value;
  std::string_view name_prefix;  // of the runtimes that get this label; "" for all others
};

// An implementation of MPI, with the variables that tell its launcher what it needs; "" for one that it
// lacks.
struct MpiImplementation {
  std::string_view name;                  // spec.mlPolicy.mpi.mpiImplementation
  std::span<const std::string_view> env;  // all variables below
  std::string_view hostfile;              // path of the hostfile
  std::string_view keeps_domains;         // "true": hosts keep their full names
  std::string_view slots;                 // processes per node
  std::string_view ssh_arguments;
  std::string_view interface;       // with the launcher's network interface
  std::string_view slot_separator;  // a character: separates a host from its slots in the hostfile

  // Hydra is the launcher of MPICH and Intel MPI. Without an interface, its nodes call back at its host name,
  // which they can't resolve; in the hostfile, it recognizes itself only by its host name.
  bool is_hydra() const { return !interface.empty(); }
};

// What the rest of the program needs to know about a framework.
struct Framework {
  bool (*is_used)(const RuntimeInfo&) = nullptr;  // whether it applies to a runtime
  std::string_view field;                         // the field of spec.mlPolicy: "jax"
  std::string_view title;                         // the name in messages: "JAX"
  std::span<const FrameworkLabel> labels;         // empty if the policy does not determine the label

  std::span<const std::string_view> env;  // the variables that it sets in training containers
  // The variables that it sets for a runtime of a dialect; nullptr if they are the same.
  std::span<const std::string_view> (*dialect_env)(const RuntimeInfo&) = nullptr;
  std::string_view merged_env;  // the variable in `env` that keeps its value from the inputs; "" if none
  bool reserves_env = false;    // the webhook refuses variables of `env` in spec.trainer.env
  std::string_view env_family;  // their common pattern, for messages: "JAX_*"
  std::string_view env_reader;  // who reads them, for messages: "jax.distributed"; "" if they are always set
  std::span<const std::string_view> settings;  // variables of spec.trainer.env that the plugin itself reads

  // The variables of `env` with the number of nodes, the number of processes, the node's rank, and the first
  // node's port; "" if there is none.
  std::string_view nodes;
  std::string_view processes;
  // Returns `processes` for a runtime of a dialect; nullptr if it is the same.
  std::string_view (*dialect_processes)(const RuntimeInfo&) = nullptr;
  std::string_view rank;
  std::string_view port;
  std::string_view address;         // the variable or setting with the first node's address
  bool processes_per_node = false;  // whether `processes` counts a node's processes, or the job's
  // Variables in which some launchers take more arguments for ssh.
  std::span<const std::string_view> ssh_arguments;
  std::span<const MpiImplementation> other_implementations;  // implementations that Trainer does not set up
  // Whether a container starts several processes, with a program of launchers/programs.yaml, or is one
  // process.
  bool has_launchers = false;

  bool sets_job = false;       // whether it takes numNodes and the job's env itself, instead of PlainML
  bool has_processes = false;  // whether numProcPerNode of the policy and of spec.trainer has an effect
  bool counts_gpus = false;    // whether each GPU of a node is one of `processes`
  bool opens_port = false;     // whether training containers open a port to which the other nodes connect
};

struct Plugin {
  std::string_view name;
  Framework framework;                   // empty if the plugin is not a framework's
  std::span<const OwnedObject> objects;  // what `build` creates; a PodGroup has the TrainJob's own name
  // The feature gate without which the plugin does nothing, and the names of the variables and volumes that
  // it adds.
  std::string_view gate;
  std::span<const std::string_view> added_names;
  // The webhook's rules (Validate); nullptr if there are none.
  void (*validate)(PluginContext&) = nullptr;
  // EnforceMLPolicy or EnforcePodGroupPolicy: changes the pod sets.
  void (*expand)(PluginContext&) = nullptr;
  // Objects beside the JobSet: Secret, ConfigMaps, PodGroup.
  void (*build)(PluginContext&, NodeList& objects) = nullptr;
};

// The plugins in the order in which they run. The controller runs its own in Go's random map order; this
// order gives what all its results have in common: the user's env first, then each framework's.
std::span<const Plugin* const> registry();

// The feature gate of the plugin that adds variables and volumes of these names; "" if none does.
std::string_view gate_of_name(std::string_view name);

// The framework of a runtime; nullptr if it has none.
const Framework* framework_of(const RuntimeInfo& info);

// The framework label of a runtime with this framework; "" if the policy does not determine it.
std::string_view label_of(const Framework& framework, const RuntimeInfo& info);

// The variables that the framework sets for this runtime.
std::span<const std::string_view> env_of(const Framework& framework, const RuntimeInfo& info);

// Which of them has the number of processes; "" if none has.
std::string_view processes_of(const Framework& framework, const RuntimeInfo& info);

// The titles of the frameworks for which numProcPerNode has an effect: "torch, MPI and Flux".
std::string frameworks_with_processes();

// The plugins' object of this kind, with a name of its form; nullptr if no plugin creates one.
const OwnedObject* find_owned_object(std::string_view kind, std::string_view name);

// Whether a plugin creates such an object, with that content.
bool has_content(OwnedObject::Content content, std::string_view kind, std::string_view name);

// The explanations of rules, with what they say about plugins.

// The text for a placeholder of an explanation, read from the plugins' descriptors. nullopt if it is
// unknown.
//   plugins.labels           the framework labels: "torch, jax"
//   plugins.with_processes   the frameworks for which numProcPerNode has an effect: "torch, MPI and Flux"
//   plugins.reserved_env     "A and B for torch; C for MPI"
//   NAME.env_family          of the plugin of that name: "PET_*"
//   NAME.settings            "A, B and C"
std::optional<std::string> plugin_fact(std::string_view placeholder);

}  // namespace trainjobc::policy
