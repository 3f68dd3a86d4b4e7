// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/shared_runtime.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "policy/plugins.h"
#include "yaml/changes.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::array<std::string_view, 5> kOfTrainer{"image", "command", "args", "env", "resources"};
// Variables that tell an MPI pod its role.
constexpr std::array<std::string_view, 3> kOfMpiPod{"K_MPI_JOB_ROLE", "NVIDIA_VISIBLE_DEVICES",
                                                    "NVIDIA_DRIVER_CAPABILITIES"};

// Whether the variable tells an MPI pod its role, or how it reaches the others.
bool is_of_mpi_pod(std::string_view variable) {
  const auto arguments = policy::mpi::kPlugin.framework.ssh_arguments;
  const auto others = policy::mpi::kPlugin.framework.other_implementations;
  const auto is_its = [&](const policy::MpiImplementation& other) {
    return variable == other.hostfile || variable == other.slots || variable == other.interface;
  };
  if (std::ranges::any_of(others, is_its)) return true;
  return variable == kOpenMpiAgent || base::contains(arguments, variable) ||
         base::contains(kOfMpiPod, variable);
}

const schema::Schema* inner(const schema::Schema* schema, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) {
    const schema::Property* property = schema ? schema->property(key) : nullptr;
    schema = property ? property->schema : nullptr;
    while (schema && schema->type == schema::Type::Array) schema = schema->items;
  }
  return schema;
}

// Whether omitting the field means the same. For a number 0 and most booleans it does not, since their
// defaults are other values.
bool is_unset(const Entry& entry) {
  constexpr std::array<std::string_view, 6> kFalse{"hostIPC", "hostNetwork", "hostPID",
                                                   "stdin",   "stdinOnce",   "tty"};
  const Node& value = *entry.value;
  if (value.kind() == yaml::Kind::Bool) return value.is_empty_value() && base::contains(kFalse, entry.key);
  return value.kind() != yaml::Kind::Int && value.is_empty_value();
}

class Splitter {
 public:
  Splitter(const Node& spec, const schema::Schema& train_job, const Maker& make, RuntimeUse use)
      : spec_(spec),
        make_(make),
        is_mpi_(spec.at({"mlPolicy", "mpi"}) != nullptr),
        keeps_group_(is_mpi_ && use == RuntimeUse::New),
        launcher_trains_(yaml::is_true_at(spec, {"mlPolicy", "mpi", "runLauncherAsNode"})),
        patch_(inner(&train_job, {"spec", "runtimePatches", "trainingRuntimeSpec", "template", "spec",
                                  "replicatedJobs", "template", "spec", "template", "spec"})) {}

  SplitRuntime run() {
    SplitRuntime result;
    NodeList jobs;
    for (const Node* job : yaml::items_at(spec_, {"template", "spec", "replicatedJobs"})) {
      RoleSettings settings{.job = yaml::text_at(*job, "name"),
                            .trains = model::ancestor_of(*job) == model::kTrainer,
                            .trainer = {},
                            .container = {},
                            .pod = {}};
      const Node* pod = job->at({"template", "spec", "template"});
      if (pod && pod->is_map())
        job = make_.with_path(job, {"template", "spec", "template"}, rest_of_pod(*pod, settings));
      const Node* replicas = job->get("replicas");
      if (replicas && replicas->as_int() == 1) job = make_.with(job, "replicas", nullptr);
      jobs.push_back(job);
      result.settings.push_back(std::move(settings));
    }
    const Node* given = spec_.at({"template", "spec", "replicatedJobs"});
    result.rest = without_defaults(
        make_.with_path(&spec_, {"template", "spec", "replicatedJobs"}, make_.with_items(given, jobs)));
    return result;
  }

 private:
  const Node* without_defaults(const Node* rest) const {
    const Node* policy = rest->get("mlPolicy");
    if (policy && policy->is_map()) {
      policy = make_.with(policy, "numNodes", nullptr);
      if (const Node* mpi = policy->get("mpi"); mpi && mpi->is_map())
        policy = make_.with(policy, "mpi", make_.with(mpi, "numProcPerNode", nullptr));
    }
    rest = make_.with(rest, "mlPolicy", policy && policy->size() > 0 ? policy : nullptr);
    const Node* network = rest->at({"template", "spec", "network"});
    if (network && network->size() == 1 && yaml::is_true_at(*network, "publishNotReadyAddresses"))
      rest = make_.with_path(rest, {"template", "spec", "network"}, nullptr);
    return rest;
  }

  const Node* rest_of_pod(const Node& pod, RoleSettings& settings) const {
    const Node* rest = &pod;
    if (const Node* metadata = pod.get("metadata"); metadata && metadata->size() > 0) {
      settings.metadata = metadata;
      rest = make_.with(rest, "metadata", nullptr);
    }
    const Node* spec = pod.get("spec");
    if (!spec || !spec->is_map()) return rest;
    return make_.with(rest, "spec", rest_of_spec(*spec, settings));
  }

