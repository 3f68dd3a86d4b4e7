// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/draft_objects.h"

#include <algorithm>
#include <iterator>

#include "model/queue_names.h"
#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::migrate::v1 {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// The map of the entries that have a value.
const Node* map_of(const Maker& make, std::initializer_list<Entry> entries, yaml::Origin origin = {}) {
  Entries given;
  std::ranges::copy_if(entries, std::back_inserter(given),
                       [](const Entry& entry) { return entry.value != nullptr; });
  return make.map(given, origin);
}

const Node* list_of_one(const Maker& make, const Node* item) {
  return make.list(NodeList{item});
}

const Node* replicated_job(const DraftRole& role, const Maker& make) {
  const Node* metadata = nullptr;
  if (role.trains)
    metadata = make.with_path(nullptr, {"labels", model::kAncestorLabel}, make.string(model::kTrainer));
  Entries spec;
  if (role.completions > 0) {
    spec.push_back({"parallelism", make.integer(role.completions), {}});
    spec.push_back({"completions", make.integer(role.completions), {}});
  }
  spec.insert(spec.end(), role.job_spec.begin(), role.job_spec.end());
  spec.push_back({"template", role.pods.node, {}});
  const Node* of_job = map_of(make, {{"metadata", metadata, {}}, {"spec", make.map(spec), {}}});
  return map_of(make, {{"name", make.copied(role.name), {}},
                       {"dependsOn", role.depends_on, {}},
                       {"replicas", role.replicas != 1 ? make.integer(role.replicas) : nullptr, {}},
                       {"template", of_job, {}}});
}

const Entry* find(const Entries& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found != entries.end() ? &*found : nullptr;
}

class TrainJobBuilder {
 public:
  TrainJobBuilder(const Conversion& conversion, const std::vector<Said>& say)
      : draft_(conversion.draft), job_(conversion.job), make_(conversion.make), say_(say) {}

  const Node* run(const RuntimeName& runtime, const std::string& manager) const {
    const bool is_default = runtime.kind == model::kClusterTrainingRuntime;
    const Node* ref = map_of(make_, {{"name", make_.copied(runtime.name), {}},
                                     {"kind", is_default ? nullptr : make_.string(runtime.kind), {}}});
    Entries spec;
    const auto add = [&](std::string_view key, const Node* value) {
      const Entry* own = job_.spec->at({"runPolicy"}) ? job_.spec->get("runPolicy")->find(key) : nullptr;
      if (value) spec.push_back({key, value, own ? own->key_origin : yaml::Origin()});
    };
    add("suspend", job_.run_policy("suspend"));
    add("managedBy", manager_of_job());
    add("activeDeadlineSeconds", job_.run_policy("activeDeadlineSeconds"));
    add("runtimeRef", ref);
    if (!draft_.is_own) add("trainer", trainer());
    add("runtimePatches", patches(manager));
    return map_of(make_,
                  {{"apiVersion", make_.string(model::kTrainerApiVersion), {}},
                   {"kind", make_.string(model::kTrainJob), {}},
                   {"metadata", job_.root->get("metadata"), {}},
                   {"spec", make_.map(spec, job_.spec->origin()), {}}},
                  job_.root->origin());
  }

 private:
  // The operators' own manager is the default, which Trainer expresses by no name.
  const Node* manager_of_job() const {
    const Node* manager = job_.run_policy("managedBy");
    return manager && manager->text().starts_with("kueue.x-k8s.io/") ? manager : nullptr;
  }

  const Node* trainer() const {
    const auto said = std::ranges::find_if(say_, &Said::trains);
    static const Entries kNothing;
    const Entries& entries = said != say_.end() ? said->trainer : kNothing;
    const auto value = [&](std::string_view key) {
      const Entry* entry = find(entries, key);
      return entry ? entry->value : nullptr;
    };
    return map_of(make_, {{"numNodes", draft_.num_nodes, {}},
                          {"numProcPerNode", draft_.processes, {}},
                          {"image", value("image"), {}},
                          {"command", value("command"), {}},
                          {"args", value("args"), {}},
                          {"env", value("env"), {}},
                          {"resourcesPerNode", value("resources"), {}}});
  }

  const Node* patch_of(const Said& said) const {
    Entries spec = said.pod;
    if (!said.container.empty()) {
      Entries container{{"name", make_.string(model::kNode), {}}};
      container.insert(container.end(), said.container.begin(), said.container.end());
      spec.push_back({"containers", list_of_one(make_, make_.map(container)), {}});
    }
    const Node* pod = map_of(
        make_, {{"metadata", said.metadata, {}}, {"spec", spec.empty() ? nullptr : make_.map(spec), {}}});
    const Node* of_job = make_.with_path(nullptr, {"spec", "template"}, pod);
    return map_of(make_, {{"name", make_.copied(said.job), {}}, {"template", of_job, {}}});
  }

  const Node* patches(const std::string& manager) const {
    NodeList jobs;
    for (const Said& said : say_) {
      if (said.is_patch()) jobs.push_back(patch_of(said));
    }
    const Node* metadata = nullptr;
    if (draft_.queue)
      metadata = make_.with_path(nullptr, {"annotations", model::kVolcanoQueue}, draft_.queue);
    if (jobs.empty() && !metadata) return nullptr;
    const Node* spec = jobs.empty() ? nullptr : make_.with(nullptr, "replicatedJobs", make_.list(jobs));
    const Node* of_runtime = map_of(make_, {{"metadata", metadata, {}}, {"spec", spec, {}}});
    const Node* patch =
        map_of(make_, {{"manager", make_.copied(manager), {}},
                       {"trainingRuntimeSpec", make_.with(nullptr, "template", of_runtime), {}}});
    return list_of_one(make_, patch);
  }

  const Draft& draft_;
  const Job& job_;
  const Maker& make_;
  const std::vector<Said>& say_;
};

}  // namespace

const Node* complete_spec(const Draft& draft, const Maker& make) {
  const Node* policy = nullptr;
  if (!draft.is_own) {
    Entries entries{{"numNodes", make.integer(1), {}}};
    entries.insert(entries.end(), draft.policy.begin(), draft.policy.end());
    policy = make.map(entries);
  }
  NodeList jobs;
  for (const DraftRole& role : draft.roles) jobs.push_back(replicated_job(role, make));
  Entries job_set = draft.job_set;
  job_set.push_back({"replicatedJobs", make.list(jobs), {}});
  return map_of(make, {{"mlPolicy", policy, {}},
                       {"podGroupPolicy", draft.gang, {}},
                       {"template", make.with(nullptr, "spec", make.map(job_set)), {}}});
}

const Node* runtime_object(const RuntimeName& id, std::string_view framework, const Node& spec,
                           const Maker& make) {
  const Node* labels = make.with(nullptr, model::kFrameworkLabel, make.string(framework));
  const Node* metadata = map_of(make, {{"name", make.copied(id.name), {}},
                                       {"namespace", id.ns.empty() ? nullptr : make.copied(id.ns), {}},
                                       {"labels", labels, {}}});
  return map_of(make, {{"apiVersion", make.string(model::kTrainerApiVersion), {}},
                       {"kind", make.string(id.kind), {}},
                       {"metadata", metadata, {}},
                       {"spec", &spec, {}}});
}

const Node* train_job_object(const Conversion& conversion, const RuntimeName& runtime,
                             const std::vector<Said>& say, const std::string& manager) {
  return TrainJobBuilder(conversion, say).run(runtime, manager);
}

}  // namespace trainjobc::migrate::v1
