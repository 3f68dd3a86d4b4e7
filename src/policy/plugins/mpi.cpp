// SPDX-License-Identifier: Apache-2.0

// MPI: a launcher job runs mpirun over the nodes. It gets a hostfile, OpenMPI's variables and, like the
// nodes, an SSH key. The hostfile is a ConfigMap, the key a Secret.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/keys.h"
#include "policy/plugins.h"
#include "policy/webhook_rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::policy::mpi {
namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::array<std::string_view, 4> kEnv{"OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args",
                                               "OMPI_MCA_orte_keep_fqdn_hostnames",
                                               "OMPI_MCA_orte_set_default_slots"};
constexpr std::array<OwnedObject, 2> kObjects{{
    {"Secret", "-mpi-ssh-auth", OwnedObject::Content::SshKey},
    {"ConfigMap", "-mpi-hostfile"},
}};

// The variables of the dialects' implementations. Source of the names: each one's manual.
constexpr std::array<std::string_view, 4> kIntelEnv{
    "I_MPI_HYDRA_HOST_FILE", "I_MPI_PERHOST", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "I_MPI_HYDRA_IFACE"};
constexpr std::array<std::string_view, 3> kMpichEnv{"HYDRA_HOST_FILE", "HYDRA_LAUNCHER_EXTRA_ARGS",
                                                    "HYDRA_IFACE"};
constexpr std::array<std::string_view, 2> kHydraSshArguments{kMpichEnv[1], kIntelEnv[2]};

// Trainer sets up OpenMPI; Intel and MPICH exist in dialects.
constexpr std::array kImplementations = std::to_array<MpiImplementation>({
    {"OpenMPI", kEnv, kEnv[0], kEnv[2], kEnv[3], kEnv[1], "", " slots="},
    {"Intel", kIntelEnv, kIntelEnv[0], "", kIntelEnv[1], kIntelEnv[2], kIntelEnv[3], ":"},
    {"MPICH", kMpichEnv, kMpichEnv[0], "", "", kMpichEnv[1], kMpichEnv[2], ":"},
});

static_assert(kImplementations.front().name == "OpenMPI");  // the default; the others follow it

constexpr std::string_view kKeyVolume = "mpi-ssh-auth";
constexpr std::string_view kHostfileVolume = "mpi-hostfile";

// `mode` may be nullptr.
const Node* key_item(const Maker& make, std::string_view key, std::string_view path, const Node* mode,
                     yaml::Origin origin) {
  return make.map({{"key", make.string(key, origin)}, {"path", make.string(path, origin)}, {"mode", mode}},
                  origin);
}

const Node* key_volume(const Maker& make, const RuntimeInfo& info) {
  const yaml::Origin origin = make.made("mpi/ssh-key-volume");
  const auto mode = [&](int64_t bits) -> const Node* {
    return info.behaviours->mpi.key_has_modes ? make.integer(bits, origin) : nullptr;
  };
  const NodeList items{key_item(make, "ssh-privatekey", "id_rsa", mode(0640), origin),
                       key_item(make, "ssh-publickey", "id_rsa.pub", mode(0644), origin),
                       key_item(make, "ssh-publickey", "authorized_keys", mode(0644), origin)};
  const Node* secret = make.map({{"secretName", make.copied(kObjects[0].name_for(info.job_name()), origin)},
                                 {"defaultMode", mode(0400)},
                                 {"items", make.list(items, origin)}},
                                origin);
  return make.map({{"name", make.string(kKeyVolume, origin)}, {"secret", secret}}, origin);
}

std::string hostfile_name(const RuntimeInfo& info) {
  return kObjects[1].name_for(info.job_name());
}

const Node* hostfile_volume(const Maker& make, const RuntimeInfo& info) {
  const yaml::Origin origin = make.made("mpi/hostfile-volume");
  const NodeList items{key_item(make, "hostfile", "hostfile", make.integer(0444, origin), origin)};
  const Node* config_map = make.map(
      {{"name", make.copied(hostfile_name(info), origin)}, {"items", make.list(items, origin)}}, origin);
  return make.map({{"name", make.string(kHostfileVolume, origin)}, {"configMap", config_map}}, origin);
}

const Node* mount(const Maker& make, std::string_view volume, const Node* path, yaml::Origin origin) {
  return make.map({{"name", make.string(volume, origin)}, {"mountPath", path}}, origin);
}

