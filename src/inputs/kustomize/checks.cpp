// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "compile/admission.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "new_templates.h"
#include "rules/rules.h"
#include "schema/schema.h"
#include "schema/validate.h"
#include "yaml/read/reader.h"

namespace trainjobc::kustomize {
namespace {

using yaml::Node;

constexpr std::string_view kHint =
    "add a file to configurations: with what trainjobc kustomize-config prints";

// The TrainJob's image in its file, or in the last patch that sets one.
const Node* image_of(const Resource& job) {
  const Node* image = job.root->at({"spec", "trainer", "image"});
  for (const Patch& patch : job.patches) {
    if (const Node* own = patch.body->at({"spec", "trainer", "image"})) image = own;
  }
  return image;
}

// Whether the built image is what the entry asks for.
bool is_reached(const Node& entry, std::string_view built_image) {
  for (const std::string_view key : {"newTag", "digest", "newName"}) {
    const std::string_view wanted = yaml::text_at(entry, key);
    if (!wanted.empty()) return built_image.find(wanted) != std::string_view::npos;
  }
  return true;
}

using Images = std::map<std::string, std::string>;  // by the names of the built jobs

// Finds the image of the built job, which a patch may have renamed.
Images::const_iterator image_of(const Resource& job, const Images& images) {
  auto found = images.find(job.names.back());
  for (size_t i = 0; found == images.end() && i < job.aliases.size(); ++i)
    found = images.find(job.aliases[i]);
  return found;
}

void check_entry(const Resource& job, const Node& entry, const Images::value_type& built,
                 base::Diagnostics& out) {
  const Node* name = entry.get("name");
  const Node* image = image_of(job);
  if (!name || !image || repository_of(image->text()) != name->text() || is_reached(entry, built.second))
    return;
  base::Diagnostic found = rules::finding(
      "advice/kustomize-images",
      fmt::format("the entry for {} does not reach spec.trainer.image of TrainJob {}: kustomize changes the "
                  "images of the kinds it knows",
                  name->text(), built.first),
      std::string(kHint), yaml::locate(*name));
  found.notes.push_back({"the image", yaml::locate(*image)});
  found.object = fmt::format("TrainJob/{}", built.first);
  out.add(std::move(found));
}

Images built_images(const std::string& built) {
  Images images;
  const base::SourceFile file("", built);
  base::Arena arena;
  base::Diagnostics ignored;
  for (const yaml::Document& document : yaml::read(file, arena, ignored)) {
    if (yaml::string_at(*document.root, "kind") != model::kTrainJob) continue;
    images.emplace(yaml::string_at(*document.root, {"metadata", "name"}),
                   yaml::string_at(*document.root, {"spec", "trainer", "image"}));
  }
  return images;
}

}  // namespace

// The configuration lists the fields of kustomize's builtin transformers that TrainJobs and runtimes have.
// Source: the schemas of TrainJob and the runtimes, and kustomize's own fields of pods:
// sigs.k8s.io/kustomize/api, internal/konfig/builtinpluginconsts. A TrainJob has only the fields of pods that
// it can change.
std::string configuration() {
  return std::string(kKustomizeConfiguration);
}

std::string merge_keys() {
  return std::string(kKustomizeOpenapi);
}

base::Diagnostics check_images(const Tree& tree, const std::string& built) {
  base::Diagnostics found;
  const auto has_images = [](const Kustomization* layer) { return layer->root->get("images") != nullptr; };
  Images images;
  for (const Resource& job : tree.resources()) {
    if (job.kind != model::kTrainJob || std::ranges::none_of(job.layers, has_images)) continue;
    if (images.empty()) images = built_images(built);
    const auto image = image_of(job, images);
    if (image == images.end()) continue;
    for (const Kustomization* layer : job.layers) {
      for (const Node* entry : yaml::items_at(*layer->root, "images"))
        check_entry(job, *entry, *image, found);
    }
  }
  return found;
}

base::Diagnostics check_fields(std::span<const Node* const> documents) {
  base::Diagnostics found;
  const schema::VersionSchemas& schemas = schema::version_or_newest("");
  for (const Node* document : documents) {
    const schema::KindSchema* kind = schemas.kind(yaml::string_at(*document, "kind"));
    const bool is_ours = kind && yaml::string_at(*document, "apiVersion") == model::kTrainerApiVersion;
    if (!is_ours) continue;
    k8s::Violations violations =
        schema::find_unknown_fields(*document, *kind->schema, kind->kind, schemas.trainer);
    for (base::Diagnostic& violation : schema::validate_structure(*document, *kind->schema).violations) {
      if (violation.rule != "input/required") violations.push_back(std::move(violation));
    }
    compile::report(std::move(violations), model::identify(*document).str(), found);
  }
  return found;
}

namespace {

// The keys of a field: "replicatedJobs" and "0" of replicatedJobs[0].
std::vector<std::string_view> steps_of(std::string_view field) {
  return base::non_empty_parts(field, ".[]");
}

// A list that a patch has replaced on the way to a field, and the patch's list.
struct ReplacedList {
  const Node* by = nullptr;
  const Node* list = nullptr;
  std::string field;
};

ReplacedList replaced_on_way(const Node& patch, const Node& written, std::string_view field) {
  ReplacedList found{&patch, &written};
  for (const std::string_view step : steps_of(field)) {
    if (found.by->is_list() && found.list->is_list()) return found;
    found.by = found.by->get(step);
    found.list = found.list->get(step);
    if (!found.by || !found.list) return {};
    found.field += (found.field.empty() ? "" : ".") + std::string(step);
  }
  return {};
}

bool is_named(const Resource& resource, std::string_view object) {
  return object.starts_with(resource.kind + "/") &&
         object.substr(object.rfind('/') + 1) == resource.names.back();
}

}  // namespace

void explain_replaced_list(const Tree& tree, base::Diagnostic& found) {
  if (found.rule != "input/required") return;
  for (const Resource& resource : tree.resources()) {
    if (!is_named(resource, found.object)) continue;
    for (auto patch = resource.patches.rbegin(); patch != resource.patches.rend(); ++patch) {
      if (patch->is_operations()) continue;
      const ReplacedList replaced = replaced_on_way(*patch->body, *resource.root, found.field);
      if (!replaced.by) continue;
      found.location = yaml::locate(*replaced.by);
      found.hint = fmt::format(
          "this replaces all of {}, as kustomize knows no merge keys of {}: write the whole list, or a JSON "
          "patch, or name a file under openapi: with what trainjobc kustomize-config --openapi prints",
          replaced.field, resource.kind);
      found.fix.clear();
      found.notes.push_back({"the list that it replaces", yaml::locate(*replaced.list)});
      return;
    }
  }
}

std::map<std::string, std::string, std::less<>> renamed_runtimes(const Tree& tree) {
  std::map<std::string, std::string, std::less<>> renamed;
  for (const Resource& runtime : tree.resources()) {
    if (!model::is_runtime_kind(runtime.kind)) continue;
    for (size_t i = 0; i + 1 < runtime.names.size(); ++i) {
      renamed.emplace(
          runtime.names[i],
          fmt::format("kustomize has renamed it to {}, but not the runtimeRef, which it does not know: "
                      "{}",
                      runtime.names.back(), kHint));
    }
  }
  return renamed;
}

}  // namespace trainjobc::kustomize
