// SPDX-License-Identifier: Apache-2.0

// Names that no schema lists: devices, labels, schemes of storageUri, environment variables. Those that the
// workspace uses come first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text/text.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "k8s/pod/pod.h"
#include "model/behaviours.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

using yaml::Node;

constexpr int kUsed = 0;
constexpr int kCommon = 1;
constexpr int kRare = 2;

constexpr std::string_view kUsedHere = "used in this workspace";

bool ends_with(const CursorPath& path, std::initializer_list<std::string_view> keys) {
  if (path.size() < keys.size()) return false;
  return matches({path.end() - static_cast<std::ptrdiff_t>(keys.size()), path.end()}, keys);
}

// Visits the objects of the workspace.
template <class Use>
void for_each_object(const Workspace& workspace, Use use) {
  for (const auto& objects : {workspace.jobs(), workspace.runtimes()}) {
    for (const WorkspaceObject& object : objects) use(object);
  }
}

void add_names(const std::set<std::string>& names, std::vector<KnownName>& out) {
  for (const std::string& name : names) out.push_back({name, std::string(kUsedHere), kUsed});
}

void add_unless_known(KnownName name, std::vector<KnownName>& out) {
  if (!base::contains(out, name.name, &KnownName::name)) out.push_back(std::move(name));
}

// ----- resources -----

struct WellKnown {
  std::string_view name;
  std::string_view detail;
};
constexpr std::array kResources = std::to_array<WellKnown>({{"cpu", "cores: 8, or 500m for half of one"},
                                                            {"memory", "bytes: 64Gi"},
                                                            {"ephemeral-storage", "bytes on the node's disk"},
                                                            {"hugepages-2Mi", "bytes in pages of 2 MiB"},
                                                            {"hugepages-1Gi", "bytes in pages of 1 GiB"}});
// Network devices, as the examples of device plugins name them.
constexpr std::array kNetworks =
    std::to_array<WellKnown>({{"rdma/hca_shared_devices_a", "an RDMA device that pods share"},
                              {"rdma/ib", "an InfiniBand device"},
                              {"rdma/roce", "a RoCE device"}});

void collect_devices(const Node& node, std::set<std::string>& names) {
  for (const yaml::Entry& entry : node.entries()) {
    if (entry.key != "limits" && entry.key != "requests") {
      collect_devices(*entry.value, names);
      continue;
    }
    for (const yaml::Entry& resource : entry.value->entries()) {
      if (resource.key.find('/') != std::string_view::npos) names.emplace(resource.key);
    }
  }
  for (const Node* item : node.items()) collect_devices(*item, names);
}

std::vector<KnownName> known_resources(const SuggestionContext& context) {
  std::set<std::string> used;
  for_each_object(context.workspace,
                  [&](const WorkspaceObject& object) { collect_devices(*object.object->root, used); });
  std::vector<KnownName> out;
  add_names(used, out);
  for (const WellKnown& one : kResources)
    add_unless_known({std::string(one.name), std::string(one.detail), kCommon}, out);
  for (const k8s::pod::Device& device : k8s::pod::known_devices())
    add_unless_known({fmt::format("{}/{}", device.domain, device.name), "devices", kRare}, out);
  for (const WellKnown& one : kNetworks)
    add_unless_known({std::string(one.name), std::string(one.detail), kRare}, out);
  return out;
}

// ----- labels -----

enum class Labelled { Job, Runtime, JobTemplate, Other };

struct KnownLabel {
  Labelled object;
  std::string_view key;
  std::string_view detail;
};
constexpr std::array kLabels = std::to_array<KnownLabel>({
    {Labelled::Job, model::kKueueLabel, "Kueue: the LocalQueue that admits the job"},
    {Labelled::Job, "kueue.x-k8s.io/priority-class", "Kueue: a WorkloadPriorityClass"},
    {Labelled::Runtime, model::kFrameworkLabel, "the framework, by which the SDK finds runtimes"},
    {Labelled::Runtime, model::kSupportLabel, "deprecated: Trainer warns of each job that uses it"},
    {Labelled::JobTemplate, model::kAncestorLabel, "the step of the TrainJob that it runs"},
});

Labelled labelled_at(const SuggestionContext& context, const CursorPath& labels) {
  const bool is_job = context.cursor.kind() == model::kTrainJob;
  if (matches(labels, {"metadata", "labels"})) return is_job ? Labelled::Job : Labelled::Runtime;
  return !is_job && ends_with(labels, {"replicatedJobs", "[]", "template", "metadata", "labels"})
             ? Labelled::JobTemplate
             : Labelled::Other;
}