  const Node* rest_of_spec(const Node& spec, RoleSettings& settings) const {
    const std::set<std::string_view> mounted = mounted_elsewhere(spec);
    Entries kept;
    for (const Entry& entry : spec.entries()) {
      if (entry.key == "containers") {
        kept.push_back({entry.key, rest_of_containers(*entry.value, settings), entry.key_origin});
      } else if (entry.key == "initContainers" || !patch_ || !patch_->property(entry.key) ||
                 (keeps_group_ && entry.key == "securityContext")) {
        kept.push_back(entry);
      } else if (entry.key == "volumes") {
        split_volumes(entry, mounted, kept, settings);
      } else if (!is_unset(entry)) {
        settings.pod.push_back(entry);
      }
    }
    return make_.map(kept, spec.origin());
  }

  // The volumes that are used by containers which a TrainJob does not configure.
  static std::set<std::string_view> mounted_elsewhere(const Node& spec) {
    std::set<std::string_view> names;
    const auto collect = [&](const Node& container, std::string_view key) {
      for (const Node* mount : yaml::items_at(container, key)) names.insert(yaml::text_at(*mount, "name"));
    };
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const Node* container : yaml::items_at(spec, list)) {
        collect(*container, "volumeDevices");
        const Node* mounts = container->get("volumeMounts");
        if (list == "initContainers" || yaml::text_at(*container, "name") != model::kNode ||
            (mounts && has_twice(*mounts)))
          collect(*container, "volumeMounts");
      }
    }
    return names;
  }

  void split_volumes(const Entry& volumes, const std::set<std::string_view>& mounted, Entries& kept,
                     RoleSettings& settings) const {
    NodeList stay;
    NodeList go;
    for (const Node* volume : volumes.value->items())
      (mounted.contains(yaml::text_at(*volume, "name")) ? stay : go).push_back(volume);
    if (go.empty() || stay.empty()) {
      if (volumes.value->size() > 0) (go.empty() ? kept : settings.pod).push_back(volumes);
      return;
    }
    kept.push_back({volumes.key, make_.list(stay), volumes.key_origin});
    settings.pod.push_back({volumes.key, make_.list(go, volumes.value->origin()), volumes.key_origin});
  }

  const Node* rest_of_containers(const Node& containers, RoleSettings& settings) const {
    yaml::ChangedList rest(containers);
    for (const Node* container : containers.items()) {
      const bool is_node = yaml::text_at(*container, "name") == model::kNode;
      rest.take(is_node && container->is_map() ? rest_of_container(*container, settings) : container);
    }
    return rest.node(make_);
  }

  bool is_for_trainer(const Entry& entry, const RoleSettings& settings) const {
    if (!settings.trains || !base::contains(kOfTrainer, entry.key)) return false;
    // An MPI TrainJob's settings reach either only the launcher or all pods, so these stay in the runtime.
    if (is_mpi_ && (entry.key == "image" || entry.key == "resources")) return false;
    if (is_mpi_ && launcher_trains_ && entry.key == "env") return false;
    return entry.key != "resources" || !entry.value->get("claims");
  }

  const Node* rest_of_container(const Node& container, RoleSettings& settings) const {
    const schema::Schema* patch = inner(patch_, {"containers"});
    Entries kept;
    for (const Entry& entry : container.entries()) {
      const bool is_patched =
          entry.key != "name" && entry.key != "env" && patch && patch->property(entry.key);
      if (is_for_trainer(entry, settings)) {
        if (entry.key == "env" && is_mpi_) {
          split_env(entry, kept, settings);
        } else if (entry.value->size() > 0 || entry.value->is_scalar()) {
          settings.trainer.push_back(entry);
        }
      } else if (is_patched && entry.key == "volumeMounts" && has_twice(*entry.value)) {
        kept.push_back(entry);
      } else if (is_patched && entry.key == "volumeMounts" && is_mpi_) {
        split_mounts(entry, kept, settings);
      } else if (is_patched) {
        if (!is_unset(entry)) settings.container.push_back(entry);
      } else {
        kept.push_back(entry);
      }
    }
    return make_.map(kept, container.origin());
  }

  static bool is_own_volume(std::string_view name) { return name == kRootKeyVolume || name == kHydraVolume; }

  // Whether a volume is mounted twice: a patch can name each volume only once.
  static bool has_twice(const Node& mounts) {
    std::set<std::string_view> names;
    return std::ranges::any_of(mounts.items(), [&](const Node* mount) {
      return !names.insert(yaml::text_at(*mount, "name")).second;
    });
  }

  // Mounts of the copied key and of the converted hostfile stay in the runtime.
  void split_mounts(const Entry& mounts, Entries& kept, RoleSettings& settings) const {
    NodeList stay;
    NodeList go;
    for (const Node* mount : mounts.value->items())
      (is_own_volume(yaml::text_at(*mount, "name")) ? stay : go).push_back(mount);
    if (!stay.empty()) kept.push_back({mounts.key, make_.list(stay), mounts.key_origin});
    if (!go.empty())
      settings.container.push_back({mounts.key, make_.list(go, mounts.value->origin()), mounts.key_origin});
  }

  void split_env(const Entry& env, Entries& kept, RoleSettings& settings) const {
    NodeList stay;
    NodeList go;
    for (const Node* item : env.value->items()) {
      (is_of_mpi_pod(yaml::text_at(*item, "name")) ? stay : go).push_back(item);
    }
    if (!stay.empty()) kept.push_back({env.key, make_.list(stay), {}});
    if (!go.empty())
      settings.trainer.push_back({env.key, make_.list(go, env.value->origin()), env.key_origin});
  }

  const Node& spec_;
  const Maker& make_;
  bool is_mpi_;
  bool keeps_group_;
  bool launcher_trains_;
  const schema::Schema* patch_;  // schema of a patch's pod spec
};

