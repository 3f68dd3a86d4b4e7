// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

std::string merge_keys_hint(std::string_view kind) {
  return fmt::format(
      "kustomize knows no merge keys of {}: write the whole list, or a JSON patch, or name a file under "
      "openapi: with what trainjobc kustomize-config --openapi prints",
      kind);
}

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

bool is_ours(std::string_view kind) {
  return kind == model::kTrainJob || model::is_runtime_kind(kind);
}

// An object as it was built, and the name that it got.
struct BuiltObject {
  std::string_view name;
  const Node* root = nullptr;
};

class BuiltObjects {
 public:
  explicit BuiltObjects(const std::string& text) : file_("", text) {
    base::Diagnostics ignored;
    for (const yaml::Document& document : yaml::read(file_, arena_, ignored)) {
      const std::string_view kind = yaml::string_at(*document.root, "kind");
      by_kind_[kind].push_back({yaml::string_at(*document.root, {"metadata", "name"}), document.root});
    }
  }

  const BuiltObject* find(std::string_view kind, std::string_view name) const {
    const auto all = by_kind_.find(kind);
    return all != by_kind_.end() ? base::find(all->second, name, &BuiltObject::name) : nullptr;
  }
  // The built object of a resource, which a patch may have renamed.
  const BuiltObject* find(const Resource& resource) const {
    const BuiltObject* found = find(resource.kind, resource.names.back());
    for (size_t i = 0; !found && i < resource.aliases.size(); ++i)
      found = find(resource.kind, resource.aliases[i]);
    return found;
  }
  // The one with the shortest name that contains the text.
  const BuiltObject* like(std::string_view kind, std::string_view text) const {
    const BuiltObject* shortest = nullptr;
    const auto all = by_kind_.find(kind);
    if (all == by_kind_.end()) return nullptr;
    for (const BuiltObject& one : all->second) {
      const bool is_like = one.name.find(text) != std::string_view::npos;
      if (is_like && (!shortest || one.name.size() < shortest->name.size())) shortest = &one;
    }
    return shortest;
  }

 private:
  base::SourceFile file_;
  base::Arena arena_;
  std::map<std::string_view, std::vector<BuiltObject>> by_kind_;
};

// What kustomize left undone in the objects of one root.
class BuiltCheck {
 public:
  BuiltCheck(const Tree& tree, const std::string& built) : tree_(tree), built_(built) {}

  base::Diagnostics run() {
    for (const Resource& resource : tree_.resources()) {
      if (!is_ours(resource.kind)) continue;
      const BuiltObject* built = built_.find(resource);
      if (!built) continue;
      check_images(resource, *built);
      check_names(resource, *built);
      check_lists(resource, *built);
    }
    return std::move(found_);
  }

 private:
  void report(const Resource& resource, const BuiltObject& built, base::Diagnostic found, base::Note note) {
    found.object = fmt::format("{}/{}", resource.kind, built.name);
    found.notes.push_back(std::move(note));
    found_.add(std::move(found));
  }

  void check_images(const Resource& job, const BuiltObject& built) {
    const Node* image = job.kind == model::kTrainJob ? image_of(job) : nullptr;
    if (!image) return;
    const std::string_view result = yaml::string_at(*built.root, {"spec", "trainer", "image"});
    for (const Kustomization* layer : job.layers) {
      for (const Node* entry : yaml::items_at(*layer->root, "images")) {
        const Node* name = entry->get("name");
        if (!name || repository_of(image->text()) != name->text() || is_reached(*entry, result)) continue;
        report(
            job, built,
            rules::finding("advice/kustomize-images",
                           fmt::format("the entry for {} does not reach spec.trainer.image of TrainJob {}: "
                                       "kustomize changes the images of the kinds it knows",
                                       name->text(), built.name),
                           std::string(kHint), yaml::locate(*name)),
            {"the image", yaml::locate(*image)});
      }
    }
  }

  // A reference to a ConfigMap or Secret.
  struct Reference {
    std::string_view kind;
    const Node* name = nullptr;
  };

  // Those of an object or a patch. Source: the types of pods, and of a TrainJob's initializer.
  static void collect(const Node& node, std::vector<Reference>& all) {
    for (const Node* item : node.items()) collect(*item, all);
    for (const yaml::Entry& entry : node.entries()) {
      const Node* name = entry.value->is_map() ? entry.value->get("name") : nullptr;
      if (entry.key == "configMap" || entry.key == "configMapRef" || entry.key == "configMapKeyRef") {
        if (name) all.push_back({"ConfigMap", name});
      } else if (entry.key == "secret" || entry.key == "secretRef" || entry.key == "secretKeyRef") {
        if (name) all.push_back({"Secret", name});
      } else if (entry.key == "secretName") {
        all.push_back({"Secret", entry.value});
      }
      collect(*entry.value, all);
    }
  }

