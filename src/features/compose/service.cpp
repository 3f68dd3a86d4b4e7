// SPDX-License-Identifier: Apache-2.0

// Turns a pod into services: its main container has the pod's names, the others share its network.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "features/compose/draft.h"
#include "k8s/quantity.h"
#include "launch/processes.h"
#include "model/trainer_names.h"

namespace trainjobc::compose {
namespace {

using yaml::is_true_at;
using yaml::items_at;
using yaml::Maker;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

// Whether an init container keeps running beside the others until they end.
bool is_sidecar(const Node& container) {
  return value_at(container, {"restartPolicy"}) == "Always";
}

const Node* user_of(const Draft& draft, const Pod& pod, const Node& container) {
  const Node* user = security_of(pod, container, "runAsUser");
  const Node* group = security_of(pod, container, "runAsGroup");
  if (!user) return nullptr;
  return draft.make.copied(group ? fmt::format("{}:{}", user->text(), group->text())
                                 : std::string(user->text()));
}

const Node* groups_of(const Draft& draft, const Pod& pod) {
  std::vector<const Node*> groups;
  const std::string_view own = value_at(*pod.spec, {"securityContext", "fsGroup"});
  if (!own.empty()) groups.push_back(draft.make.string(own));
  for (const Node* group : items_at(*pod.spec, {"securityContext", "supplementalGroups"}))
    groups.push_back(draft.make.string(group->text()));
  return draft.list(groups);
}

const Node* condition_map(const Draft& draft, const Conditions& conditions) {
  Fields services(draft.make);
  for (const auto& [service, condition] : conditions) {
    services.set(service, draft.make.map({{"condition", draft.make.string(condition)}}));
  }
  return services.node_if_any();
}

// How often a container is restarted: as often as the Job's backoffLimit says, whether the kubelet or the Job
// controller would do it.
const Node* restart_of(const Draft& draft, const Pod& pod) {
  constexpr int64_t kDefaultLimit = 6;
  const auto limit = k8s::jobset::int_at(*pod.job->job_spec, "backoffLimit").value_or(kDefaultLimit);
  const auto per_index = k8s::jobset::int_at(*pod.job->job_spec, "backoffLimitPerIndex");
  const int64_t times = per_index.value_or(limit);
  return times > 0 ? draft.make.copied(fmt::format("on-failure:{}", times)) : nullptr;
}

// Reserves NVIDIA devices, which no other pod gets: all pods are on one machine.
const Node* gpu_reservation(Draft& draft, int64_t count) {
  const Maker& make = draft.make;
  std::vector<const Node*> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(make.copied(std::to_string(draft.gpus++)));
  const Node* device = make.map({{"driver", make.string("nvidia")},
                                 {"device_ids", make.list(ids)},
                                 {"capabilities", make.list({make.string("gpu")})}});
  return make.with_path(nullptr, {"resources", "reservations", "devices"}, make.list({device}));
}

constexpr int64_t kMostGpus = 1024;  // per pod; no machine has more

void add_devices(Draft& draft, const Node& container, Fields& service) {
  const Node* limits = container.at({"resources", "limits"});
  if (!limits || draft.options.cpu) return;
  const Maker& make = draft.make;
  for (const yaml::Entry& limit : limits->entries()) {
    const auto quantity = k8s::Quantity::parse(limit.value->text());
    const bool is_device = limit.key.find('/') != std::string_view::npos;
    if (!is_device || !quantity || quantity->sign() <= 0) continue;
    const int64_t count = quantity->value();
    if (limit.key == "nvidia.com/gpu" && count <= kMostGpus) {
      service.set("deploy", gpu_reservation(draft, count));
    } else if (limit.key == "amd.com/gpu") {
      service.set("devices", make.list({make.string("/dev/kfd"), make.string("/dev/dri")}));
      draft.note("amd.com/gpu: each container sees all of the machine's");
    } else {
      draft.note(fmt::format("{} is left out: it is a device of the cluster's machines", limit.key));
    }
  }
}

void add_security(Draft& draft, const Pod& pod, const Node& container, bool has_configs, Fields& service) {
  const Maker& make = draft.make;
  const Node* security = container.get("securityContext");
  if (!security) return;
  if (is_true_at(*security, "privileged")) service.set("privileged", make.boolean(true));
  service.set("cap_add", draft.list(yaml::copied_items(security->at({"capabilities", "add"}))));
  service.set("cap_drop", draft.list(yaml::copied_items(security->at({"capabilities", "drop"}))));
  if (!is_true_at(*security, "readOnlyRootFilesystem")) return;
  if (has_configs) {
    draft.note(fmt::format(
        "readOnlyRootFilesystem of {} is left out: Compose writes files into the container", pod.service));
  } else {
    service.set("read_only", make.boolean(true));
  }
}

const Node* environment_node(const Draft& draft, const Words& words) {
  Fields env(draft.make);
  for (const Setting& setting : words.env)
    env.set(setting.name, setting.value ? draft.make.copied(*setting.value) : draft.make.null());
  return env.node_if_any();
}

const Node* aliases_of(const Draft& draft, const Pod& pod) {
  std::vector<const Node*> names{draft.make.copied(pod.address)};
  if (pod.host != pod.address) names.push_back(draft.make.copied(pod.host));
  return draft.make.with_path(nullptr, {"default", "aliases"}, draft.make.list(names));
}

const Node* extra_hosts(const Draft& draft, const Pod& pod) {
  std::vector<const Node*> hosts;
  for (const Node* alias : items_at(*pod.spec, "hostAliases")) {
    for (const Node* name : items_at(*alias, "hostnames"))
      hosts.push_back(draft.make.copied(fmt::format("{}={}", name->text(), text_at(*alias, "ip"))));
  }
  return draft.list(hosts);
}

enum class Role { Main, Beside, Init };

class ServiceMaker {
 public:
  ServiceMaker(Draft& draft, const Pod& pod, const Node& container)
      : draft_(draft), pod_(pod), container_(container), service_(draft.make) {}

