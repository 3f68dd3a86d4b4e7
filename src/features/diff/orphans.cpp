// SPDX-License-Identifier: Apache-2.0

#include "features/diff/orphans.h"

#include <algorithm>
#include <array>

#include "compile/snapshot.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

constexpr std::array<std::string_view, 2> kManagers{"trainer", "trainjobc"};

// The TrainJob in a helper's name; "" if there is none.
std::string_view job_of_helper(const LiveObject& object) {
  const std::string_view name = object.name;
  if (object.kind == "JobSet") return name;
  const policy::OwnedObject* owned = policy::find_owned_object(object.kind, name);
  return owned ? owned->job_of(name) : std::string_view();
}

// The TrainJob among the owners; "" if there is none.
std::string_view owning_job(const LiveObject& object) {
  for (const Node* owner : items_at(*object.root, {"metadata", "ownerReferences"})) {
    if (text_at(*owner, "kind") == model::kTrainJob) return text_at(*owner, "name");
  }
  return {};
}

bool is_managed_by_trainer(const LiveObject& object) {
  return std::ranges::any_of(items_at(*object.root, {"metadata", "managedFields"}), [](const Node* entry) {
    return std::ranges::find(kManagers, text_at(*entry, "manager")) != kManagers.end();
  });
}

bool has_ancestor_label(const LiveObject& object) {
  return std::ranges::any_of(items_at(*object.root, {"spec", "replicatedJobs"}), [](const Node* job) {
    return job->at({"template", "metadata", "labels", model::kAncestorLabel}) != nullptr;
  });
}

bool has_no_maker(const LiveObject& object) {
  return !object.root->at({"metadata", "managedFields"}) && !object.root->at({"metadata", "ownerReferences"});
}

size_t number_of(std::string_view job, const LiveObject& object, const JobNames& jobs) {
  const auto found = jobs.find({object.ns, std::string(job)});
  return job.empty() || found == jobs.end() ? kNoJob : found->second;
}

}  // namespace

bool is_trainers(const LiveObject& object, const JobNames& jobs) {
  const std::string_view group = group_of(object.api_version);
  if (object.kind == "JobSet") {
    if (group != group_of(model::kJobSetApiVersion)) return false;
    return !owning_job(object).empty() || is_managed_by_trainer(object) || has_ancestor_label(object) ||
           has_no_maker(object);
  }
  const bool can_be =
      object.kind == "PodGroup" || ((object.kind == "Secret" || object.kind == "ConfigMap") && group.empty());
  if (!can_be || object.name.ends_with(compile::kSnapshotSuffix)) return false;
  return !owning_job(object).empty() || is_managed_by_trainer(object) ||
         number_of(job_of_helper(object), object, jobs) != kNoJob;
}

bool is_helper_name(std::string_view kind, std::string_view name, std::string_view job) {
  const policy::OwnedObject* owned = policy::find_owned_object(kind, name);
  return owned && owned->job_of(name) == job;
}

size_t job_of(const LiveObject& object, const JobNames& jobs) {
  const size_t owner = number_of(owning_job(object), object, jobs);
  return owner != kNoJob ? owner : number_of(job_of_helper(object), object, jobs);
}

}  // namespace trainjobc::diff
