// SPDX-License-Identifier: Apache-2.0

#include "features/diff/live/flux_script_versions.h"

#include <algorithm>

#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

constexpr std::string_view kController = "trainer";  // the field manager of Trainer

bool is_script(const Difference& difference) {
  const schema::FieldPath& path = difference.path;
  return difference.live && difference.rendered && path.size() == 2 && path[0].key == "data" &&
         path[1].key.ends_with(".sh") && !difference.live->text().empty();
}

bool is_owned_by_job(const Node& object) {
  return std::ranges::any_of(items_at(object, {"metadata", "ownerReferences"}),
                             [](const Node* owner) { return text_at(*owner, "kind") == model::kTrainJob; });
}

}  // namespace

void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<Difference>& differences) {
  if (!policy::has_content(policy::OwnedObject::Content::Scripts, live.kind, live.name)) return;
  // Most saved objects lack their managers.
  const bool says_managers = live.root->at({"metadata", "managedFields"}) != nullptr;
  const bool is_jobs = is_owned_by_job(*live.root);
  for (Difference& difference : differences) {
    if (!is_script(difference)) continue;
    if (says_managers ? !owners.is_of(difference.path, kController) : !is_jobs) continue;
    difference.kind = DifferenceKind::Ignored;
    difference.manager = kController;
  }
}

}  // namespace trainjobc::diff