  const Node* take(Role role, const Conditions& after, bool waited_for) {
    const Maker& make = draft_.make;
    const Words words = words_of(draft_, pod_, container_);
    const Mounted mounted = mounts_of(draft_, pod_, container_, words);
    const bool is_replaced = !draft_.options.image.empty() && has_training_image(pod_, container_);
    service_.set("image",
                 draft_.make.copied(is_replaced ? draft_.options.image : text_at(container_, "image")));
    add_names(role);
    service_.set("depends_on", condition_map(draft_, after));
    service_.set("entrypoint", draft_.texts(words.command));
    service_.set("command", draft_.texts(words.args));
    const std::string_view folder = value_at(container_, {"workingDir"});
    if (!folder.empty()) service_.set("working_dir", draft_.make.copied(folder));
    service_.set("environment", environment_node(draft_, words));
    service_.set("user", user_of(draft_, pod_, container_));
    service_.set("group_add", groups_of(draft_, pod_));
    add_security(draft_, pod_, container_, !mounted.configs.empty(), service_);
    service_.set("configs", draft_.list(mounted.configs));
    service_.set("volumes", draft_.list(mounted.volumes));
    service_.set("shm_size", mounted.shared_memory);
    if (is_true_at(container_, "tty")) service_.set("tty", make.boolean(true));
    if (is_true_at(container_, "stdin")) service_.set("stdin_open", make.boolean(true));
    if (waited_for) service_.set("healthcheck", health_check(draft_, container_));
    const bool is_restarted = role == Role::Init && is_sidecar(container_);
    service_.set("restart", is_restarted ? make.string("always") : restart_of(draft_, pod_));
    add_devices(draft_, container_, service_);
    return service_.node();
  }

 private:
  // Containers of a pod share its network: the others use that of the main one's service.
  void add_names(Role role) {
    const Maker& make = draft_.make;
    if (role == Role::Beside) {
      service_.set("network_mode", make.copied(fmt::format("service:{}", pod_.service)));
      return;
    }
    service_.set("hostname", make.copied(pod_.host));
    if (role == Role::Main) service_.set("networks", aliases_of(draft_, pod_));
    service_.set("extra_hosts", extra_hosts(draft_, pod_));
  }

  Draft& draft_;
  const Pod& pod_;
  const Node& container_;
  Fields service_;
};

// Whether the container has the field, with a value that isn't empty.
bool has_field(const Node& node, std::string_view field) {
  const Node* value = node.get(field);
  return value && !value->is_empty_value();
}

// A field of pods that is left out on one machine, and what to note about it.
struct ClusterField {
  std::string_view field;
  std::string_view note;
};
constexpr std::array kClusterFields = std::to_array<ClusterField>({
    {"nodeSelector", "node selectors are left out: there is one machine"},
    {"affinity", "affinity is left out: there is one machine"},
    {"topologySpreadConstraints", "topologySpreadConstraints are left out: there is one machine"},
    {"hostNetwork", "hostNetwork is left out: pods on one machine would share its ports"},
    {"hostPID", "hostPID is left out"},
    {"hostIPC", "hostIPC is left out"},
    {"runtimeClassName", "runtimeClassName is left out"},
    {"imagePullSecrets", "imagePullSecrets are left out: log in to the registry on this machine"},
    {"activeDeadlineSeconds", "activeDeadlineSeconds is left out"},
    {"dnsConfig", "dnsConfig is left out"},
});
constexpr std::array kContainerFields = std::to_array<ClusterField>({
    {"livenessProbe", "liveness probes are left out: Compose restarts no container for them"},
    {"lifecycle", "lifecycle hooks are left out"},
});

void note_left_out(Draft& draft, const Pod& pod) {
  for (const auto& [field, note] : kClusterFields) {
    if (has_field(*pod.spec, field)) draft.note(std::string(note));
  }
  const std::string_view account = value_at(*pod.spec, {"serviceAccountName"});
  if (!account.empty() && account != "default")
    draft.note(fmt::format("service account \"{}\" is left out: there is no Kubernetes API here", account));
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Node* container : items_at(*pod.spec, list)) {
      for (const auto& [field, note] : kContainerFields) {
        if (has_field(*container, field)) draft.note(std::string(note));
      }
    }
  }
}

}  // namespace