  // Where the built object still has the name that the generator's object has lost.
  void check_names(const Resource& resource, const BuiltObject& built) {
    for (const Kustomization* layer : resource.layers) {
      for (const auto& [list, kind] :
           {std::pair("configMapGenerator", "ConfigMap"), {"secretGenerator", "Secret"}}) {
        for (const Node* generator : yaml::items_at(*layer->root, list)) {
          if (const Node* name = generator->get("name")) check_generated(resource, built, kind, *name);
        }
      }
    }
  }

  void check_generated(const Resource& resource, const BuiltObject& built, std::string_view kind,
                       const Node& name) {
    const BuiltObject* generated = built_.find(kind, name.text()) ? nullptr : built_.like(kind, name.text());
    if (!generated) return;
    const auto is_meant = [&](const Reference& one) {
      return one.kind == kind && one.name->text() == name.text();
    };
    std::vector<Reference> left;
    collect(*built.root, left);
    if (std::ranges::none_of(left, is_meant)) return;
    std::vector<Reference> written;
    collect(*resource.root, written);
    for (const Patch& patch : resource.patches) collect(*patch.body, written);
    for (const Reference& reference : written) {
      if (!is_meant(reference)) continue;
      report(resource, built,
             rules::finding(
                 "advice/kustomize-name",
                 fmt::format("kustomize builds the {} {} as {}, but does not change its name here: it "
                             "knows the references of Kubernetes' own kinds",
                             kind, name.text(), generated->name),
                 std::string(kHint), yaml::locate(*reference.name)),
             {"it is generated", yaml::locate(name)});
    }
  }

  // Lists of items with names that a strategic merge patch has replaced, and what is gone with them.
  void check_lists(const Resource& resource, const BuiltObject& built) {
    for (const Patch& patch : resource.patches) {
      if (!patch.is_operations()) compare(resource, built, *resource.root, *patch.body, built.root, "");
    }
  }

  void compare(const Resource& resource, const BuiltObject& built, const Node& written, const Node& patch,
               const Node* result, const std::string& path) {
    for (const yaml::Entry& entry : patch.entries()) {
      const Node* old = written.get(entry.key);
      const Node* now = result ? result->get(entry.key) : nullptr;
      if (!old || !now) continue;
      const std::string field = path.empty() ? std::string(entry.key) : fmt::format("{}.{}", path, entry.key);
      if (!old->is_list()) {
        compare(resource, built, *old, *entry.value, now, field);
        continue;
      }
      const std::vector<std::string> gone = lost_names(*old, *entry.value, *now);
      if (gone.empty()) continue;
      report(resource, built,
             rules::finding("advice/kustomize-list",
                            fmt::format("this replaces all of {}: {} {} gone", field, base::word_list(gone),
                                        gone.size() == 1 ? "is" : "are"),
                            merge_keys_hint(resource.kind), yaml::locate(*entry.value)),
             {"the list that it replaces", yaml::locate(*old)});
    }
  }

  static bool has_item(const Node& list, std::string_view name) {
    return std::ranges::any_of(list.items(),
                               [&](const Node* item) { return yaml::text_at(*item, "name") == name; });
  }

  static std::vector<std::string> lost_names(const Node& old, const Node& patch, const Node& now) {
    std::vector<std::string> gone;
    const bool is_meant = std::ranges::any_of(
        patch.items(), [](const Node* item) { return item->is_map() && item->get("$patch"); });
    if (is_meant) return gone;
    for (const Node* item : old.items()) {
      const std::string_view name = yaml::text_at(*item, "name");
      if (!name.empty() && !has_item(patch, name) && !has_item(now, name)) gone.emplace_back(name);
    }
    return gone;
  }

  const Tree& tree_;
  BuiltObjects built_;
  base::Diagnostics found_;
};

// Whether a check may find something, without what was built.
bool is_checked(const Resource& resource) {
  if (!is_ours(resource.kind)) return false;
  const auto changes = [](const Kustomization* layer) {
    return std::ranges::any_of(std::array{"images", "configMapGenerator", "secretGenerator"},
                               [&](const char* key) { return layer->root->get(key) != nullptr; });
  };
  return !resource.patches.empty() || std::ranges::any_of(resource.layers, changes);
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

base::Diagnostics check_built(const Tree& tree, const std::string& built) {
  if (std::ranges::none_of(tree.resources(), is_checked)) return {};
  return BuiltCheck(tree, built).run();
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
      found.hint =
          fmt::format("this replaces all of {}, as {}", replaced.field, merge_keys_hint(resource.kind));
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
