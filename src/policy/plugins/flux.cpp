// SPDX-License-Identifier: Apache-2.0

// Flux: an init container copies in the Flux scheduler, every node runs a broker, and the job's command is
// wrapped so that the first broker runs it on the cluster.
#include "policy/plugins/flux.h"

#include <fmt/format.h>

#include <array>

#include "base/text/text.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/keys.h"
#include "policy/plugins.h"
#include "yaml/node.h"

namespace trainjobc::policy::flux {

// The scripts do what the controller's do, in our own words: they write the same files and run the same
// commands, as tests/e2e/suites/flux_tests.py checks. One effect differs: the controller's entrypoint ends
// with 0 even if the command fails.

namespace {

// "0", or "0-3".
std::string range(int64_t count) {
  return count == 1 ? "0" : fmt::format("0-{}", count - 1);
}

std::string hosts(const FluxCluster& cluster) {
  return fmt::format("{}-node-0-[{}]", cluster.job_name, range(cluster.nodes));
}

// The domain of the other brokers; a short name is looked up in the pod's own namespace.
std::string domain(const FluxCluster& cluster) {
  return cluster.ns.empty() ? std::string(cluster.job_name)
                            : fmt::format("{}.{}.svc.cluster.local", cluster.job_name, cluster.ns);
}

// The broker's settings, as TOML.
std::string broker_config(const FluxCluster& cluster) {
  return fmt::format(R"sh([access]
allow-guest-user = true
allow-root-owner = true

[resource]
path = "/mnt/flux/config/etc/flux/system/R"

[bootstrap]
curve_cert = "/mnt/flux/config/etc/curve/curve.cert"
default_port = 8050
default_bind = "tcp://{device}:%p"
default_connect = "tcp://%h.{domain}:%p"
hosts = [{{ host = "{hosts}" }}]

[archive]
dbpath = "/mnt/flux/config/var/lib/flux/job-archive.sqlite"
period = "1m"
busytimeout = "50s"

[sched-fluxion-qmanager]
queue-policy = "{policy}"
)sh",
                     fmt::arg("device", cluster.network_device), fmt::arg("domain", domain(cluster)),
                     fmt::arg("hosts", hosts(cluster)), fmt::arg("policy", cluster.queue_policy));
}

// Each node's resources, as flags of `flux R encode`.
std::string resources(const FluxCluster& cluster) {
  if (!cluster.counts_resources) return "--local";
  std::string flags = fmt::format("--cores={}", range(cluster.tasks_per_node));
  if (cluster.gpus_per_node > 0) flags += fmt::format(" --gpu={}", range(cluster.gpus_per_node));
  return flags;
}

}  // namespace

