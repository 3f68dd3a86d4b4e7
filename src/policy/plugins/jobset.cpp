// SPDX-License-Identifier: Apache-2.0

// JobSet: the webhook's checks of initializers and of overrides against the merged runtime.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "model/trainer_names.h"
#include "policy/plugins.h"
#include "policy/webhook_rules.h"

namespace trainjobc::policy::jobset {
namespace {

using yaml::Node;

// The pod set of an initializer, and whether it has the container (possibly an init container) and the mount.
struct InitializerJob {
  const PodSet* set = nullptr;
  bool has_container = false;
  bool has_mount = false;
};

InitializerJob find_initializer(const RuntimeInfo& info, std::string_view name) {
  InitializerJob job;
  job.set = info.pod_set_by_name(name);
  if (!job.set) return job;
  for (const std::vector<Container>* list : {&job.set->init_containers, &job.set->containers}) {
    for (const Container& container : *list) job.has_container = job.has_container || container.name == name;
  }
  for (const Container& container : job.set->containers) {
    if (container.name != name) continue;
    for (const Node* mount : container.volume_mounts) {
      const Node* volume = mount->get("name");
      job.has_mount = job.has_mount || (volume && volume->text() == model::kInitializerVolume);
    }
  }
  return job;
}

// The pod may have the volume without a mount: an initializer that only fills a cache writes no files.
std::string hint_of_mount(const PodSet& set, std::string_view name) {
  const bool has_volume = yaml::find_named(set.volumes, model::kInitializerVolume) != nullptr;
  return fmt::format("in runtimePatches or the runtime, give replicatedJob \"{0}\" {1}volumeMounts: [{{name: "
                     "{2}, mountPath: /workspace}}] in container \"{0}\"",
                     name, has_volume ? "" : fmt::format("volumes: [{{name: {}, emptyDir: {{}}}}], and ",
                                                         model::kInitializerVolume),
                     model::kInitializerVolume);
}

// An initializer needs its job, container and volume mount in the runtime, all with the right names.
void check_initializer(PluginContext& context, const std::optional<model::Initializer>& initializer,
                       std::string_view field, std::string_view name) {
  if (!initializer) return;
  const InitializerJob job = find_initializer(context.info, name);
  std::string lacks;
  std::string hint = "use a runtime with that initializer, or remove this one";
  if (!job.set) {
    lacks = fmt::format("replicatedJob \"{}\"", name);
  } else if (!job.has_container) {
    lacks = fmt::format("container \"{0}\" in replicatedJob \"{0}\"", name);
  } else if (context.info.behaviours->initializer_needs_mount && !job.has_mount) {
    lacks = fmt::format("volume mount \"{}\" in container \"{}\"", model::kInitializerVolume, name);
    hint = hint_of_mount(*job.set, name);
  } else {
    return;
  }
  const model::RuntimeRef& ref = context.info.job->runtime_ref;
  base::Diagnostic& finding = context.findings.add(
      "input/initializer", "spec.runtimeRef",
      fmt::format("runtime \"{}\" has no {}, which {} needs", ref.name.value, lacks, field),
      initializer->node, std::move(hint));
  finding.notes.push_back({"the runtime", yaml::locate(*context.info.runtime->root->get("metadata"))});
}

void validate(PluginContext& context) {
  const model::TrainJob& job = *context.info.job;
  check_initializer(context, job.dataset, "spec.initializer.dataset", model::kDatasetInitializer);
  check_initializer(context, job.model, "spec.initializer.model", model::kModelInitializer);
  check_overrides(context);
}

}  // namespace

constexpr Plugin kPlugin{.name = "JobSet", .validate = validate};

}  // namespace trainjobc::policy::jobset