const Node* security_of(const Pod& pod, const Node& container, std::string_view field) {
  for (const Node* owner : {&container, pod.spec}) {
    const Node* value = owner->at({"securityContext", field});
    if (value && !value->is_null()) return value;
  }
  return nullptr;
}

PodParts::PodParts(const Node& spec) {
  main = launch::node_container(spec);
  for (const Node* volume : items_at(spec, "volumes")) volumes.try_emplace(text_at(*volume, "name"), volume);
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Node* container : items_at(spec, list)) {
      std::set<std::string_view> mounted;
      for (const Node* mount : items_at(*container, "volumeMounts")) mounted.insert(text_at(*mount, "name"));
      for (const std::string_view volume : mounted) ++mounts[volume];
    }
  }
}

bool has_training_image(const Pod& pod, const Node& container) {
  const Node* main = pod.parts->main;
  return pod.trains && main && text_at(*main, "image") == text_at(container, "image");
}

namespace {

// Checks a probe with a program of the image that connects to the port, or sends an HTTP request; if there is
// none, the container counts as ready.
const Node* probe_command(const Draft& draft, const Node& container, const Node& probe) {
  const Maker& make = draft.make;
  if (const Node* exec = probe.get("exec")) {
    std::vector<const Node*> words{make.string("CMD")};
    for (const Node* word : items_at(*exec, "command")) words.push_back(draft.make.copied(word->text()));
    return words.size() > 1 ? make.list(words) : nullptr;
  }
  const Node* asked = probe.get("httpGet");
  const Node* knocked = asked ? asked : probe.get("tcpSocket");
  if (!knocked) return nullptr;
  std::string port(value_at(*knocked, {"port"}));
  for (const Node* named : items_at(container, "ports")) {
    if (text_at(*named, "name") == port) port = text_at(*named, "containerPort");
  }
  if (port.empty() || !std::ranges::all_of(port, base::is_digit)) return nullptr;
  const std::string line =
      fmt::format("command -v bash >/dev/null || exit 0; exec bash -c ': </dev/tcp/127.0.0.1/{}'", port);
  return make.list({make.string("CMD-SHELL"), draft.make.copied(line)});
}

// The service's name. The pod node-0 of another replicatedJob may have the same one.
std::string service_name(Draft& draft, const Pod& pod, const Node& container) {
  std::string name = fmt::format("{}-{}", pod.service, text_at(container, "name"));
  while (!draft.services.insert(name).second) name += '_';
  return name;
}

}  // namespace

const Node* health_check(const Draft& draft, const Node& container) {
  const Node* probe = container.get("readinessProbe");
  const Node* test = probe ? probe_command(draft, container, *probe) : nullptr;
  if (!test) return nullptr;
  // Kubernetes waits as long as it takes; Compose gives up after this many attempts.
  constexpr int64_t kAttempts = 1000;
  const Maker& make = draft.make;
  const auto seconds = [&](std::string_view field, int64_t otherwise) {
    return make.copied(fmt::format("{}s", k8s::jobset::int_at(*probe, field).value_or(otherwise)));
  };
  return make.map({{"test", test},
                   {"interval", seconds("periodSeconds", 10)},
                   {"timeout", seconds("timeoutSeconds", 1)},
                   {"retries", make.integer(kAttempts)}});
}

void add_services(Draft& draft, const Pod& pod, const Conditions& after, bool waited_for, Fields& services) {
  const Node* main = pod.parts->main;
  if (!main) return;
  note_left_out(draft, pod);
  Conditions before = after;
  for (const Node* container : items_at(*pod.spec, "initContainers")) {
    const std::string name = service_name(draft, pod, *container);
    const bool is_beside = is_sidecar(*container);
    if (is_beside)
      draft.note(fmt::format("sidecar \"{}\" is a service of its own: localhost does not reach it",
                             text_at(*container, "name")));
    services.set(name, ServiceMaker(draft, pod, *container).take(Role::Init, before, false));
    if (!is_beside) before.clear();
    before.emplace_back(name, is_beside ? kStarted : kCompleted);
  }
  services.set(pod.service, ServiceMaker(draft, pod, *main).take(Role::Main, before, waited_for));
  for (const Node* container : items_at(*pod.spec, "containers")) {
    if (container == main) continue;
    const std::string name = service_name(draft, pod, *container);
    services.set(name,
                 ServiceMaker(draft, pod, *container).take(Role::Beside, {{pod.service, kStarted}}, false));
  }
}

}  // namespace trainjobc::compose
