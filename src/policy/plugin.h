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
};

// What plugins say about a TrainJob; the caller adds object and stage.
class Findings {
 public:
  explicit Findings(base::Diagnostics& out) : out_(&out) {}

  // `field` as the webhook names it; points at `where` (its key or value), or at nothing if that is nullptr.
  base::Diagnostic& add(std::string_view rule, std::string field, std::string message,
                        const yaml::Node* where, std::string hint = "");
  bool has_errors() const;

  // Moves everything found to the diagnostics, under this object.
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

// An object that a plugin creates beside the JobSet. Its name is the TrainJob's with a suffix.
struct OwnedObject {
  enum class Content {
    Computed,      // the same for the same inputs
    Scripts,       // the same for the same inputs, but with different text than Trainer's
    SshKey,        // different each time; any of them works
    FromOwnerUid,  // computed from the TrainJob's uid, which only an object in the cluster has
  };
  std::string_view kind;
  std::string_view suffix;
  Content content = Content::Computed;

  std::string name_for(std::string_view job_name) const { return std::string(job_name).append(suffix); }
  std::string_view job_of(std::string_view name) const { return name.substr(0, name.size() - suffix.size()); }
  // Whether an object of this kind and name may be one of these.
  bool matches(std::string_view object_kind, std::string_view name) const {
    return object_kind == kind && name.ends_with(suffix);
  }
};

// A value of the framework label, by which the Kubeflow SDK finds runtimes.
struct FrameworkLabel {
  std::string_view value;
  std::string_view name_prefix;  // of the runtimes that it is for; "" for all others
};

// An implementation of MPI, and the variables by which its launcher learns what it needs; "" if it has none
// for that.
struct MpiImplementation {
  std::string_view name;                  // spec.mlPolicy.mpi.mpiImplementation
  std::span<const std::string_view> env;  // all variables below
  std::string_view hostfile;              // path of the hostfile
  std::string_view keeps_domains;         // "true": hosts keep their full names
  std::string_view slots;                 // processes per node
  std::string_view ssh_arguments;
  std::string_view interface;       // of the launcher's own address
  std::string_view slot_separator;  // between a host and its slots in the hostfile

  // Hydra is the launcher of MPICH and Intel MPI. Without an interface, its nodes call back at its host name,
  // which they can't resolve; in the hostfile, it recognizes itself by its host name only.
  bool is_hydra() const { return !interface.empty(); }
};

// What the rest of the program needs to know about a framework.
struct Framework {
  bool (*is_used)(const RuntimeInfo&) = nullptr;  // whether a runtime is for it
  std::string_view field;                         // of spec.mlPolicy: "jax"
  std::string_view title;                         // in messages: "JAX"
  std::span<const FrameworkLabel> labels;         // empty if the policy does not determine the label

  std::span<const std::string_view> env;  // the variables that it sets in containers that train
  // Those that it sets for a runtime of a dialect, if they differ; otherwise nullptr.
  std::span<const std::string_view> (*dialect_env)(const RuntimeInfo&) = nullptr;
  std::string_view merged_env;  // the one of these that keeps its value from the inputs; "" if none
  bool reserves_env = false;    // the webhook refuses those of `env` in spec.trainer.env
  std::string_view env_family;  // what they have in common, in messages: "JAX_*"
  std::string_view env_reader;  // who reads them, in messages: "jax.distributed"; "" if they are always set
  std::span<const std::string_view> settings;  // variables of spec.trainer.env that the plugin itself reads

  // Of these, the variables with the number of nodes, of processes, with the node's rank, and with the first
  // node's port; "" if none has it.
  std::string_view nodes;
  std::string_view processes;
  // That of a runtime of a dialect, if it differs; otherwise nullptr.
  std::string_view (*dialect_processes)(const RuntimeInfo&) = nullptr;
  std::string_view rank;
  std::string_view port;
  std::string_view address;         // the variable or setting with the first node's address
  bool processes_per_node = false;  // `processes` counts those of a node, otherwise those of the job
  // Variables with more arguments for ssh, of some launchers.
  std::span<const std::string_view> ssh_arguments;
  std::span<const MpiImplementation> other_implementations;  // that Trainer does not set up
  // A container starts several processes, with one of launchers/programs.yaml; otherwise it is one.
  bool has_launchers = false;

  bool sets_job = false;       // takes numNodes and the job's env itself; otherwise PlainML does
  bool has_processes = false;  // numProcPerNode of the policy and of spec.trainer has an effect
  bool counts_gpus = false;    // each GPU of a node is one of `processes`
  bool opens_port = false;     // on containers that train: the port that the other nodes connect to
};

struct Plugin {
  std::string_view name;
  Framework framework;                   // empty if the plugin is not for a framework
  std::span<const OwnedObject> objects;  // what `build` creates; a PodGroup has the TrainJob's own name
  // The webhook's rules (Validate); nullptr if there are none.
  void (*validate)(PluginContext&) = nullptr;
  // EnforceMLPolicy or EnforcePodGroupPolicy: changes the pod sets.
  void (*expand)(PluginContext&) = nullptr;
  // Objects beside the JobSet: Secret, ConfigMaps, PodGroup.
  void (*build)(PluginContext&, NodeList& objects) = nullptr;
};

// In the order in which they run. The controller runs its plugins in Go's random map order; this order is the
// one that gives what its results have in common: the user's env first, then each framework's.
std::span<const Plugin* const> registry();

// The framework of a runtime; nullptr if it has none.
const Framework* framework_of(const RuntimeInfo& info);

// The framework label of such a runtime; "" if the policy does not determine it.
std::string_view label_of(const Framework& framework, const RuntimeInfo& info);

// The variables that the framework sets for this runtime.
std::span<const std::string_view> env_of(const Framework& framework, const RuntimeInfo& info);

// The one of them with the number of processes; "" if none has it.
std::string_view processes_of(const Framework& framework, const RuntimeInfo& info);

// Their titles: "torch, MPI and Flux".
std::string frameworks_with_processes();

// The plugins' object with this kind and a name of its form; nullptr if no plugin creates such an object.
const OwnedObject* find_owned_object(std::string_view kind, std::string_view name);

// Whether it is a plugin's object with that content.
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