// Determines the slots of a node: the job's numProcPerNode, else the runtime's, of which 1 may mean one per
// GPU.
void resolve_slots(RuntimeInfo& info) {
  model::MpiPolicy& mpi = *info.policy->mpi;
  const Node* given = info.job->trainer ? info.job->trainer->num_proc_per_node : nullptr;
  if (const auto number = model::decode_int(given)) {
    mpi.num_proc_per_node = number;
    return;
  }
  if (!info.behaviours->mpi.slots_from_gpus || !mpi.num_proc_per_node || mpi.num_proc_per_node->value != 1)
    return;
  const NodeResources resources = resources_per_node(info);
  const int64_t gpus = gpus_per_node(resources);
  if (gpus > 1) mpi.num_proc_per_node = model::LocatedInt{gpus, resources.source};
}

// nullptr if the runtime names no known implementation.
const MpiImplementation* implementation_of(const RuntimeInfo& info) {
  const auto& given = info.policy->mpi->implementation;
  return given ? base::find(kImplementations, given->value, &MpiImplementation::name) : nullptr;
}

std::span<const std::string_view> dialect_env(const RuntimeInfo& info) {
  const MpiImplementation* implementation = implementation_of(info);
  return implementation ? implementation->env : std::span<const std::string_view>();
}

std::string_view dialect_processes(const RuntimeInfo& info) {
  const MpiImplementation* implementation = implementation_of(info);
  return implementation ? implementation->slots : std::string_view();
}

int64_t slots(const RuntimeInfo& info) {
  const auto& number = info.policy->mpi->num_proc_per_node;
  return number ? number->value : 1;
}

void take_node_count(RuntimeInfo& info) {
  PodSet* node = info.pod_set_by_name(model::kNode);
  if (!node || !info.job->trainer || !info.job->trainer->num_nodes) return;
  const model::LocatedInt& wanted = *info.job->trainer->num_nodes;
  // The launcher counts as one of the nodes.
  const int64_t value =
      info.policy->mpi->run_launcher_as_node ? std::max<int64_t>(wanted.value - 1, 1) : wanted.value;
  node->count = {value, wanted.node};
}

// Gives the launcher's container `node` the hostfile and the implementation's variables.
void prepare_launcher(PluginContext& context, Container& container) {
  const RuntimeInfo& info = context.info;
  const Maker& make = context.make;
  const yaml::Origin origin = make.made("mpi/hostfile-volume");
  upsert_volume_mount(container.volume_mounts,
                      mount(make, kHostfileVolume, make.string("/etc/mpi", origin), origin));
  const auto& implementation = info.policy->mpi->implementation;
  const MpiImplementation* known = implementation_of(info);
  if (!known) {
    base::Diagnostic& finding =
        context.findings.add("input/mpi-implementation", "spec.runtimeRef",
                             fmt::format("the runtime's mpiImplementation is \"{}\", which the controller "
                                         "does not support: every reconciliation of the job fails",
                                         implementation ? implementation->value : ""),
                             info.job->runtime_ref.name.node, "use OpenMPI in the runtime");
    if (implementation) {
      finding.notes.push_back({"set in the runtime", yaml::locate(*implementation->node)});
      base::suggest_fix(finding, yaml::replace_scalar(*implementation->node, "OpenMPI"));
    }
    return;
  }
  const Node* slots_source =
      info.policy->mpi->num_proc_per_node ? info.policy->mpi->num_proc_per_node->node : nullptr;
  const auto set = [&](std::string_view name, const std::string& value, yaml::Origin made) {
    if (!name.empty()) upsert_env(container.env, env_value(make, name, value, made));
  };
  set(known->hostfile, "/etc/mpi/hostfile", make.made("mpi/hostfile-location"));
  set(known->keeps_domains, "true", make.made("mpi/keep-fqdn-hostnames"));
  set(known->slots, std::to_string(slots(info)), make.made("mpi/default-slots", {slots_source}));
  set(known->ssh_arguments, "-o ConnectionAttempts=10", make.made("mpi/rsh-args"));
  set(known->interface, "eth0", make.made("mpi/interface"));
}

void prepare_pod_set(PluginContext& context, PodSet& set) {
  const Maker& make = context.make;
  const auto& path = context.info.policy->mpi->ssh_auth_mount_path;
  const bool is_launcher = set.name == model::kLauncher;
  upsert_volume(set.volumes, key_volume(make, context.info));
  if (is_launcher) upsert_volume(set.volumes, hostfile_volume(make, context.info));
  for (Container& container : set.containers) {
    if (container.name != model::kNode) continue;
    const yaml::Origin origin = make.made("mpi/ssh-key-volume");
    const Node* mount_path = path ? path->node : make.string("/root/.ssh", origin);
    upsert_volume_mount(container.volume_mounts, mount(make, kKeyVolume, mount_path, origin));
    if (is_launcher) prepare_launcher(context, container);
  }
}

