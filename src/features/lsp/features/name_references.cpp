// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/name_references.h"

#include <algorithm>
#include <span>

#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

constexpr size_t kToOverride = 3;  // steps to one of the overrides or patches

std::span<const SketchEntry> entries_of(const Sketch* value) {
  return value ? std::span<const SketchEntry>(value->entries) : std::span<const SketchEntry>();
}

// A path without its first steps.
CursorPath below(const CursorPath& path, size_t steps) {
  return {path.begin() + static_cast<std::ptrdiff_t>(std::min(steps, path.size())), path.end()};
}

bool begins_with(const CursorPath& path, std::initializer_list<std::string_view> keys) {
  if (path.size() < keys.size()) return false;
  return matches({path.begin(), path.begin() + static_cast<std::ptrdiff_t>(keys.size())}, keys);
}

NameOf container_list(const CursorPath& path) {
  if (matches(path, {"containers", "[]", "name"})) return NameOf::Container;
  return matches(path, {"initContainers", "[]", "name"}) ? NameOf::InitContainer : NameOf::Nothing;
}

std::string_view name_of(const Sketch* value) {
  return value ? value->text_of("name") : std::string_view();
}

// A container of these replicatedJobs; of all, if none has a name yet.
NameReference of_jobs(NameOf list, std::vector<std::string> jobs) {
  std::erase(jobs, "");
  return {list, std::move(jobs)};
}

// In the spec of a JobSet: of a runtime or of a patch. `steps` lead to it.
NameReference in_job_set(const Cursor& cursor, size_t steps) {
  const CursorPath path = below(cursor.path, steps);
  const bool is_patch = cursor.kind() == model::kTrainJob;
  constexpr size_t kToJob = 2;
  constexpr size_t kToPod = 6;
  if (matches(path, {"replicatedJobs", "[]", "name"})) {
    return is_patch ? NameReference{NameOf::ReplicatedJob} : NameReference{};
  }
  if (begins_with(path, {"replicatedJobs", "[]", "template", "spec", "template", "spec"})) {
    const NameOf list = container_list(below(path, kToPod));
    if (list == NameOf::Nothing || !is_patch) return {};
    return of_jobs(list, {std::string(name_of(cursor.along_path(steps + kToJob)))});
  }
  const bool names_job = matches(path, {"replicatedJobs", "[]", "dependsOn", "[]", "name"}) ||
                         matches(path, {"successPolicy", "targetReplicatedJobs", "[]"}) ||
                         matches(path, {"failurePolicy", "rules", "[]", "targetReplicatedJobs", "[]"}) ||
                         matches(path, {"coordinator", "replicatedJob"});
  return names_job ? NameReference{NameOf::ReplicatedJob, {}, !is_patch} : NameReference{};
}

// In one of the overrides that came before patches.
NameReference in_override(const Cursor& cursor, const CursorPath& path) {
  if (matches(path, {"targetJobs", "[]", "name"})) return {NameOf::ReplicatedJob};
  const bool has_spec = !path.empty() && path.front().key == "spec";
  const NameOf list = container_list(below(path, has_spec ? 1 : 0));
  if (list == NameOf::Nothing) return {};
  std::vector<std::string> jobs;
  const Sketch* change = cursor.along_path(kToOverride);
  for (const SketchEntry& target : entries_of(change ? change->get("targetJobs") : nullptr))
    jobs.emplace_back(name_of(&target.value));
  return of_jobs(list, std::move(jobs));
}

NameReference in_train_job(const Cursor& cursor) {
  const CursorPath& path = cursor.path;
  if (matches(path, {"spec", "runtimeRef", "name"})) return {NameOf::Runtime};
  if (begins_with(path, {"spec", model::kRuntimePatches, "[]", "trainingRuntimeSpec", "template", "spec"}))
    return in_job_set(cursor, kToOverride + 3);
  if (begins_with(path, {"spec", model::kPodTemplateOverrides, "[]"}) ||
      begins_with(path, {"spec", model::kPodSpecOverrides, "[]"}))
    return in_override(cursor, below(path, kToOverride));
  return {};
}

NameReference in_runtime(const Cursor& cursor) {
  const CursorPath& path = cursor.path;
  constexpr size_t kToTarget = 6;
  if (begins_with(path, {"spec", "template", "spec"})) return in_job_set(cursor, 3);
  if (!begins_with(path, {"spec", "mlPolicy", "torch", "envInjection", "targets", "[]"})) return {};
  const CursorPath rest = below(path, kToTarget);
  if (matches(rest, {"jobName"})) return {NameOf::ReplicatedJob, {}, true};
  if (!matches(rest, {"containerNames", "[]"})) return {};
  const Sketch* target = cursor.along_path(kToTarget);
  NameReference reference =
      of_jobs(NameOf::Container, {std::string(target ? target->text_of("jobName") : "")});
  reference.is_own = true;
  return reference;
}

bool is_wanted(const NameReference& reference, std::string_view job) {
  return reference.jobs.empty() || std::ranges::find(reference.jobs, job) != reference.jobs.end();
}

std::string_view list_of(const NameReference& reference) {
  return reference.of == NameOf::InitContainer ? "initContainers" : "containers";
}

void add_name(const Sketch& item, std::vector<OwnName>& names) {
  const Sketch* name = item.get("name");
  if (name && name->is_scalar()) names.push_back({name->text, name->begin, name->end});
}

const Sketch* follow(const Sketch* value, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) value = value ? value->get(key) : nullptr;
  return value;
}

}  // namespace

NameReference reference_at(const Cursor& cursor) {
  if (cursor.kind() == model::kTrainJob) return in_train_job(cursor);
  const bool is_runtime =
      cursor.kind() == model::kTrainingRuntime || cursor.kind() == model::kClusterTrainingRuntime;
  return is_runtime ? in_runtime(cursor) : NameReference{};
}

std::vector<const yaml::Node*> names_in(const yaml::Node& runtime, const NameReference& reference) {
  std::vector<const yaml::Node*> names;
  const auto add = [&](const yaml::Node& item) {
    if (const yaml::Node* name = item.get("name"); name && name->is_string()) names.push_back(name);
  };
  for (const yaml::Node* job : yaml::items_at(runtime, {"spec", "template", "spec", "replicatedJobs"})) {
    if (reference.of == NameOf::ReplicatedJob) {
      add(*job);
    } else if (is_wanted(reference, yaml::text_at(*job, "name"))) {
      const yaml::Node* pod = job->at({"template", "spec", "template", "spec"});
      for (const yaml::Node* container : yaml::items_of(pod ? pod->get(list_of(reference)) : nullptr))
        add(*container);
    }
  }
  return names;
}

std::vector<OwnName> own_names(const Cursor& cursor, const NameReference& reference) {
  std::vector<OwnName> names;
  for (const SketchEntry& job : entries_of(cursor.at({"spec", "template", "spec", "replicatedJobs"}))) {
    if (reference.of == NameOf::ReplicatedJob) {
      add_name(job.value, names);
    } else if (is_wanted(reference, job.value.text_of("name"))) {
      const Sketch* pod = follow(&job.value, {"template", "spec", "template", "spec"});
      for (const SketchEntry& container : entries_of(pod ? pod->get(list_of(reference)) : nullptr))
        add_name(container.value, names);
    }
  }
  return names;
}

}  // namespace trainjobc::lsp