// The labels in the metadata of the workspace's TrainJobs or runtimes, with the values of each.
std::map<std::string, std::set<std::string>> used_labels(const Workspace& workspace, Labelled object) {
  std::map<std::string, std::set<std::string>> used;
  if (object == Labelled::JobTemplate || object == Labelled::Other) return used;
  for_each_object(workspace, [&](const WorkspaceObject& one) {
    if (one.object->is_runtime() != (object == Labelled::Runtime)) return;
    const Node* labels = one.object->root->at({"metadata", "labels"});
    for (const yaml::Entry& label : labels ? labels->entries() : std::span<const yaml::Entry>())
      if (label.value->is_string()) used[std::string(label.key)].emplace(label.value->text());
  });
  return used;
}

std::vector<KnownName> known_labels(const SuggestionContext& context, Labelled object) {
  std::vector<KnownName> out;
  for (const KnownLabel& label : kLabels) {
    if (label.object == object) out.push_back({std::string(label.key), std::string(label.detail), kUsed});
  }
  for (const auto& [key, values] : used_labels(context.workspace, object))
    add_unless_known({key, std::string(kUsedHere), kCommon}, out);
  return out;
}

std::vector<KnownName> values_of_label(const SuggestionContext& context, Labelled object,
                                       std::string_view key) {
  std::vector<KnownName> out;
  if (object == Labelled::JobTemplate && key == model::kAncestorLabel) {
    for (const std::string_view step :
         {model::kTrainer, model::kDatasetInitializer, model::kModelInitializer})
      out.push_back({std::string(step), "", kCommon});
  }
  if (object == Labelled::Runtime && key == model::kSupportLabel) return {{"deprecated", "", kCommon}};
  if (object == Labelled::Runtime && key == model::kFrameworkLabel) {
    for (const policy::Plugin* plugin : policy::registry()) {
      for (const policy::FrameworkLabel& label : plugin->framework.labels)
        out.push_back({std::string(label.value), "", kCommon});
    }
    return out;
  }
  auto used = used_labels(context.workspace, object);
  std::set<std::string>& values = used[std::string(key)];
  // The value being typed here must not suggest itself.
  if (const SyntaxNode* own = context.cursor.along_path(context.cursor.path.size())) values.erase(own->text);
  add_names(values, out);
  return out;
}

// ----- storageUri -----

constexpr std::array kSchemes =
    std::to_array<WellKnown>({{"hf", "Hugging Face Hub: hf://OWNER/NAME"},
                              {"s3", "S3, or what speaks its protocol: s3://BUCKET/PATH"},
                              {"cache", "the data cache: cache://SCHEMA/TABLE"}});

std::vector<KnownName> known_schemes(const SuggestionContext& context, bool of_dataset) {
  std::vector<KnownName> out;
  const model::Behaviours* version =
      model::find_behaviours(context.workspace.schemas_of(context.document).trainer);
  const auto schemes = version ? (of_dataset ? version->dataset_schemes : version->model_schemes)
                               : std::span<const std::string_view>();
  for (const std::string_view scheme : schemes) {
    const auto known = std::ranges::find(kSchemes, scheme, &WellKnown::name);
    out.push_back({fmt::format("{}://", scheme), std::string(known != kSchemes.end() ? known->detail : "")});
  }
  return out;
}

// ----- environment variables -----

struct Variables {
  std::string_view reader;
  std::string_view framework;  // field of spec.mlPolicy; "" for all
  std::vector<std::string_view> names;
};

