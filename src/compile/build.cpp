// SPDX-License-Identifier: Apache-2.0

#include "compile/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/merge.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "yaml/changes.h"

namespace trainjobc::compile {
namespace {

using policy::Container;
using policy::NodeList;
using policy::PodSet;
using policy::RuntimeInfo;
using yaml::Maker;
using yaml::Node;

// A cluster compares the claims of two JobSets as they are written, including empty structs.
constexpr std::string_view kVolumeClaimPolicies = "volumeClaimPolicies";

class JobSetBuilder {
 public:
  JobSetBuilder(const RuntimeInfo& info, const Maker& make) : info_(info), job_(*info.job), make_(make) {}

  const Node* build() const {
    NodeList jobs;
    for (const PodSet& set : info_.pod_sets) jobs.push_back(build_replicated_job(set));
    const Node* spec = info_.job_set_spec;
    if (!jobs.empty()) spec = policy::with_list(make_, spec, "replicatedJobs", jobs);
    spec = make_.with(spec, "suspend", job_.suspend);
    const yaml::Origin origin = make_.made("jobset", {job_.root});
    return make_.map(
        {{"apiVersion", make_.string(model::kJobSetApiVersion, origin)},
         {"kind", make_.string("JobSet", origin)},
         {"metadata", policy::owned_metadata(make_, job_, job_.id.name, to_map(info_.labels, "labels"),
                                             to_map(info_.annotations, "annotations"))},
         {"spec", spec}},
        origin);
  }

 private:
  const Node* to_map(const policy::StringMap& map, std::string_view key) const {
    return make_.map(map, make_.made(kMergedMetadataRule, metadata_steps(info_, key, make_)));
  }

  bool is_initializer(const PodSet& set) const {
    return set.ancestor == model::kDatasetInitializer || set.ancestor == model::kModelInitializer;
  }

  const policy::PodCount& pod_count(const PodSet& set) const {
    if (set.ancestor != model::kTrainer || !info_.behaviours->first_trainer_counts) return set.count;
    return std::ranges::find(info_.pod_sets, model::kTrainer, &PodSet::ancestor)->count;
  }

  const Node* build_replicated_job(const PodSet& set) const {
    const Node* job = set.replicated_job;
    if (set.ancestor == model::kTrainer || is_initializer(set)) {
      const Node* replicas = job->get("replicas");
      if (!replicas || replicas->as_int() != 1)
        job = make_.with(job, "replicas", make_.integer(1, make_.made("trainer/replicas", {replicas})));
    }
    const policy::PodCount& pods = pod_count(set);
    const Node* spec = job->at({"template", "spec"});
    const Node* count = make_.integer(pods.value, origin_of(pods, *spec));
    spec = make_.with(spec, "parallelism", count);
    spec = make_.with(spec, "completions", count);
    spec = make_.with(spec, "template", build_pod_template(set, spec->get("template")));
    return make_.with_path(job, {"template", "spec"}, spec);
  }

  yaml::Origin origin_of(const policy::PodCount& pods, const Node& job_spec) const {
    if (pods.source == job_spec.get("parallelism")) return make_.made("trainer/parallelism", {pods.source});
    return make_.made("trainer/pod-count", NodeList{pods.source}, "numNodes");
  }

  const Node* build_pod_template(const PodSet& set, const Node* pod_template) const {
    pod_template = make_.with(pod_template, "spec", build_pod_spec(set));
    pod_template = with_strings(pod_template, "labels", info_.pod_labels);
    return with_strings(pod_template, "annotations", info_.pod_annotations);
  }

  const Node* with_strings(const Node* pod_template, std::string_view key,
                           const policy::StringMap& more) const {
    if (more.empty()) return pod_template;
    const Node* strings = pod_template->at({"metadata", key});
    for (const yaml::Entry& entry : more) strings = make_.with(strings, entry.key, entry.value);
    return make_.with_path(pod_template, {"metadata", key}, strings);
  }

  const Node* build_pod_spec(const PodSet& set) const {
    const Node* spec = set.pod_spec();
    NodeList init_containers;
    for (const Container& container : set.init_containers) {
      const bool as_it_is = container.node && !info_.behaviours->rebuilds_init_containers;
      init_containers.push_back(as_it_is ? container.node
                                         : policy::to_node(make_, policy::written_back(container)));
    }
    NodeList containers;
    for (const Container& container : set.containers) containers.push_back(build_container(set, container));
    spec = policy::with_list(make_, spec, "volumes", policy::written_back(spec->get("volumes"), set.volumes));
    spec = policy::with_list(make_, spec, "initContainers", init_containers);
    return policy::with_list(make_, spec, "containers", containers);
  }

