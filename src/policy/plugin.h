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
  base::Diagnostic& error(std::string_view rule, std::string field, std::string message,
                          const yaml::Node* where, std::string hint = "");
  base::Diagnostic& warning(std::string_view rule, std::string field, std::string message,
                            const yaml::Node* where, std::string hint = "");
  bool has_errors() const;

  // Moves everything found to the diagnostics, under this object.
  void flush(const std::string& object);

 private:
  base::Diagnostic& add(base::Severity severity, base::Stage stage, std::string_view rule, std::string field,
                        std::string message, const yaml::Node* where, std::string hint);
  base::Diagnostics* out_;
  std::vector<base::Diagnostic> found_;
};

struct PluginContext {
  RuntimeInfo& info;
  const yaml::Maker& make;
  const PolicyOptions& options;
  Findings& findings;
};

struct Plugin {
  std::string_view name;
  // The webhook's rules (Validate); nullptr where there are none.
  void (*validate)(PluginContext&) = nullptr;
  // EnforceMLPolicy or EnforcePodGroupPolicy: changes the pod sets.
  void (*expand)(PluginContext&) = nullptr;
  // Objects beside the JobSet: Secret, ConfigMaps, PodGroup.
  void (*build)(PluginContext&, NodeList& objects) = nullptr;
};

// In the order in which they run. The controller runs its plugins in Go's random map order; this order is the
// one that gives what its results have in common: the user's env first, then each framework's.
std::span<const Plugin> registry();

}  // namespace trainjobc::policy
