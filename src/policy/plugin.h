// Plugin: one policy of Kubeflow Trainer. The registry is the only list of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "policy/runtime_info.h"
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

  // `field` as the webhook names it; points at `where` (its key or value), or nowhere where that is nullptr.
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

// An object that a plugin makes beside the JobSet, called like the TrainJob with a suffix.
struct OwnedObject {
  enum class Content {
    Computed,      // the same for the same inputs
    Scripts,       // the same for the same inputs, but Trainer words them differently
    SshKey,        // another one each time, and each as good as the other
    FromOwnerUid,  // computed from the TrainJob's uid, which only an object of the cluster has
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

// What the rest of the program has to know of a framework.
struct Framework {
  // Whether a runtime is for it.
  bool (*is_used)(const RuntimeInfo&) = nullptr;
  // What the framework label of such a runtime says; nullptr if that doesn't follow from the policy.
  std::string_view (*label)(const RuntimeInfo&) = nullptr;
  std::string_view title;                 // in messages: "JAX"
  std::span<const std::string_view> env;  // the variables that it sets in containers that train
  std::string_view env_family;            // what they have in common, in messages: "JAX_*"
  std::string_view env_reader;            // who reads them, in messages: "jax.distributed"
  std::string_view processes;  // the variable with the number of processes, of a node or the job; "" for none
  std::string_view address;    // the variable, or what else, that holds the first node's address; "" for none
  std::span<const std::string_view> settings;  // variables of spec.trainer.env that the plugin reads itself
};

struct Plugin {
  std::string_view name;
  Framework framework;                   // all empty if the plugin is for none
  std::span<const OwnedObject> objects;  // that `build` makes; a PodGroup has the TrainJob's own name
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

// The object of some plugin that has this kind and a name of that form; nullptr if no plugin makes such.
const OwnedObject* find_owned_object(std::string_view kind, std::string_view name);

// Whether such an object has that content.
bool has_content(OwnedObject::Content content, std::string_view kind, std::string_view name);

}  // namespace trainjobc::policy