std::string init_script(const FluxCluster& cluster) {
  return fmt::format(R"sh(#!/bin/bash
# Prepares the shared volume /mnt/flux: the Flux installation and the broker's configuration.
config=/mnt/flux/config
mkdir -p "$config/etc/flux/system/cron.d" "$config/etc/flux/config" "$config/etc/curve" \
  "$config/run/flux" "$config/var/lib/flux" /mnt/flux/view /opt/view/bin

echo "{hosts}" > "$config/etc/flux/system/hostlist"
cat > "$config/etc/flux/config/broker.toml" <<EOT
{broker}
EOT

# The view is the only directory below /opt/views/._view; its links lead to /opt/software.
for view in /opt/views/._view/*; do
  cp -R "$view"/* /mnt/flux/view
done
cp -R /opt/software /mnt/flux/
touch /mnt/flux/flux-operator-done.txt
)sh",
                     fmt::arg("hosts", hosts(cluster)), fmt::arg("broker", broker_config(cluster)));
}

std::string entrypoint_script(const FluxCluster& cluster) {
  std::string flags = fmt::format("-N {} -n {}", cluster.nodes, cluster.tasks_per_node * cluster.nodes);
  if (cluster.gpus_per_node > 0) flags += fmt::format(" -g {}", cluster.gpus_per_node);
  return fmt::format(R"sh(#!/bin/bash
# Starts a Flux broker; the first node runs "$@" on all of them.
command="$*"
view=/mnt/flux/view
config=/mnt/flux/config
cp -R /mnt/flux/software/* /opt/software/

# Flux brings a Python of its own.
export PATH="$PATH:$view/bin"
python=$(find "$view/lib" -maxdepth 1 -type d -name 'python3*')
if [ -f "$view/bin/$(basename "$python")" ]; then
  rm -f "$view/bin/python" "$view/bin/python3"
  ln -sf "$view/bin/$(basename "$python")" "$view/lib/python"
  ln -sf "$view/bin/$(basename "$python")" "$view/lib/python3"
fi
export PYTHONPATH="${{PYTHONPATH:-}}:$python/site-packages"
export FLUX_RC_EXTRA="$view/etc/flux/rc1.d"

# For people who look into a running job.
cat > /mnt/flux/load-fluxion.sh <<'EOT'
flux module remove sched-simple
flux module load sched-fluxion-resource
flux module load sched-fluxion-qmanager
EOT
cat > /mnt/flux/flux-view.sh <<EOT
export PATH="$PATH" PYTHONPATH="$PYTHONPATH" LD_LIBRARY_PATH="${{LD_LIBRARY_PATH:-}}:$view/lib"
export fluxsocket="local://$config/run/flux/local"
EOT

# The brokers refuse a certificate that others can read.
cp /curve/curve.cert "$config/etc/curve/curve.cert"
chmod go-r "$config/etc/curve/curve.cert"
chown "$(id -u)" "$config/etc/curve/curve.cert"
flux R encode --hosts="$(cat "$config/etc/flux/system/hostlist")" {resources} > "$config/etc/flux/system/R"

export STATE_DIR="$config/var/lib/flux" FLUX_OUTPUT_DIR=/tmp/fluxout
mkdir -p "$STATE_DIR" "$FLUX_OUTPUT_DIR" "$config/etc/flux/system/cron.d"
broker=(
  "-Scron.directory=$config/etc/flux/system/cron.d" -Stbon.fanout=256 "-Srundir=$config/run/flux"
  "-Sstatedir=$STATE_DIR" "-Slocal-uri=local://$config/run/flux/local"
  -Slog-stderr-level=0 -Slog-stderr-mode=local
)

if [ "$(hostname)" != "{job}-node-0-0" ]; then
  until flux start -o --config "$config/etc/flux/config" "${{broker[@]}}"; do
    echo "the broker ended with status $?; trying again in 15 seconds"
    sleep 15
  done
elif [ -z "$command" ]; then
  flux broker --config-path "$config/etc/flux/config" "${{broker[@]}}"
else
  # shellcheck disable=SC2086 # Flux gets words.
  flux start -o --config "$config/etc/flux/config" "${{broker[@]}}" flux run {flags} $command
fi
status=$?
touch /mnt/flux/flux-operator-complete.txt
exit $status
)sh",
                     fmt::arg("resources", resources(cluster)), fmt::arg("job", cluster.job_name),
                     fmt::arg("flags", flags));
}

namespace {

using yaml::Maker;
using yaml::Node;

constexpr std::array<FrameworkLabel, 1> kLabels{{{"flux"}}};
constexpr std::array<OwnedObject, 2> kObjects{{
    {"ConfigMap", "-flux-entrypoint", OwnedObject::Content::Scripts},
    {"Secret", "-flux-curve", OwnedObject::Content::FromOwnerUid},
}};
constexpr std::array<std::string_view, 3> kSettings{"FLUX_VIEW_IMAGE", "FLUX_NETWORK_DEVICE",
                                                    "FLUX_QUEUE_POLICY"};
constexpr std::string_view kInstaller = "flux-installer";

// The brokers' settings, from env variables of the runtime's container and of the job.
struct Settings {
  std::string_view view_image = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy";
  std::string_view network_device = "eth0";
  std::string_view queue_policy = "fcfs";

  std::string_view* slot(std::string_view name) {
    if (name == kSettings[0]) return &view_image;
    if (name == kSettings[1]) return &network_device;
    if (name == kSettings[2]) return &queue_policy;
    return nullptr;
  }
};

// A variable without a value (a valueFrom) counts as an empty one in the job, and not at all in the runtime.
Settings read_settings(RuntimeInfo& info) {
  Settings settings;
  if (Container* container = info.container_by_ancestor(model::kTrainer, model::kNode)) {
    for (const Node* env : container->env) {
      std::string_view* slot = settings.slot(text_at(*env, "name"));
      if (slot && env->get("value")) *slot = text_at(*env, "value");
    }
  }
  const Node* env = info.job->trainer ? info.job->trainer->env : nullptr;
  if (!env) return settings;
  for (const Node* item : env->items()) {
    if (std::string_view* slot = settings.slot(text_at(*item, "name"))) *slot = text_at(*item, "value");
  }
  return settings;
}

std::string config_map_name(const RuntimeInfo& info) {
  return kObjects[0].name_for(info.job_name());
}
std::string curve_secret_name(const RuntimeInfo& info) {
  return kObjects[1].name_for(info.job_name());
}

void append_words(std::string& out, const Node* words) {
  if (!words) return;
  for (const Node* word : words->items()) {
    if (!out.empty()) out += ' ';
    out += word->text();
  }
}

// The command that Flux runs, as one string: the job's, else the runtime's if the Trainer version considers
// it; with args only if the job has some.
std::string wrapped_command(RuntimeInfo& info) {
  const Container* container = info.container_by_ancestor(model::kTrainer, model::kNode);
  const Node* command =
      container && info.behaviours->flux.wraps_runtime_command ? container->command : nullptr;
  if (info.trainer_command) command = info.trainer_command;
  std::string line;
  append_words(line, command);
  append_words(line, info.trainer_args);
  return std::string(base::trimmed(line, base::kGoSpace));
}

const Node* strings(const Maker& make, std::initializer_list<std::string_view> words, yaml::Origin origin) {
  NodeList list;
  for (const std::string_view word : words) list.push_back(make.copied(word, origin));
  return make.list(list, origin);
}

const Node* mount(const Maker& make, std::string_view name, std::string_view path, bool read_only) {
  const yaml::Origin origin = make.made("flux/volume-mount");
  return make.map({{"name", make.copied(name, origin)},
                   {"mountPath", make.string(path, origin)},
                   {"readOnly", read_only ? make.boolean(true, origin) : nullptr}},
                  origin);
}

Container make_installer(const Maker& make, const RuntimeInfo& info, const Settings& settings) {
  const yaml::Origin origin = make.made("flux/installer");
  Container installer;
  installer.name = kInstaller;
  installer.image = make.string(settings.view_image, origin);
  installer.command = strings(make, {"/bin/bash", "/etc/flux-config/init.sh"}, origin);
  installer.volume_mounts = {mount(make, "flux-install", "/mnt/flux", false),
                             mount(make, config_map_name(info), "/etc/flux-config", true)};
  return installer;
}

NodeList make_volumes(const Maker& make, const RuntimeInfo& info) {
  const yaml::Origin origin = make.made("flux/volume");
  const auto volume = [&](const std::string& name, std::string_view source, const Node* value) {
    return make.map({{"name", make.copied(name, origin)}, {source, value}}, origin);
  };
  const Node* memory = make.map({{"medium", make.string("Memory", origin)}}, origin);
  const Node* scripts = make.map(
      {{"name", make.copied(config_map_name(info), origin)}, {"defaultMode", make.integer(0755, origin)}},
      origin);
  const Node* curve = make.map({{"secretName", make.copied(curve_secret_name(info), origin)},
                                {"defaultMode", make.integer(0400, origin)}},
                               origin);
  const Node* empty = make.map({}, origin);
  NodeList volumes{volume("spack-install", "emptyDir", empty), volume("flux-install", "emptyDir", empty),
                   volume(config_map_name(info), "configMap", scripts)};
  if (info.behaviours->flux.shares_memory) volumes.push_back(volume("shared-memory", "emptyDir", memory));
  volumes.push_back(volume("flux-curve", "secret", curve));
  return volumes;
}

void prepare_pod_set(const Maker& make, const RuntimeInfo& info, const Settings& settings, PodSet& set) {
  for (const Node* volume : make_volumes(make, info)) upsert_volume(set.volumes, volume);
  set.init_containers.push_back(make_installer(make, info, settings));
  for (Container& container : set.containers) {
    if (container.name != model::kNode) continue;
    NodeList mounts{mount(make, "flux-install", "/mnt/flux", false),
                    mount(make, "spack-install", "/opt/software", false),
                    mount(make, config_map_name(info), "/etc/flux-config", true),
                    mount(make, "flux-curve", "/curve", true)};
    if (info.behaviours->flux.shares_memory) mounts.push_back(mount(make, "shared-memory", "/dev/shm", true));
    for (const Node* item : mounts) upsert_volume_mount(container.volume_mounts, item);
  }
}

// The controller dereferences spec.trainer and its numNodes without a check, and panics.
bool has_what_it_needs(PluginContext& context) {
  const model::TrainJob& job = *context.info.job;
  if (job.trainer && job.trainer->num_nodes) return true;
  const char* field = job.trainer ? "spec.trainer.numNodes" : "spec.trainer";
  context.findings.add("render/flux-needs-num-nodes", field,
                       fmt::format("a Flux job needs {}: the controller crashes without it", field),
                       job.trainer ? job.trainer->node : job.root->get("spec"),
                       job.trainer ? "add numNodes:" : "add trainer: {numNodes: 1}");
  return false;
}

int64_t tasks_per_node(const RuntimeInfo& info) {
  if (const auto given = model::decode_int(info.job->trainer->num_proc_per_node)) return given->value;
  const auto& number = info.policy->flux->num_proc_per_node;
  return number ? number->value : 1;
}

const Node* config_map(PluginContext& context) {
  RuntimeInfo& info = context.info;
  const Maker& make = context.make;
  const Settings settings = read_settings(info);
  const FluxCluster cluster{info.job_name(),
                            info.job->id.ns,
                            info.job->trainer->num_nodes->value,
                            tasks_per_node(info),
                            gpus_per_node(resources_per_node(info)),
                            info.behaviours->flux.counts_resources,
                            settings.network_device,
                            settings.queue_policy};
  const yaml::Origin origin = make.made("flux/entrypoint");
  const Node* data = make.map({{"entrypoint.sh", make.copied(entrypoint_script(cluster), origin)},
                               {"init.sh", make.copied(init_script(cluster), origin)}},
                              origin);
  return owned_object(make, *info.job, "v1", "ConfigMap", config_map_name(info), {{"data", data}}, origin);
}

const Node* curve_secret(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  const Maker& make = context.make;
  const yaml::Origin origin = make.made("flux/curve");
  const std::string certificate = flux_curve_certificate(info.job_name(), info.job->uid);
  const Node* data =
      make.map({{"curve.cert", make.copied(base::base64_encode(certificate), origin)}}, origin);
  return owned_object(make, *info.job, "v1", "Secret", curve_secret_name(info), {{"data", data}}, origin);
}

void check_processes(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  if (info.behaviours->flux.checked_processes == model::FluxProcesses::None) return;
  auto checked = info.policy->flux->num_proc_per_node;
  const bool looks_at_job = info.behaviours->flux.checked_processes == model::FluxProcesses::JobThenRuntime;
  const auto given =
      info.job->trainer ? model::decode_int(info.job->trainer->num_proc_per_node) : std::nullopt;
  if (looks_at_job && given) checked = given;
  if (!checked || checked->value >= 1) return;
  context.findings.add("input/flux-processes", "spec.trainer.numProcPerNode",
                       "a Flux job needs at least one process per node", checked->node, "write 1 or more");
}

bool is_used(const RuntimeInfo& info) {
  return info.policy && info.policy->flux;
}

void validate(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  check_processes(context);
  for (const PodSet& set : info.pod_sets) {
    if (set.name != model::kNode) continue;
    for (const Container& container : set.init_containers) {
      if (container.name != kInstaller) continue;
      context.findings.add("input/flux-installer", "spec.trainer.initContainers",
                           "the init container name \"flux-installer\" is reserved for the Flux runtime",
                           container.node->get("name"), "rename it in the runtime");
    }
  }
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info) || !has_what_it_needs(context)) return;
  const Settings settings = read_settings(info);
  const yaml::Origin origin = context.make.made("flux/command", {info.trainer_command});
  info.trainer_command =
      strings(context.make, {"/bin/bash", "/etc/flux-config/entrypoint.sh", wrapped_command(info)}, origin);
  info.trainer_args = nullptr;
  for (PodSet& set : info.pod_sets) {
    if (set.name == model::kNode) prepare_pod_set(context.make, info, settings, set);
  }
}

void build(PluginContext& context, NodeList& objects) {
  if (!is_used(context.info) || context.findings.has_errors()) return;
  objects.push_back(config_map(context));
  objects.push_back(curve_secret(context));
}

}  // namespace

constexpr Plugin kPlugin{.name = "Flux",
                         .framework = {.is_used = is_used,
                                       .field = "flux",
                                       .title = "Flux",
                                       .labels = kLabels,
                                       .settings = kSettings,
                                       .address = "the brokers' list of hosts",
                                       .has_processes = true},
                         .objects = kObjects,
                         .validate = validate,
                         .expand = expand,
                         .build = build};

}  // namespace trainjobc::policy::flux