  const Node* build_container(const PodSet& set, const Container& container) const {
    Container written = policy::written_back(container);
    if (const model::Initializer* initializer = initializer_for(set, container)) {
      add_env(written, *initializer);
      const Node* node = policy::to_node(make_, written);
      return initializer->secret_ref ? with_env_from(node, *initializer->secret_ref) : node;
    }
    const bool is_node = container.name == model::kNode && job_.trainer;
    const bool trains = is_node && set.ancestor == model::kTrainer;
    if (trains || (is_node && policy::is_launched_node(info_, set)))
      policy::upsert_job_env(make_, written.env, job_.trainer->env);
    const Node* node = policy::to_node(make_, written);
    return trains ? with_program(node) : node;
  }

  const model::Initializer* initializer_for(const PodSet& set, const Container& container) const {
    if (!is_initializer(set) || container.name != set.ancestor) return nullptr;
    const auto& initializer = set.ancestor == model::kDatasetInitializer ? job_.dataset : job_.model;
    return initializer ? &*initializer : nullptr;
  }

  void add_env(Container& container, const model::Initializer& initializer) const {
    if (initializer.storage_uri) {
      const Node* uri = initializer.storage_uri->node;
      policy::upsert_env(container.env, policy::env_value(make_, "STORAGE_URI", uri->text(),
                                                          make_.made("initializer/STORAGE_URI", {uri})));
    }
    policy::upsert_job_env(make_, container.env, initializer.env);
  }

  const Node* with_env_from(const Node* container, const Node& secret_ref) const {
    NodeList sources = yaml::copied_items(container->get("envFrom"));
    const Node* name = secret_ref.get("name");
    if (!name) name = make_.string("", secret_ref.origin());
    const Node* reference = make_.map({{"name", name}}, secret_ref.origin());
    sources.push_back(make_.map({{"secretRef", reference}}, secret_ref.origin()));
    return make_.with(container, "envFrom", make_.list(sources, secret_ref.origin()));
  }

  // The container with the job's image, command and arguments; an empty list clears the runtime's.
  const Node* with_program(const Node* container) const {
    const auto set = [&](std::string_view key, const Node* value) {
      if (container->get(key) != value) container = make_.with(container, key, value);
    };
    const auto words = [](const Node& list) { return list.size() > 0 ? &list : nullptr; };
    if (job_.trainer->image) set("image", job_.trainer->image);
    if (info_.trainer_command) set("command", words(*info_.trainer_command));
    if (info_.trainer_args) set("args", words(*info_.trainer_args));
    return container;
  }

  const RuntimeInfo& info_;
  const model::TrainJob& job_;
  const Maker& make_;
};

bool is_empty_struct(const yaml::Entry& entry) {
  static constexpr std::array<std::string_view, 4> kStructs{"metadata", "resources", "status", "strategy"};
  return entry.value->is_map() && entry.value->size() == 0 && base::contains(kStructs, entry.key);
}

}  // namespace

const Node* build_job_set(const RuntimeInfo& info, const Maker& make) {
  return JobSetBuilder(info, make).build();
}

const Node* with_stored_claims(const Node* job_set, const Node& admitted, const Maker& make) {
  const Node* claims = admitted.at({"spec", kVolumeClaimPolicies});
  if (!claims || claims == job_set->at({"spec", kVolumeClaimPolicies})) return job_set;
  return make.with_path(job_set, {"spec", kVolumeClaimPolicies}, claims);
}

const Node* without_empty_structs(const Node& node, const Maker& make) {
  if (node.is_map()) {
    yaml::ChangedMap changed(node);
    for (const yaml::Entry& entry : node.entries()) {
      const bool is_stored = entry.key == kVolumeClaimPolicies;
      const Node* value = is_stored ? entry.value : without_empty_structs(*entry.value, make);
      changed.take(is_empty_struct({entry.key, value, {}}) ? nullptr : value);
    }
    return changed.node(make);
  }
  if (!node.is_list()) return &node;
  return yaml::with_each(node, make, [&](const Node& item) { return without_empty_structs(item, make); });
}

}  // namespace trainjobc::compile
