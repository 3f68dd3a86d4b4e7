// SPDX-License-Identifier: Apache-2.0

// Jobs of the operators' API versions before kubeflow.org/v1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "features/migrate/v1/job.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// Fields of spec that are in spec.runPolicy in v1.
constexpr std::array<std::string_view, 5> kOfSpec{"activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy",
                                                  "schedulingPolicy", "ttlSecondsAfterFinished"};

const Node* with_run_policy(const Node* spec, const Maker& make) {
  const Node* policy = spec->get("runPolicy");
  for (const std::string_view field : kOfSpec) {
    const Node* value = spec->get(field);
    if (!value) continue;
    spec = make.with(spec, field, nullptr);
    if (!policy || !policy->get(field)) policy = make.with(policy, field, value);
  }
  return make.with(spec, "runPolicy", policy);
}

// v1alpha1 of TFJob and PyTorchJob: the replicas are a list, their role is a field, and the restart policy is
// the pods'.
class ReplicaList {
 public:
  ReplicaList(const model::V1Kind& kind, const Maker& make, V1Findings& findings)
      : kind_(kind), make_(make), findings_(findings) {}

  const Node* run(const Node* spec) {
    const Node* list = spec->get("replicaSpecs");
    const Node* replicas = nullptr;
    for (const Node* item : list->items()) {
      const std::string_view role = role_of(*item);
      if (!role.empty()) replicas = make_.with(replicas, role, of_replica(*item));
    }
    for (const std::string_view field : {"replicaSpecs", "tfImage", "RuntimeId", "runtimeId"})
      spec = make_.with(spec, field, nullptr);
    if (const Node* policy = spec->get("terminationPolicy")) {
      const std::string_view chief = yaml::text_at(*policy, {"chief", "replicaName"});
      if (!chief.empty() && base::lower_case(chief) != "master")
        findings_.change("spec.terminationPolicy", "the job ends with its master or its first worker",
                         "remove it if this is what you want", policy);
      spec = make_.with(spec, "terminationPolicy", nullptr);
    }
    return make_.with(spec, kind_.replica_specs, replicas);
  }

 private:
  std::string_view role_of(const Node& item) {
    const Node* type = item.get("tfReplicaType");
    if (!type) type = item.get("replicaType");
    const std::string wanted = type ? base::lower_case(type->text()) : "master";
    for (const std::string_view role : kind_.roles) {
      if (base::lower_case(role) == wanted) return role;
    }
    findings_.lose("spec.replicaSpecs", fmt::format("{} has no replicas \"{}\"", kind_.kind, wanted),
                   fmt::format("it has {}", fmt::join(kind_.roles, ", ")), type);
    return "";
  }

  const Node* of_replica(const Node& item) const {
    const Node* replica = &item;
    for (const std::string_view field : {"tfReplicaType", "replicaType", "tfPort", "masterPort"})
      replica = make_.with(replica, field, nullptr);
    const Node* policy = item.at({"template", "spec", "restartPolicy"});
    return policy ? make_.with(replica, "restartPolicy", policy) : replica;
  }

  const model::V1Kind& kind_;
  const Maker& make_;
  V1Findings& findings_;
};

// v1alpha1 of MPIJob: one template for the launcher, which gets no resources, and for the workers, which run
// nothing by themselves.
class MpiTemplate {
 public:
  MpiTemplate(const Maker& make, V1Findings& findings) : make_(make), findings_(findings) {}

