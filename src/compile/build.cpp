// SPDX-License-Identifier: Apache-2.0

#include "compile/build.h"

#include <algorithm>
#include <array>

#include "compile/counted_nodes.h"
#include "compile/merge/merge.h"
#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "yaml/changes.h"
#include "yaml/fields.h"

namespace trainjobc::compile {
namespace {

using policy::Container;
using policy::NodeList;
using policy::PodSet;
using policy::RuntimeInfo;
using yaml::Maker;
using yaml::Node;

// A cluster compares the claims of two JobSets as written, including empty structs.
constexpr std::string_view kVolumeClaimPolicies = "volumeClaimPolicies";

// `map` with `key` set to the list, unless it is already that; an empty list removes the key.
const Node* with_list(const Maker& make, const Node* map, std::string_view key, const NodeList& list) {
  const Node* old = map->get(key);
  if (old && std::ranges::equal(old->items(), list)) return map;
  if (list.empty()) return old ? make.with(map, key, nullptr) : map;
  return make.with(map, key, make.list(list, old ? old->origin() : map->origin()));
}

// The template's list with the policy's elements upserted into it. The two share their storage in the
// controller, so what a policy replaced in place is replaced in the template too.
template <class Upsert>
NodeList sync(const Node* from_template, const NodeList& from_policy, Upsert upsert) {
  NodeList list(from_policy.begin(),
                from_policy.begin() + static_cast<std::ptrdiff_t>(std::min(
                                          from_policy.size(), from_template ? from_template->size() : 0)));
  for (const Node* item : from_policy) upsert(list, item);
  return list;
}

// The parts of one container that the build works on.
class ContainerBuilder {
 public:
  ContainerBuilder(const Maker& make, const Container& container)
      : make_(make), node_(container.node ? container.node : new_container(make, container)) {
    env = sync(node_->get("env"), container.env, policy::upsert_env);
    ports_ = sync(node_->get("ports"), container.ports, policy::upsert_port);
    mounts_ = sync(node_->get("volumeMounts"), container.volume_mounts, policy::upsert_volume_mount);
    if (container.command && container.command->size() > 0) set("command", container.command);
    if (container.image && !container.image->text().empty()) set("image", container.image);
  }

  NodeList env;

  void set(std::string_view key, const Node* value) {
    if (node_->get(key) != value) node_ = make_.with(node_, key, value);
  }
  // An empty list clears the field.
  void set_words(std::string_view key, const Node* words) { set(key, words->size() > 0 ? words : nullptr); }

  void add_env_from(const Node& secret_ref) {
    NodeList sources = yaml::copied_items(node_->get("envFrom"));
    const Node* name = secret_ref.get("name");
    if (!name) name = make_.string("", secret_ref.origin());
    const Node* reference = policy::map_of(make_, {{"name", name}}, secret_ref.origin());
    sources.push_back(policy::map_of(make_, {{"secretRef", reference}}, secret_ref.origin()));
    set("envFrom", make_.list(sources, secret_ref.origin()));
  }

  const Node* finish() {
    node_ = with_list(make_, node_, "env", env);
    node_ = with_list(make_, node_, "ports", ports_);
    return with_list(make_, node_, "volumeMounts", mounts_);
  }

 private:
  static const Node* new_container(const Maker& make, const Container& container) {
    const yaml::Origin origin = make.made("policy/container");
    return policy::map_of(make, {{"name", make.copied(container.name, origin)}}, origin);
  }

  const Maker& make_;
  const Node* node_;
  NodeList ports_;
  NodeList mounts_;
};

class JobSetBuilder {
 public:
  JobSetBuilder(const RuntimeInfo& info, const Maker& make) : info_(info), job_(*info.job), make_(make) {}