const Node* replicas_of(const RuntimeInfo& info, const PodSet& set) {
  return info.behaviours->mpi.hosts_every_replica ? set.replicated_job->get("replicas") : nullptr;
}

bool has_hosts(const RuntimeInfo& info, const PodSet& set) {
  return set.name == model::kNode || (info.policy->mpi->run_launcher_as_node && set.name == model::kLauncher);
}

// What the launcher calls a pod: <job>-<replicatedJob>-<replica>-<pod>.<subdomain>; itself without subdomain
// if its implementation needs that.
std::string host_of(const RuntimeInfo& info, const PodSet& set, const std::string& job, int64_t pod) {
  if (set.name == model::kLauncher && implementation_of(info)->is_hydra())
    return fmt::format("{}-{}", job, pod);
  const Node* custom = info.job_set_spec->at({"network", "subdomain"});
  return k8s::jobset::pod_address(job, pod, custom ? custom->text() : info.job_name());
}

// One line per pod, in the order of the replicatedJobs.
std::string hostfile(const RuntimeInfo& info) {
  std::string lines;
  const MpiImplementation* implementation = implementation_of(info);
  if (!implementation) return lines;
  for (const PodSet& set : info.pod_sets) {
    if (!has_hosts(info, set)) continue;
    const Node* replicas = replicas_of(info, set);
    const int64_t count = replicas ? replicas->as_int().value_or(1) : 1;
    for (int64_t replica = 0; replica < count && set.count.value > 0; ++replica) {
      const std::string job = k8s::jobset::job_name(info.job_name(), set.name, replica);
      for (int64_t pod = 0; pod < set.count.value; ++pod) {
        lines += fmt::format("{}{}{}\n", host_of(info, set, job, pod), implementation->slot_separator,
                             slots(info));
      }
    }
  }
  return lines;
}

// The total number of digits of the numbers below `count`.
double digits_below(int64_t count) {
  double digits = 0;
  int64_t first = 0;  // the first number of that length
  int64_t length = 1;
  for (int64_t end = 10; first < count; first = end, end *= 10, ++length) {
    digits += static_cast<double>(std::min(count, end) - first) * static_cast<double>(length);
  }
  return digits;
}

// The size of the hostfile, computed without writing it.
double hostfile_size(const RuntimeInfo& info) {
  const MpiImplementation* implementation = implementation_of(info);
  if (!implementation) return 0;
  double size = 0;
  for (const PodSet& set : info.pod_sets) {
    if (!has_hosts(info, set)) continue;
    const Node* replicas = replicas_of(info, set);
    const int64_t count = replicas ? replicas->as_int().value_or(1) : 1;
    const std::string job = k8s::jobset::job_name(info.job_name(), set.name, 0);
    const std::string line =
        fmt::format("{}{}{}\n", host_of(info, set, job, 0), implementation->slot_separator, slots(info));
    const auto pods = static_cast<double>(set.count.value);
    const size_t fixed = line.size() - 2;  // without the two numbers
    size += static_cast<double>(count) * pods * static_cast<double>(fixed) + pods * digits_below(count) +
            static_cast<double>(count) * digits_below(set.count.value);
  }
  return size;
}

void check_hostfile_size(PluginContext& context) {
  constexpr double kMost = 1 << 20;  // the limit of a ConfigMap's data
  const double size = hostfile_size(context.info);
  if (size <= kMost) return;
  const PodSet* node = context.info.pod_set_by_name(model::kNode);
  const auto& wanted = context.info.job->trainer ? context.info.job->trainer->num_nodes : std::nullopt;
  context.findings.add(
      "input/mpi-hostfile", wanted ? "spec.trainer.numNodes" : "spec.runtimeRef.name",
      fmt::format(
          "the hostfile has {:.0f} KiB, and a ConfigMap holds at most 1024: the controller can't create "
          "it, and no pod starts",
          size / 1024),
      wanted ? wanted->node : (node && node->count.source ? node->count.source : context.info.job->root),
      "write fewer nodes, or shorten the job's name");
}

const Node* hostfile_config_map(PluginContext& context) {
  const Maker& make = context.make;
  const yaml::Origin origin = make.made("mpi/hostfile");
  const Node* data = make.map({{"hostfile", make.copied(hostfile(context.info), origin)}}, origin);
  return owned_object(make, *context.info.job, "v1", "ConfigMap", hostfile_name(context.info),
                      {{"data", data}}, origin);
}