// The items of a list, which are found by name.
class Items {
 public:
  explicit Items(const Node& list) {
    for (const Node* item : list.items()) by_name_.emplace(name_of(*item), item);
  }

  bool contains(const Node& item) const {
    const auto [first, last] = by_name_.equal_range(name_of(item));
    return std::any_of(first, last, [&](const auto& own) { return yaml::equal(*own.second, item); });
  }

 private:
  // A name that equal items share. Mounts of one volume are told apart by their paths.
  static std::pair<std::string_view, std::string_view> name_of(const Node& item) {
    if (item.is_map()) return {yaml::string_at(item, "name"), yaml::string_at(item, "mountPath")};
    return {yaml::string_of(&item), ""};
  }

  std::multimap<std::pair<std::string_view, std::string_view>, const Node*> by_name_;
};

// Whether the TrainJob can turn the runtime's value `given` into `wanted`, by replacing it or adding to it.
bool can_become(const Node& given, const Node* wanted) {
  if (!wanted) return false;
  if (given.is_list()) {
    const Items own(*wanted);
    return wanted->is_list() &&
           std::ranges::all_of(given.items(), [&](const Node* item) { return own.contains(*item); });
  }
  return yaml::equal(given, *wanted);
}

// Whether strategic merge adds to the list, rather than replacing it.
bool is_merged(std::string_view key) {
  return key == "volumes" || key == "volumeMounts" || key == "imagePullSecrets" || key == "schedulingGates";
}

// What a TrainJob has to add to `given` to obtain `wanted`; nullopt if that is impossible.
std::optional<Entries> remaining(const Entries& wanted, const Entries& given, const Maker& make) {
  for (const Entry& entry : given) {
    const Entry* own = entry_of(wanted, entry.key);
    if (!can_become(*entry.value, own ? own->value : nullptr)) return std::nullopt;
  }
  Entries rest;
  for (const Entry& entry : wanted) {
    const Entry* there = entry_of(given, entry.key);
    if (there && yaml::equal(*there->value, *entry.value)) continue;
    if (!there || !is_merged(entry.key)) {
      rest.push_back(entry);
      continue;
    }
    NodeList items;
    const Items known(*there->value);
    std::ranges::copy_if(entry.value->items(), std::back_inserter(items),
                         [&](const Node* item) { return !known.contains(*item); });
    rest.push_back({entry.key, make.list(items, entry.value->origin()), entry.key_origin});
  }
  return rest;
}

// Whether a job that sets `wanted` replaces everything that the runtime sets in `given`. The runtime's
// variables stay, so the job must have them, too.
bool trainer_fits(const RoleSettings& wanted, const RoleSettings& given) {
  return std::ranges::all_of(given.trainer, [&](const Entry& entry) {
    const Entry* own = entry_of(wanted.trainer, entry.key);
    if (!own) return false;
    if (entry.key == "image" || entry.key == "command" || entry.key == "args") return true;
    if (entry.key != "env") return yaml::equal(*own->value, *entry.value);
    const Items variables(*own->value);
    return std::ranges::all_of(entry.value->items(),
                               [&](const Node* item) { return variables.contains(*item); });
  });
}

}  // namespace

SplitRuntime split_runtime(const Node& spec, const schema::Schema& train_job, const Maker& make,
                           RuntimeUse use) {
  return Splitter(spec, train_job, make, use).run();
}

std::optional<std::vector<RoleSettings>> needed_settings(const SplitRuntime& wanted,
                                                         const SplitRuntime& candidate, const Maker& make) {
  if (!yaml::equal(*wanted.rest, *candidate.rest) || wanted.settings.size() != candidate.settings.size())
    return std::nullopt;
  std::vector<RoleSettings> needed;
  for (size_t i = 0; i < wanted.settings.size(); ++i) {
    const RoleSettings& own = wanted.settings[i];
    const RoleSettings& given = candidate.settings[i];
    auto container = remaining(own.container, given.container, make);
    auto pod = remaining(own.pod, given.pod, make);
    if (!container || !pod || !trainer_fits(own, given)) return std::nullopt;
    if (given.metadata && (!own.metadata || !yaml::equal(*own.metadata, *given.metadata)))
      return std::nullopt;
    needed.push_back({own.job, own.trains, own.trainer, std::move(*container), std::move(*pod),
                      given.metadata ? nullptr : own.metadata});
  }
  return needed;
}

}  // namespace trainjobc::migrate::v1
