// SPDX-License-Identifier: Apache-2.0

// Patches for replicatedJobs and containers that the runtime doesn't have: merging adds them, without an
// image.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "compile/advice/checks.h"
#include "compile/advice/pod_patches.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr std::string_view kPatchTarget = "advice/patch-target";

std::vector<std::string_view> names_in(const Node* list) {
  std::vector<std::string_view> names;
  if (!list) return names;
  for (const Node* item : list->items()) {
    if (const Node* name = item->get("name")) names.push_back(name->text());
  }
  return names;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string suggest(std::string_view wrong, const std::vector<std::string_view>& names) {
  if (names.empty()) return "it has none";
  if (names.size() == 1) return fmt::format("did you mean \"{}\"?", names.front());
  if (const auto meant = base::closest(wrong, names)) return fmt::format("did you mean \"{}\"?", *meant);
  return fmt::format("it has {}", fmt::join(names, ", "));
}

struct ContainerList {
  std::string_view key;
  std::string_view what;
};
constexpr ContainerList kContainers{"containers", "container"};
constexpr ContainerList kInitContainers{"initContainers", "init container"};

void check_containers(const AdviceContext& context, const PodPatch& patch, const Node* runtime_pod,
                      const ContainerList& list, const ContainerList& other, Advisor& advisor) {
  const Node* patched = patch.pod_spec ? patch.pod_spec->get(list.key) : nullptr;
  if (!patched) return;
  const auto names = names_in(runtime_pod ? runtime_pod->get(list.key) : nullptr);
  const auto other_names = names_in(runtime_pod ? runtime_pod->get(other.key) : nullptr);
  for (size_t i = 0; i < patched->size(); ++i) {
    const Node* name = patched->items()[i]->get("name");
    if (!name || contains(names, name->text())) continue;
    const std::string hint = contains(other_names, name->text()) ? fmt::format("patch it under {}", other.key)
                                                                 : suggest(name->text(), names);
    advisor.warn(
        kPatchTarget, fmt::format("{}.{}[{}].name", patch.pod_field, list.key, i),
        fmt::format(
            "the patch names {} \"{}\", which runtime \"{}\" does not have; a new one without an image "
            "would be added",
            list.what, name->text(), context.runtime.id.name),
        yaml::locate(*name), hint);
  }
}

}  // namespace

void check_patch_targets(const AdviceContext& context, Advisor& advisor) {
  const Node* spec = context.runtime.job_set_spec;
  const Node* jobs = spec ? spec->get("replicatedJobs") : nullptr;
  for (const PodPatch& patch : pod_patches(context.job)) {
    const std::string_view job_name = patch.job_name->text();
    const auto names = names_in(jobs);
    if (!contains(names, job_name)) {
      advisor.warn(
          kPatchTarget, patch.job_field,
          fmt::format(
              "the patch names replicatedJob \"{}\", which runtime \"{}\" does not have; a new one without "
              "an image would be added",
              job_name, context.runtime.id.name),
          yaml::locate(*patch.job_name), suggest(job_name, names));
      continue;
    }
    const auto at = std::ranges::find(names, job_name);
    const Node* runtime_pod =
        jobs->items()[static_cast<size_t>(at - names.begin())]->at({"template", "spec", "template", "spec"});
    check_containers(context, patch, runtime_pod, kContainers, kInitContainers, advisor);
    check_containers(context, patch, runtime_pod, kInitContainers, kContainers, advisor);
  }
}

}  // namespace trainjobc::compile::advice