// The context of a derived key: the job it belongs to. A job without a namespace may be applied to any, so it
// must not share the key of one in "default". Names contain no slash.
std::string seed_context(const model::TrainJob& job) {
  return fmt::format("{}/{}", job.id.ns, job.id.name);
}

SshKeyResult make_key(const SshKeyOptions& options, const model::TrainJob& job) {
  switch (options.source) {
    case SshKeySource::File: return load_ssh_key(options.material);
    case SshKeySource::Seed: return derive_ssh_key(options.material, seed_context(job));
    case SshKeySource::Generate:
    case SshKeySource::Omit: break;
  }
  return generate_ssh_key();
}

// The Secret with the SSH key that the launcher and the nodes share. nullptr with --ssh-key omit, or without
// a usable key, which is an error in the findings.
const Node* ssh_secret(PluginContext& context, const std::string& name) {
  if (context.options.ssh_key.source == SshKeySource::Omit) return nullptr;
  const model::TrainJob& job = *context.info.job;
  const SshKeyResult result = make_key(context.options.ssh_key, job);
  if (const auto* error = std::get_if<KeyError>(&result)) {
    context.findings.add("render/ssh-key", "", fmt::format("no SSH key for the job: {}", error->message),
                         nullptr);
    return nullptr;
  }
  const auto& pair = std::get<SshKeyPair>(result);
  const Maker& make = context.make;
  const yaml::Origin origin = make.made("mpi/ssh-key");
  const Node* data =
      make.map({{"ssh-privatekey", make.copied(base::base64_encode(pair.private_pem), origin)},
                {"ssh-publickey", make.copied(base::base64_encode(pair.authorized_key), origin)}},
               origin);
  return owned_object(make, job, "v1", "Secret", name,
                      {{"type", make.string("kubernetes.io/ssh-auth", origin)},
                       {"immutable", make.boolean(true, origin)},
                       {"data", data}},
                      origin);
}

bool is_used(const RuntimeInfo& info) {
  return info.is_mpi();
}

void validate(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  if (!info.policy || !info.policy->mpi || !info.job->trainer) return;
  if (const Node* given = info.job->trainer->num_proc_per_node; given && given->is_string()) {
    context.findings.add("input/processes-per-node", "spec.trainer.numProcPerNode",
                         fmt::format("an MPI job needs a number of processes, not \"{}\"", given->text()),
                         given, "write a number, or leave it out");
  }
  const auto& nodes = info.job->trainer->num_nodes;
  const bool both = info.pod_set_by_name(model::kLauncher) && info.pod_set_by_name(model::kNode);
  if (info.policy->mpi->run_launcher_as_node && nodes && nodes->value >= 2 && !both) {
    context.findings.add("input/mpi-launcher-as-node", "spec.trainer.numNodes",
                         "more than one node with runLauncherAsNode needs the replicatedJobs \"launcher\" "
                         "and \"node\", and the runtime lacks one of them",
                         nodes->node, "write 1, or add the missing replicatedJob to the runtime");
  }
  if (info.behaviours->mpi.reserves_env)
    check_reserved_env(context, kPlugin.framework, ReservedEnvField::List);
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  take_node_count(info);
  resolve_slots(info);
  for (PodSet& set : info.pod_sets) {
    if (set.name == model::kNode || set.name == model::kLauncher) prepare_pod_set(context, set);
  }
  check_hostfile_size(context);
}

void build(PluginContext& context, NodeList& objects) {
  const RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  objects.push_back(hostfile_config_map(context));
  if (const Node* secret = ssh_secret(context, kObjects[0].name_for(info.job_name())))
    objects.push_back(secret);
}

}  // namespace

// It has no label: runtimes say which framework runs over MPI, "mpi", "deepspeed" or "mlx".
constexpr Plugin kPlugin{.name = "MPI",
                         .framework = {.is_used = is_used,
                                       .field = "mpi",
                                       .title = "MPI",
                                       .env = kEnv,
                                       .dialect_env = dialect_env,
                                       .reserves_env = true,
                                       .env_family = "OMPI_MCA_*",
                                       .processes = kEnv[3],
                                       .dialect_processes = dialect_processes,
                                       .processes_per_node = true,
                                       .ssh_arguments = kHydraSshArguments,
                                       .other_implementations = std::span(kImplementations).subspan(1),
                                       .sets_job = true,
                                       .has_processes = true},
                         .objects = kObjects,
                         .validate = validate,
                         .expand = expand,
                         .build = build};

}  // namespace trainjobc::policy::mpi