  const Node* build() const {
    NodeList jobs;
    for (const PodSet& set : info_.pod_sets) jobs.push_back(build_replicated_job(set));
    const Node* spec = info_.job_set_spec;
    if (!jobs.empty()) spec = with_list(make_, spec, "replicatedJobs", jobs);
    spec = make_.with(spec, "suspend", job_.suspend);
    const yaml::Origin origin = make_.made("jobset", {job_.root});
    return policy::map_of(
        make_,
        {{"apiVersion", make_.string(model::kJobSetApiVersion, origin)},
         {"kind", make_.string("JobSet", origin)},
         {"metadata", policy::owned_metadata(make_, job_, job_.id.name, to_map(info_.labels, "labels"),
                                             to_map(info_.annotations, "annotations"))},
         {"spec", spec}},
        origin);
  }

 private:
  const Node* to_map(const policy::StringMap& map, std::string_view key) const {
    const NodeList steps = metadata_steps(info_, key, make_);
    const yaml::Derivation made{kMergedMetadataRule, make_.arena().copy(steps)};
    return make_.map(map, yaml::Origin(make_.arena().make(made)));
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
    const bool is_own = pods.source == spec->get("parallelism");
    const Node* count =
        make_.integer(pods.value, make_.made(is_own ? "trainer/parallelism" : kPodCountRule, {pods.source}));
    spec = make_.with(spec, "parallelism", count);
    spec = make_.with(spec, "completions", count);
    spec = make_.with(spec, "template", build_pod_template(set, spec->get("template")));
    return make_.with_path(job, {"template", "spec"}, spec);
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
    spec = with_list(make_, spec, "volumes", sync(spec->get("volumes"), set.volumes, policy::upsert_volume));
    NodeList init_containers;
    for (const Container& container : set.init_containers) {
      const bool as_it_is = container.node && !info_.behaviours->rebuilds_init_containers;
      init_containers.push_back(as_it_is ? container.node : ContainerBuilder(make_, container).finish());
    }
    NodeList containers;
    for (const Container& container : set.containers) containers.push_back(build_container(set, container));
    spec = with_list(make_, spec, "initContainers", init_containers);
    return with_list(make_, spec, "containers", containers);
  }

  const Node* build_container(const PodSet& set, const Container& container) const {
    ContainerBuilder builder(make_, container);
    if (set.ancestor == model::kDatasetInitializer)
      initialize(builder, container, model::kDatasetInitializer, job_.dataset);
    if (set.ancestor == model::kModelInitializer)
      initialize(builder, container, model::kModelInitializer, job_.model);
    if (container.name == model::kNode && job_.trainer) train(builder, set);
    return builder.finish();
  }

  void initialize(ContainerBuilder& builder, const Container& container, std::string_view name,
                  const std::optional<model::Initializer>& initializer) const {
    if (container.name != name || !initializer) return;
    if (initializer->storage_uri) {
      const Node* uri = initializer->storage_uri->node;
      policy::upsert_env(builder.env, policy::env_value(make_, "STORAGE_URI", uri->text(),
                                                        make_.made("initializer/STORAGE_URI", {uri})));
    }
    policy::upsert_job_env(make_, builder.env, initializer->env);
    if (initializer->secret_ref) builder.add_env_from(*initializer->secret_ref);
  }

  void train(ContainerBuilder& builder, const PodSet& set) const {
    const bool trains = set.ancestor == model::kTrainer;
    if (trains) {
      if (job_.trainer->image) builder.set("image", job_.trainer->image);
      if (info_.trainer_command) builder.set_words("command", info_.trainer_command);
      if (info_.trainer_args) builder.set_words("args", info_.trainer_args);
    }
    if (trains || policy::is_launched_node(info_, set))
      policy::upsert_job_env(make_, builder.env, job_.trainer->env);
  }

  const RuntimeInfo& info_;
  const model::TrainJob& job_;
  const Maker& make_;
};

bool is_empty_struct(const yaml::Entry& entry) {
  static constexpr std::array<std::string_view, 4> kStructs{"metadata", "resources", "status", "strategy"};
  return entry.value->is_map() && entry.value->size() == 0 &&
         std::ranges::find(kStructs, entry.key) != kStructs.end();
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
  yaml::ChangedList changed(node);
  for (const Node* item : node.items()) changed.take(without_empty_structs(*item, make));
  return changed.node(make);
}

}  // namespace trainjobc::compile
