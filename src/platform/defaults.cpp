// SPDX-License-Identifier: Apache-2.0

#include "platform/defaults.h"

#include <array>
#include <span>
#include <string_view>

#include "k8s/pod/pod.h"
#include "policy/runtime_info.h"
#include "yaml/changes.h"

namespace trainjobc::platform {
namespace {

using yaml::Kind;
using yaml::Maker;
using yaml::Node;

struct Default {
  std::string_view key;
  Kind kind = Kind::String;
  std::string_view value = "";
};

constexpr auto kOfJob = std::to_array<Default>({
    {"parallelism", Kind::Int, "1"},
    {"backoffLimit", Kind::Int, "6"},
    {"completionMode", Kind::String, "NonIndexed"},
    {"suspend", Kind::Bool, "false"},
    {"podReplacementPolicy", Kind::String, "TerminatingOrFailed"},
});
constexpr auto kOfPod = std::to_array<Default>({
    {"restartPolicy", Kind::String, "Always"},
    {"terminationGracePeriodSeconds", Kind::Int, "30"},
    {"dnsPolicy", Kind::String, "ClusterFirst"},
    {"schedulerName", Kind::String, "default-scheduler"},
    {"enableServiceLinks", Kind::Bool, "true"},
    {"securityContext", Kind::Map},
});
constexpr auto kOfContainer = std::to_array<Default>({
    {"resources", Kind::Map},
    {"terminationMessagePath", Kind::String, "/dev/termination-log"},
    {"terminationMessagePolicy", Kind::String, "File"},
});

const Node* value_of(const Default& one, const Maker& make, yaml::Origin origin) {
  if (one.kind == Kind::Map) return make.map(std::span<const yaml::Entry>(), origin);
  if (one.kind == Kind::Bool) return make.boolean(one.value == "true", origin);
  return one.kind == Kind::String ? make.string(one.value, origin) : make.plain(one.kind, one.value, origin);
}

const Node* with_defaults(const Node* map, std::span<const Default> defaults, const Maker& make) {
  const yaml::Origin origin = make.made("default", {map});
  for (const Default& one : defaults) {
    if (!map->get(one.key)) map = make.with(map, one.key, value_of(one, make, origin));
  }
  return map;
}

const Node* with_container_defaults(const Node& container, const Maker& make) {
  const Node* changed = with_requests(container, make);
  if (!changed->get("imagePullPolicy")) {
    const Node* image = container.get("image");
    changed = make.with(
        changed, "imagePullPolicy",
        make.string(k8s::pod::default_pull_policy(yaml::text_of(image)), make.made("default", {image})));
  }
  return with_defaults(changed, kOfContainer, make);
}

}  // namespace

const Node* with_requests(const Node& owner, const Maker& make,
                          const std::function<bool(std::string_view)>& is_left_out) {
  const Node* limits = owner.at({"resources", "limits"});
  if (!limits || !limits->is_map()) return &owner;
  const Node* requests = owner.at({"resources", "requests"});
  std::vector<yaml::Entry> entries;
  if (requests) entries.assign(requests->entries().begin(), requests->entries().end());
  for (const yaml::Entry& limit : limits->entries()) {
    if (requests && requests->get(limit.key)) continue;
    if (!is_left_out || !is_left_out(limit.key)) entries.push_back(limit);
  }
  const yaml::Origin origin = requests ? requests->origin() : limits->origin();
  return make.with_path(&owner, {"resources", "requests"}, make.map(entries, origin));
}

const Node* with_job_defaults(const Node& job, const Maker& make) {
  const Node* spec = job.get("spec");
  if (!spec->get("completions") && !spec->get("parallelism"))
    spec = make.with(spec, "completions", make.integer(1, make.made("default", {spec})));
  return make.with(&job, "spec", with_defaults(spec, kOfJob, make));
}

const Node* with_pod_defaults(const Node& spec, const Maker& make) {
  const Node* changed = &spec;
  for (const std::string_view key : {"initContainers", "containers"}) {
    const Node* list = changed->get(key);
    if (!list || !list->is_list()) continue;
    const auto change = [&](const Node& container) { return with_container_defaults(container, make); };
    changed = make.with(changed, key, yaml::with_each(*list, make, change));
  }
  // A limit of the pod as a whole becomes a request where no container has one.
  const policy::Amounts of_containers =
      policy::pod_requests(*make.with(make.with(changed, "resources", nullptr), "overhead", nullptr));
  changed = with_requests(*changed, make, [&](std::string_view resource) {
    return of_containers.contains(std::string(resource));
  });
  return with_defaults(changed, kOfPod, make);
}

}  // namespace trainjobc::platform
