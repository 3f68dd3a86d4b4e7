// SPDX-License-Identifier: Apache-2.0

#include "features/submit/replaced_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "features/submit/event_fields.h"
#include "k8s/jobset/names.h"

namespace trainjobc::submit {
namespace {

using yaml::Maker;
using yaml::Node;

struct Claim {
  std::string_view template_name;
  bool stays = false;  // when its JobSet is deleted
};

// JobSet owns the claims of a policy with Delete. A JobSet that its webhook never saw may lack the policy,
// and then owns none.
std::vector<Claim> claims_of(const Node& job_set) {
  std::vector<Claim> claims;
  for (const Node* policy : items_at(job_set, {"spec", "volumeClaimPolicies"})) {
    const bool stays = value_at(*policy, {"retentionPolicy", "whenDeleted"}) != "Delete";
    for (const Node* claim : items_at(*policy, {"templates"})) {
      claims.push_back({value_at(*claim, {"metadata", "name"}), stays});
    }
  }
  return claims;
}

}  // namespace

std::string claims_lost(const Node& job_set, std::string_view flag_of_namespace) {
  const std::string_view job_set_name = value_at(job_set, {"metadata", "name"});
  std::string text;
  for (const Claim& claim : claims_of(job_set)) {
    const std::string name = k8s::jobset::claim_name(claim.template_name, job_set_name);
    if (claim.stays) {
      text += fmt::format(
          "    but not the claim {}, which is kept: the new JobSet is refused unless its template equals the "
          "claim's spec, including volumeMode, volumeName and storageClassName, and sets whenDeleted: "
          "Retain. To start with an empty volume, delete the claim first: kubectl delete pvc {}{}\n",
          name, name, flag_of_namespace);
    } else {
      text += fmt::format("    the claim {}, and the data on its volume\n", name);
    }
  }
  return text;
}

const Node* without_deleted_claims(const Node& job_set, const Node& live, const Maker& make) {
  const std::vector<Claim> old_claims = claims_of(live);
  const auto is_deleted = [&](const Node& claim) {
    const std::string_view name = value_at(claim, {"metadata", "name"});
    const auto old = std::ranges::find(old_claims, name, &Claim::template_name);
    return old != old_claims.end() && !old->stays;
  };
  std::vector<const Node*> policies;
  for (const Node* policy : items_at(job_set, {"spec", "volumeClaimPolicies"})) {
    std::vector<const Node*> templates;
    for (const Node* claim : items_at(*policy, {"templates"})) {
      if (!is_deleted(*claim)) templates.push_back(claim);
    }
    if (!templates.empty())
      policies.push_back(make.with(policy, "templates", make.list(templates, policy->origin())));
  }
  const Node* spec = job_set.get("spec");
  if (!spec || !spec->get("volumeClaimPolicies")) return &job_set;
  return make.with(&job_set, "spec",
                   make.with(spec, "volumeClaimPolicies",
                             policies.empty() ? nullptr : make.list(policies, spec->origin())));
}

}  // namespace trainjobc::submit
