// JobSet: the webhook's checks of initializers and of patches against the merged runtime.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "model/names.h"
#include "policy/plugins.h"

namespace trainjobc::policy::jobset {
namespace {

using yaml::Node;

// A set with that name and what its containers, init containers included, are called.
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

// Trainer 2.3 webhook: an initializer needs its job, container and volume mount in the runtime, all by name.
void check_initializer(PluginContext& context, const std::optional<model::Initializer>& initializer,
                       std::string_view field, std::string_view name) {
  if (!initializer) return;
  const InitializerJob job = find_initializer(context.info, name);
  std::string lacks;
  if (!job.set) {
    lacks = fmt::format("replicatedJob \"{}\"", name);
  } else if (!job.has_container) {
    lacks = fmt::format("container \"{0}\" in replicatedJob \"{0}\"", name);
  } else if (!job.has_mount) {
    lacks = fmt::format("volume mount \"{}\" in container \"{}\"", model::kInitializerVolume, name);
  } else {
    return;
  }
  const model::RuntimeRef& ref = context.info.job->runtime_ref;
  base::Diagnostic& finding = context.findings.error(
      "input/initializer", "spec.runtimeRef",
      fmt::format("runtime \"{}\" has no {}, which {} needs", ref.name.value, lacks, field), initializer->node,
      "use a runtime with that initializer, or remove this one");
  finding.notes.push_back({"the runtime", yaml::locate(*context.info.runtime->root->get("metadata"))});
}

constexpr std::array kReservedContainers{model::kDatasetInitializer, model::kModelInitializer, model::kNode};

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    const auto inner = [](char c) { return is_alnum(c) || c == '-'; };
    if (label.empty() || !std::ranges::all_of(label, inner) || !is_alnum(label.front()) || !is_alnum(label.back())) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// A path of a domain-prefixed name: letters, digits and some punctuation, no further rules.
bool is_path(std::string_view text) {
  constexpr std::string_view kPunctuation = "-._~!$&'()*+,;=:/";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_alnum(c) || (c >= 'A' && c <= 'Z') || kPunctuation.find(c) != std::string_view::npos;
  });
}

// k8s.io/apimachinery validation.IsDomainPrefixedPath.
bool is_domain_prefixed(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && is_dns_subdomain(text.substr(0, slash)) && is_path(text.substr(slash + 1));
}

void check_manager(PluginContext& context, const Node& patch) {
  const Node* manager = patch.get("manager");
  if (!manager || is_domain_prefixed(manager->text())) return;
  context.findings.error("input/patch-manager", "spec.runtimePatches.manager",
                         fmt::format("the manager \"{}\" must be a domain-prefixed path", manager->text()), manager,
                         "such as \"example.com/manager\"");
}

void check_patched_env(PluginContext& context, const Node& replicated_job) {
  const Node* containers = replicated_job.at({"template", "spec", "template", "spec", "containers"});
  if (!containers) return;
  for (const Node* container : containers->items()) {
    const Node* name = container->get("name");
    const yaml::Entry* env = container->find("env");
    if (!name || !env || env->value->size() == 0) continue;
    if (std::ranges::find(kReservedContainers, name->text()) == kReservedContainers.end()) continue;
    const bool trains = name->text() == model::kNode;
    context.findings.error("input/patch-env", "spec.runtimePatches",
                           fmt::format("a patch can't set env of container \"{}\"", name->text()), env->value,
                           trains ? "use spec.trainer.env" : "use spec.initializer");
  }
}

}  // namespace

void validate(PluginContext& context) {
  const model::TrainJob& job = *context.info.job;
  check_initializer(context, job.dataset, "spec.initializer.dataset", model::kDatasetInitializer);
  check_initializer(context, job.model, "spec.initializer.model", model::kModelInitializer);
  const Node* patches = job.root->at({"spec", "runtimePatches"});
  if (!patches) return;
  for (const Node* patch : patches->items()) {
    check_manager(context, *patch);
    const Node* jobs = patch->at({"trainingRuntimeSpec", "template", "spec", "replicatedJobs"});
    if (!jobs) continue;
    for (const Node* replicated_job : jobs->items()) check_patched_env(context, *replicated_job);
  }
}

}  // namespace trainjobc::policy::jobset
