// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "compile/runtimes.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "secret/secret.h"

namespace trainjobc::lsp {
namespace {

using yaml::Node;

constexpr size_t kToOverride = 3;  // length of the path to an override or patch

// The path without its first steps.
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

std::string_view name_of(const SyntaxNode* value) {
  return value ? value->text_of("name") : std::string_view();
}

// A container in these replicatedJobs; in all, if none has a name yet.
NameReference of_jobs(NameOf list, std::vector<std::string> jobs) {
  std::erase(jobs, "");
  return {list, std::move(jobs)};
}

// A reference in the spec of a JobSet, which belongs to a runtime or a patch. `steps` is the length of the
// path to it.
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

// A reference in one of the overrides that preceded patches.
NameReference in_override(const Cursor& cursor, const CursorPath& path) {
  if (matches(path, {"targetJobs", "[]", "name"})) return {NameOf::ReplicatedJob};
  const bool has_spec = !path.empty() && path.front().key == "spec";
  const NameOf list = container_list(below(path, has_spec ? 1 : 0));
  if (list == NameOf::Nothing) return {};
  std::vector<std::string> jobs;
  const SyntaxNode* change = cursor.along_path(kToOverride);
  for (const SyntaxEntry& target : entries_of(change ? change->get("targetJobs") : nullptr))
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
  const SyntaxNode* target = cursor.along_path(kToTarget);
  NameReference reference =
      of_jobs(NameOf::Container, {std::string(target ? target->text_of("jobName") : "")});
  reference.is_own = true;
  return reference;
}

bool is_wanted(const NameReference& reference, std::string_view job) {
  return reference.jobs.empty() || base::contains(reference.jobs, job);
}

std::string_view list_of(const NameReference& reference) {
  return reference.of == NameOf::InitContainer ? "initContainers" : "containers";
}

void add_name(const SyntaxNode& item, std::vector<OwnName>& names) {
  const SyntaxNode* name = item.get("name");
  if (name && name->is_scalar()) names.push_back({name->text, name->begin, name->end});
}

FoundRuntime of_workspace(const WorkspaceObject& object) {
  return {object.object->id, object.object->root, object.object->location, "", object.text};
}

std::optional<FoundRuntime> of_catalogue(const compile::CatalogueFile& file) {
  auto inputs = std::make_shared<compile::InputSet>();
  base::Diagnostics ignored;
  Source source;
  source.name = fmt::format("catalogue/v{}/{}", file.version, file.name);
  source.text = file.text;
  compile::read_inputs({std::move(source)}, *inputs, ignored);
  if (inputs->objects.empty()) return std::nullopt;
  const compile::InputObject& object = inputs->objects.front();
  return FoundRuntime{object.id, object.root, object.location, std::string(file.version), inputs};
}

bool is_usable(const FoundRuntime& runtime, std::string_view ns) {
  return !runtime.id.namespaced || model::effective_namespace(runtime.id) == k8s::effective_namespace(ns);
}

bool uses_catalogue(const Workspace& workspace, const DocumentId& document) {
  return workspace.settings_of(document).use_catalogue;
}

// Adds lines such as "container `node` (pytorch/pytorch:2.8)".
void add_containers(const Node& pod_spec, std::string_view list, std::string_view what,
                    std::vector<std::string>& parts) {
  for (const Node* container : yaml::items_at(pod_spec, list)) {
    const std::string_view image = yaml::text_at(*container, "image");
    parts.push_back(fmt::format("{} `{}`{}", what, yaml::text_at(*container, "name"),
                                image.empty() ? "" : fmt::format(" ({})", image)));
  }
}

// The policies in words: "2 nodes", "torch", "gang scheduling with volcano".
std::string policy_words(const Node& spec) {
  std::vector<std::string> parts;
  if (const Node* policy = spec.get("mlPolicy")) {
    for (const yaml::Entry& entry : policy->entries()) {
      const std::string_view value = entry.value->text();
      if (entry.key != "numNodes") {
        parts.emplace_back(entry.key);
      } else {
        parts.push_back(fmt::format("{} node{}", value, value == "1" ? "" : "s"));
      }
    }
  }
  if (const Node* policy = spec.get("podGroupPolicy")) {
    for (const yaml::Entry& entry : policy->entries())
      parts.push_back(fmt::format("gang scheduling with {}", entry.key));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string_view noun_of(NameOf of) {
  if (of == NameOf::ReplicatedJob) return "replicatedJob";
  return of == NameOf::Container ? "container" : "init container";
}

NameReference reference_at(const Cursor& cursor) {
  if (cursor.kind() == model::kTrainJob) return in_train_job(cursor);
  return model::is_runtime_kind(cursor.kind()) ? in_runtime(cursor) : NameReference{};
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
  for (const SyntaxEntry& job : entries_of(cursor.at({"spec", "template", "spec", "replicatedJobs"}))) {
    if (reference.of == NameOf::ReplicatedJob) {
      add_name(job.value, names);
    } else if (is_wanted(reference, job.value.text_of("name"))) {
      const SyntaxNode* pod = job.value.at({"template", "spec", "template", "spec"});
      for (const SyntaxEntry& container : entries_of(pod ? pod->get(list_of(reference)) : nullptr))
        add_name(container.value, names);
    }
  }
  return names;
}

std::vector<FoundRuntime> runtimes_for(const Workspace& workspace, const DocumentId& document,
                                       std::string_view ns) {
  std::vector<FoundRuntime> found;
  const auto add = [&](FoundRuntime runtime) {
    const auto is_same = [&](const FoundRuntime& other) {
      return other.id.kind == runtime.id.kind && other.id.name == runtime.id.name;
    };
    if (runtime.id.name.empty() || !is_usable(runtime, ns)) return;
    if (std::ranges::none_of(found, is_same)) found.push_back(std::move(runtime));
  };
  for (const WorkspaceObject& object : workspace.runtimes()) {
    if (workspace.serves(object.document, document)) add(of_workspace(object));
  }
  if (!uses_catalogue(workspace, document)) return found;
  const std::string_view version = workspace.schemas_of(document).trainer;
  for (const compile::CatalogueFile& file : compile::catalogue_files()) {
    if (file.version != version) continue;
    if (auto runtime = of_catalogue(file)) add(std::move(*runtime));
  }
  return found;
}

std::optional<FoundRuntime> find_runtime(const Workspace& workspace, const DocumentId& document,
                                         std::string_view kind, std::string_view name, std::string_view ns) {
  if (name.empty()) return std::nullopt;
  if (kind.empty()) kind = model::kClusterTrainingRuntime;
  if (const auto object = workspace.find_runtime(document, kind, name, ns)) return of_workspace(*object);
  if (kind != model::kClusterTrainingRuntime || !uses_catalogue(workspace, document)) return std::nullopt;
  const compile::CatalogueFile* file =
      compile::find_catalogue_runtime(workspace.schemas_of(document).trainer, name);
  return file ? of_catalogue(*file) : std::nullopt;
}

std::optional<FoundRuntime> runtime_of(const Workspace& workspace, const DocumentId& document,
                                       const Cursor& cursor) {
  const auto named = runtime_named(workspace, document, cursor);
  return named ? find_runtime(workspace, document, named->kind, named->name, named->ns) : std::nullopt;
}

std::string namespace_at(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  return cursor.ns().empty() ? workspace.settings_of(document).ns : std::string(cursor.ns());
}

std::optional<RuntimeName> runtime_named(const Workspace& workspace, const DocumentId& document,
                                         const Cursor& cursor) {
  const SyntaxNode* reference = cursor.at({"spec", "runtimeRef"});
  RuntimeName named{std::string(cursor.kind()), std::string(cursor.name()), ""};
  if (!model::is_runtime_kind(named.kind)) {
    if (named.kind != model::kTrainJob || !reference) return std::nullopt;
    named.kind = reference->text_of("kind");
    named.name = reference->text_of("name");
  }
  if (named.kind.empty()) named.kind = model::kClusterTrainingRuntime;
  if (named.kind != model::kClusterTrainingRuntime)
    named.ns = k8s::effective_namespace(namespace_at(workspace, document, cursor));
  return named;
}

const yaml::Node* reference_to(const RuntimeName& runtime, const Workspace& workspace,
                               const WorkspaceObject& job) {
  const yaml::Node& root = *job.object->root;
  std::string ns(job.object->id.ns);
  if (ns.empty()) ns = workspace.settings_of(job.document).ns;
  const std::string effective(k8s::effective_namespace(ns));
  const model::ObjectId id = model::runtime_of(root, effective);
  if (id.kind != runtime.kind || id.name != runtime.name || id.ns != runtime.ns) return nullptr;
  return root.at({"spec", "runtimeRef", "name"});
}

std::string place_text(const Workspace& workspace, const base::Location& at) {
  if (!at.file) return "";
  std::string name = at.file->name();
  for (const std::string& folder : workspace.folders()) {
    if (std::string below = base::path_below(name, folder); !below.empty()) {
      name = std::move(below);
      break;
    }
  }
  return at.line == 0 ? name : fmt::format("{}:{}", name, at.line);
}

std::string describe_runtime(const Workspace& workspace, const FoundRuntime& runtime) {
  base::Arena arena;
  const Node& root = *secret::masked_object(*runtime.root, yaml::Maker(arena));
  std::string out = fmt::format("**{} {}**", runtime.id.kind, runtime.id.name);
  const std::string_view framework = yaml::text_at(root, {"metadata", "labels", model::kFrameworkLabel});
  if (!framework.empty()) out += fmt::format(" · {}", framework);
  out += runtime.catalogue.empty() ? fmt::format("\n\n{}", place_text(workspace, runtime.location))
                                   : fmt::format("\n\ncatalogue of Trainer {}", runtime.catalogue);
  const Node* spec = root.get("spec");
  if (!spec) return out;
  if (const std::string words = policy_words(*spec); !words.empty()) out += "\n\n" + words;
  std::string jobs;
  for (const Node* job : yaml::items_at(*spec, {"template", "spec", "replicatedJobs"})) {
    std::vector<std::string> parts;
    if (const Node* pod = job->at({"template", "spec", "template", "spec"})) {
      add_containers(*pod, "initContainers", "init container", parts);
      add_containers(*pod, "containers", "container", parts);
    }
    jobs += fmt::format("\n- `{}`{}{}", yaml::text_at(*job, "name"), parts.empty() ? "" : ": ",
                        fmt::join(parts, ", "));
  }
  if (!jobs.empty()) out += "\n\nreplicatedJobs:" + jobs;
  return out;
}

}  // namespace trainjobc::lsp
