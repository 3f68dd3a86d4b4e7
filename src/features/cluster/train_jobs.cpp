// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/train_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/text/text.h"
#include "compile/input.h"
#include "features/objects/differences.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "schema/strategic_merge.h"

namespace trainjobc::cluster {
namespace {

using schema::FieldDifference;
using schema::FieldPath;
using yaml::Node;

constexpr std::string_view kPatches = "runtimePatches";
constexpr std::array<std::string_view, 3> kGuarded{kPatches, "podTemplateOverrides", "podSpecOverrides"};

bool is_guarded(const FieldPath& path) {
  return path.size() > 1 && path[0].key == "spec" && base::contains(kGuarded, path[1].key);
}

// The webhook sets the time of a patch.
bool is_time(const FieldPath& path) {
  return path[1].key == kPatches && path.size() == 4 && path[3].key == "time";
}

// Whether the field is a patch of a manager that the inputs don't have.
bool is_others(const FieldDifference& field) {
  return field.path[1].key == kPatches && field.path.size() <= 3 && !field.rendered;
}

// The replicatedJob whose Jobs are still running; "" if there is none.
std::string active_job(const Node* job_set) {
  const Node* statuses = job_set ? job_set->at({"status", "replicatedJobsStatus"}) : nullptr;
  for (const Node* status : yaml::items_of(statuses)) {
    const Node* active = status->get("active");
    const Node* name = status->get("name");
    if (active && name && active->text() != "0") return std::string(name->text());
  }
  return "";
}

}  // namespace

bool has_guarded_fields(const Node& train_job) {
  return std::ranges::any_of(kGuarded, [&](std::string_view field) {
    const Node* value = train_job.at({"spec", field});
    return value && value->size() > 0;
  });
}

bool names_queue(const Node& object) {
  return !text_at(object, {"metadata", "labels", model::kKueueLabel}).empty();
}

std::vector<objects::Difference> refused_patches(const Node& wanted, const Node& live, const Node* job_set,
                                                 const schema::Schema* schema) {
  std::vector<objects::Difference> refused;
  const std::string active = active_job(job_set);
  for (FieldDifference& field : schema::compare(wanted, live, schema)) {
    if (!is_guarded(field.path) || is_time(field.path) || is_others(field)) continue;
    const std::string_view name = field.path[1].key;
    // Trainer 2.0 and 2.1 check only the new object.
    const bool suspended = yaml::is_true_at(wanted, {"spec", "suspend"}) ||
                           (name == kPatches && yaml::is_true_at(live, {"spec", "suspend"}));
    objects::Difference difference = objects::difference_in(field);
    if (!suspended) {
      difference.refusal =
          fmt::format("spec.{} of a TrainJob can be changed only while it is suspended", name);
      difference.remedy = "suspend it first (spec.suspend: true) and wait until its Jobs are gone";
    } else if (!active.empty()) {
      difference.refusal = fmt::format("spec.{} can't be changed while Jobs of \"{}\" run", name, active);
      difference.remedy = "wait until they are gone";
    } else {
      continue;
    }
    difference.path = std::move(field.path);
    refused.push_back(std::move(difference));
  }
  return refused;
}

const Node* with_patches_of_others(const Node& job_set, const Node& wanted, const Node& live,
                                   const schema::Schema& schema, const yaml::Maker& make) {
  const auto own = items_at(wanted, {"spec", kPatches});
  const Node* patched = &job_set;
  for (const Node* patch : items_at(live, {"spec", kPatches})) {
    const auto is_same = [&](const Node* other) {
      return text_at(*other, "manager") == text_at(*patch, "manager");
    };
    const Node* change = patch->at({"trainingRuntimeSpec", "template"});
    if (!change || std::ranges::any_of(own, is_same)) continue;
    const schema::MergeResult merged = schema::strategic_merge(patched, *change, schema, make);
    if (const auto* result = std::get_if<const Node*>(&merged)) patched = *result;
  }
  return patched;
}

namespace {

constexpr std::array<std::string_view, 2> kManagers{"trainer", "trainjobc"};

// The TrainJob whose name is part of a helper's name; "" if there is none.
std::string_view job_of_helper(const LiveObject& object) {
  const std::string_view name = object.name;
  if (object.kind == "JobSet") return name;
  const policy::OwnedObject* owned = policy::find_owned_object(object.kind, name);
  return owned ? owned->job_of(name) : std::string_view();
}

bool is_managed_by_trainer(const LiveObject& object) {
  return std::ranges::any_of(items_at(*object.root, {"metadata", "managedFields"}), [](const Node* entry) {
    return base::contains(kManagers, text_at(*entry, "manager"));
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
  return job.empty() || found == jobs.end() ? objects::kNoJob : found->second;
}

}  // namespace

const Node* owning_job(const Node& object) {
  for (const Node* owner : items_at(object, {"metadata", "ownerReferences"})) {
    if (text_at(*owner, "kind") == model::kTrainJob && !text_at(*owner, "name").empty()) return owner;
  }
  return nullptr;
}

bool is_trainers(const LiveObject& object, const JobNames& jobs) {
  const std::string_view group = k8s::group_of(object.api_version);
  if (object.kind == "JobSet") {
    if (group != k8s::group_of(model::kJobSetApiVersion)) return false;
    return owning_job(*object.root) || is_managed_by_trainer(object) || has_ancestor_label(object) ||
           has_no_maker(object);
  }
  const bool can_be =
      object.kind == "PodGroup" || ((object.kind == "Secret" || object.kind == "ConfigMap") && group.empty());
  if (!can_be || object.name.ends_with(compile::kSnapshotSuffix)) return false;
  return owning_job(*object.root) || is_managed_by_trainer(object) ||
         number_of(job_of_helper(object), object, jobs) != objects::kNoJob;
}

bool is_helper_name(std::string_view kind, std::string_view name, std::string_view job) {
  const policy::OwnedObject* owned = policy::find_owned_object(kind, name);
  return owned && owned->job_of(name) == job;
}

size_t job_of(const LiveObject& object, const JobNames& jobs) {
  const Node* owner = owning_job(*object.root);
  const size_t number = owner ? number_of(text_at(*owner, "name"), object, jobs) : objects::kNoJob;
  return number != objects::kNoJob ? number : number_of(job_of_helper(object), object, jobs);
}

}  // namespace trainjobc::cluster