const std::vector<Variables>& known_variables() {
  static const std::vector<Variables> kVariables{
      {"NCCL",
       "",
       {"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_SOCKET_IFNAME", "NCCL_IB_DISABLE", "NCCL_IB_HCA",
        "NCCL_IB_GID_INDEX", "NCCL_IB_TIMEOUT", "NCCL_NET_GDR_LEVEL", "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL",
        "NCCL_SHM_DISABLE", "NCCL_ALGO", "NCCL_PROTO", "NCCL_CROSS_NIC", "NCCL_NVLS_ENABLE"}},
      {"Hugging Face's libraries",
       "",
       {"HF_TOKEN", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_DATASETS_CACHE",
        "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE", "TOKENIZERS_PARALLELISM"}},
      {"PyTorch",
       "torch",
       {"PYTORCH_CUDA_ALLOC_CONF", "TORCH_DISTRIBUTED_DEBUG", "TORCH_CPP_LOG_LEVEL", "TORCH_HOME",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_TRACE_BUFFER_SIZE", "GLOO_SOCKET_IFNAME"}},
      {"JAX", "jax", {"XLA_FLAGS", "XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE"}},
      {"OpenMP", "", {"OMP_NUM_THREADS"}},
      {"CUDA", "", {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_LAUNCH_BLOCKING"}},
      {"Python", "", {"PYTHONUNBUFFERED"}},
      {"Weights & Biases", "", {"WANDB_API_KEY", "WANDB_MODE", "WANDB_PROJECT"}},
      {"MLflow", "", {"MLFLOW_TRACKING_URI"}},
  };
  return kVariables;
}

// Variables that the initializers' images read, besides STORAGE_URI.
constexpr std::array<std::string_view, 7> kInitializerVariables{
    "ACCESS_TOKEN",  "IGNORE_PATTERNS",   "ENDPOINT", "REGION",
    "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "ROLE_ARN"};
constexpr std::array<std::string_view, 4> kCacheVariables{"METADATA_LOC", "CLUSTER_SIZE", "CACHE_IMAGE",
                                                          "IAM_ROLE"};

// spec.mlPolicy of the runtime at the cursor, or of the runtime of the TrainJob there. `memory` keeps it
// alive.
const Node* policy_at(const SuggestionContext& context, std::optional<FoundRuntime>& memory) {
  memory = runtime_of(context.workspace, context.document, context.cursor);
  return memory ? memory->root->at({"spec", "mlPolicy"}) : nullptr;
}

void add_variables(std::span<const std::string_view> names, std::string_view reader, int order,
                   std::vector<KnownName>& out) {
  for (const std::string_view name : names)
    out.push_back({std::string(name), fmt::format("read by {}", reader), order});
}

// Removes the names that the list already has.
void remove_present(const SuggestionContext& context, std::vector<KnownName>& out) {
  const Cursor& cursor = context.cursor;
  const SyntaxNode* list = cursor.along_path(cursor.path.size() - 2);
  for (const SyntaxEntry& item : entries_of(list)) {
    const SyntaxNode* name = item.value.get("name");
    if (name && name->begin != cursor.begin)
      std::erase_if(out, [&](const KnownName& known) { return known.name == name->text; });
  }
}

std::vector<KnownName> known_env(const SuggestionContext& context) {
  std::vector<KnownName> out;
  if (const CursorPath& path = context.cursor.path; path.size() > 2 && path[1].key == "initializer") {
    add_variables(kInitializerVariables, "the initializer", kUsed, out);
    if (path[2].key == "dataset") add_variables(kCacheVariables, "the data cache", kCommon, out);
  } else {
    std::optional<FoundRuntime> runtime;
    const Node* policy = policy_at(context, runtime);
    for (const policy::Plugin* plugin : policy::registry()) {
      const policy::Framework& framework = plugin->framework;
      if (policy && !framework.field.empty() && policy->get(framework.field))
        add_variables(framework.settings, framework.title, kUsed, out);
    }
    for (const Variables& known : known_variables()) {
      if (known.framework.empty() || !policy || policy->get(known.framework))
        add_variables(known.names, known.reader, kCommon, out);
    }
  }
  remove_present(context, out);
  return out;
}

}  // namespace

std::vector<KnownName> known_keys(const SuggestionContext& context, const CursorPath& map) {
  if (map.empty()) return {};
  const schema::Schema* schema = context.schema_at(map);
  const bool is_amounts = schema && schema->additional && schema->additional->quantity;
  if (is_amounts && (map.back().key == "limits" || map.back().key == "requests"))
    return known_resources(context);
  if (ends_with(map, {"metadata", "labels"})) return known_labels(context, labelled_at(context, map));
  return {};
}

std::vector<KnownName> known_values(const SuggestionContext& context) {
  const CursorPath& path = context.cursor.path;
  if (path.empty()) return {};
  if (matches(path, {"spec", "initializer", "dataset", "storageUri"})) return known_schemes(context, true);
  if (matches(path, {"spec", "initializer", "model", "storageUri"})) return known_schemes(context, false);
  if (ends_with(path, {"env", "[]", "name"})) return known_env(context);
  const CursorPath map(path.begin(), path.end() - 1);
  if (ends_with(map, {"metadata", "labels"}))
    return values_of_label(context, labelled_at(context, map), path.back().key);
  return {};
}

}  // namespace trainjobc::lsp
