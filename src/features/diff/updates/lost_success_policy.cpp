// SPDX-License-Identifier: Apache-2.0

#include "features/diff/updates/lost_success_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "secret/secret.h"
#include "yaml/fields.h"

namespace trainjobc::diff {
namespace {

using yaml::Node;

bool is_written(const Node& rendered) {
  const Node* policy = rendered.at({"spec", "successPolicy"});
  const Node* how = policy ? policy->get("operator") : nullptr;
  const yaml::Derivation* made = how ? how->origin().derivation() : nullptr;
  return policy && !(made && made->rule == "jobset/default");
}

// By a server-side apply of any manager but Trainer, which keeps its own field.
bool is_applied(const Node& live) {
  return std::ranges::any_of(items_at(live, {"metadata", "managedFields"}), [](const Node* entry) {
    return text_at(*entry, "operation") == "Apply" && text_at(*entry, "manager") != "trainer" &&
           entry->at({"fieldsV1", "f:spec", "f:successPolicy"});
  });
}

// By kubectl apply, which remembers what it applied.
bool is_remembered(const Node& live) {
  const Node* applied = live.at({"metadata", "annotations", secret::kLastApplied});
  if (!applied) return false;
  const auto json = nlohmann::json::parse(applied->text(), nullptr, false);
  return json.is_object() && json.contains("spec") && json["spec"].is_object() &&
         json["spec"].contains("successPolicy");
}

}  // namespace

bool loses_success_policy(const Node& rendered, const Node& live) {
  if (!live.at({"spec", "successPolicy"}) || is_written(rendered)) return false;
  return is_applied(live) || is_remembered(live);
}

}  // namespace trainjobc::diff
