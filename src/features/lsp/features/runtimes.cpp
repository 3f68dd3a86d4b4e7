// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/runtimes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files/paths.h"
#include "compile/runtimes.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::lsp {
namespace {

using yaml::Node;

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

// "container `node` (pytorch/pytorch:2.8)"
void add_containers(const Node& pod_spec, std::string_view list, std::string_view what,
                    std::vector<std::string>& parts) {
  for (const Node* container : yaml::items_at(pod_spec, list)) {
    const std::string image = secret::without_keys(yaml::text_at(*container, "image"));
    parts.push_back(fmt::format("{} `{}`{}", what, yaml::text_at(*container, "name"),
                                image.empty() ? "" : fmt::format(" ({})", image)));
  }
}

// "2 nodes", "torch", "gang scheduling with volcano"
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
  for (const WorkspaceObject& object : workspace.runtimes()) add(of_workspace(object));
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
  if (const auto object = workspace.find_runtime(kind, name, ns)) return of_workspace(*object);
  if (kind != model::kClusterTrainingRuntime || !uses_catalogue(workspace, document)) return std::nullopt;
  const compile::CatalogueFile* file =
      compile::find_catalogue_runtime(workspace.schemas_of(document).trainer, name);
  return file ? of_catalogue(*file) : std::nullopt;
}

std::optional<FoundRuntime> runtime_of(const Workspace& workspace, const DocumentId& document,
                                       const Cursor& cursor) {
  const Sketch* reference = cursor.at({"spec", "runtimeRef"});
  if (!reference) return std::nullopt;
  return find_runtime(workspace, document, reference->text_of("kind"), reference->text_of("name"),
                      namespace_at(workspace, document, cursor));
}

std::string namespace_at(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  return cursor.ns().empty() ? workspace.settings_of(document).ns : std::string(cursor.ns());
}

RuntimeName runtime_name(const Workspace& workspace, const DocumentId& document, const Cursor& cursor,
                         std::string_view kind, std::string_view name) {
  if (kind.empty()) kind = model::kClusterTrainingRuntime;
  if (kind == model::kClusterTrainingRuntime) return {std::string(kind), std::string(name), ""};
  const std::string ns = namespace_at(workspace, document, cursor);
  return {std::string(kind), std::string(name), std::string(k8s::effective_namespace(ns))};
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
  std::string out = fmt::format("**{} {}**", runtime.id.kind, runtime.id.name);
  const std::string_view framework =
      yaml::text_at(*runtime.root, {"metadata", "labels", model::kFrameworkLabel});
  if (!framework.empty()) out += fmt::format(" · {}", framework);
  out += runtime.catalogue.empty() ? fmt::format("\n\n{}", place_text(workspace, runtime.location))
                                   : fmt::format("\n\ncatalogue of Trainer {}", runtime.catalogue);
  const Node* spec = runtime.root->get("spec");
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