  const Node* run(const Node* spec) {
    const Node* pod = spec->get("template");
    const auto containers =
        pod ? yaml::items_at(*pod, {"spec", "containers"}) : std::span<const Node* const>();
    if (containers.empty()) {
      findings_.lose("spec.template", "the MPIJob has no containers", "", pod ? pod : spec);
      return spec;
    }
    if (const Node* master = spec->get("launcherOnMaster"); master && master->as_bool() == true)
      findings_.lose(
          "spec.launcherOnMaster", "Trainer does not choose the launcher's machine",
          "remove it, and write the node selector and tolerations into the launcher of an MPIJob v1", master);
    const Node* count = count_of(*spec, *containers.front());
    if (!count) return spec;
    const Node* worker = make_.with(containers.front(), "command", nullptr);
    worker = make_.with(worker, "args", nullptr);
    if (limit_) worker = make_.with_path(worker, {"resources", "limits", limit_name_}, limit_);
    const Node* launcher = make_.with(containers.front(), "resources", nullptr);
    std::vector<Entry> roles{{"Launcher", replica(*pod, launcher, make_.integer(1), spec), {}},
                             {"Worker", replica(*pod, worker, count, nullptr), {}}};
    const Node* slots = spec->get("slotsPerWorker");
    if (!slots) slots = units_;
    for (const std::string_view field :
         {"template", "replicas", "gpus", "gpusPerNode", "processingUnits", "processingUnitsPerNode",
          "processingResourceType", "launcherOnMaster"})
      spec = make_.with(spec, field, nullptr);
    spec = make_.with(spec, "slotsPerWorker", slots);
    return make_.with(spec, "mpiReplicaSpecs", make_.map(roles));
  }

 private:
  const Node* replica(const Node& pod, const Node* container, const Node* count, const Node* spec) const {
    const Node* containers = pod.at({"spec", "containers"});
    std::vector<const Node*> items = yaml::copied_items(containers);
    items.front() = container;
    const Node* own = make_.with_path(&pod, {"spec", "containers"}, make_.list(items, containers->origin()));
    const Node* made = make_.with(nullptr, "replicas", count);
    if (spec) {
      const bool is_never = yaml::text_at(pod, {"spec", "restartPolicy"}) == "Never";
      made = make_.with(made, "restartPolicy", make_.string(is_never ? "Never" : "OnFailure"));
    }
    return make_.with(made, "template", own);
  }

  // The number of workers; sets units_ to what each of them gets. nullptr with a finding.
  const Node* count_of(const Node& spec, const Node& container) {
    const bool counts_gpus = yaml::text_at(spec, "processingResourceType") != "cpu";
    limit_name_ = counts_gpus ? "nvidia.com/gpu" : "cpu";
    if (const Node* replicas = spec.get("replicas"); replicas && replicas->is_int()) {
      units_ = container.at({"resources", "limits", limit_name_});
      if (units_ && !units_->as_int()) units_ = nullptr;
      return replicas;
    }
    const Node* total = spec.get("gpus");
    const Node* per_node = spec.get(total ? "gpusPerNode" : "processingUnitsPerNode");
    if (!total) total = spec.get("processingUnits");
    const int64_t all = total ? total->as_int().value_or(0) : 0;
    const int64_t each = per_node ? per_node->as_int().value_or(0) : 0;
    if (all <= 0 || each <= 0 || (all > each && all % each != 0)) {
      findings_.lose("spec", "the number of workers depends on the operator's settings",
                     "write spec.gpusPerNode, or spec.replicas", total ? total : &spec);
      return nullptr;
    }
    units_ = make_.integer(std::min(all, each), total->origin());
    limit_ = units_;
    return make_.integer(std::max<int64_t>(all / each, 1), total->origin());
  }

  const Maker& make_;
  V1Findings& findings_;
  const Node* units_ = nullptr;  // per worker
  const Node* limit_ = nullptr;  // to be added to each worker's limits
  std::string_view limit_name_;
};

}  // namespace

const Node* in_form_of_v1(const Node& root, const model::V1Kind& kind, const Maker& make,
                          V1Findings& findings) {
  const Node* spec = root.get("spec");
  if (!spec || !spec->is_map()) return &root;
  const bool is_mpi = kind.kind == "MPIJob";
  if (is_mpi && spec->get("template")) {
    spec = MpiTemplate(make, findings).run(spec);
  } else if (const Node* list = spec->get("replicaSpecs"); !is_mpi && list && list->is_list()) {
    spec = ReplicaList(kind, make, findings).run(spec);
  }
  return make.with(&root, "spec", with_run_policy(spec, make));
}

}  // namespace trainjobc::migrate::v1
