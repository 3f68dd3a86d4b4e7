// SPDX-License-Identifier: Apache-2.0

// The claims that a JobSet creates for its pods.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "k8s/jobset/dns_names.h"
#include "k8s/jobset/names.h"
#include "k8s/jobset/webhook_rules.h"
#include "yaml/fields.h"

namespace trainjobc::k8s::jobset {
namespace {

using yaml::Node;

struct Claim {
  std::string field;  // the webhook writes template instead of the API's templates
  const Node* node = nullptr;
  std::string_view name;
};

std::vector<Claim> claims_of(const Node& spec) {
  std::vector<Claim> claims;
  size_t policy_index = 0;
  for (const Node* policy : items_at(spec, "volumeClaimPolicies")) {
    size_t index = 0;
    for (const Node* claim : items_at(*policy, "templates")) {
      const Node* name = claim->at({"metadata", "name"});
      claims.push_back({fmt::format("spec.volumeClaimPolicies[{}].template[{}].name", policy_index, index++),
                        name ? name : claim, yaml::text_of(name)});
    }
    ++policy_index;
  }
  return claims;
}

void check_name(const JobSetView& job_set, const Claim& claim, k8s::Violations& out) {
  if (!is_dns1123_subdomain(claim.name)) {
    const std::string message = claim.name.empty()
                                    ? "a claim template needs a name"
                                    : fmt::format("\"{}\" is not a valid claim name", claim.name);
    add(out, "jobset/claim-name", claim.field, message, claim.node,
        "use lower-case letters, digits, dashes and dots, with no dash or dot at the beginning or end");
  }
  const std::string full = claim_name(claim.name, job_set.name);
  if (full.size() <= kMaxLabel) return;
  add_too_long(out, "jobset/claim-name", claim.field,
               fmt::format("the claim's name \"{}\" would have {} characters, at most {} are allowed", full,
                           full.size(), kMaxLabel),
               job_set, full.size() - kMaxLabel, {"claim template", claim.name, claim.node});
}

// JobSet adds a volume of the claim's name to the pods.
void check_volumes(const ReplicatedJob& job, const Claim& claim, k8s::Violations& out) {
  if (!job.pod_spec) return;
  size_t index = 0;
  for (const Node* volume : items_at(*job.pod_spec, "volumes")) {
    const size_t at = index++;
    if (text_at(*volume, "name") != claim.name) continue;
    base::Diagnostic& diagnostic =
        add(out, "jobset/claim-volume",
            fmt::format("{}.template.spec.template.spec.volumes[{}].name", job.field, at),
            fmt::format("the volume \"{}\" of replicatedJob \"{}\" has the same name as a claim template, "
                        "which adds a volume of that name",
                        claim.name, job.name),
            volume->get("name"), "rename it, or remove it to use the claim");
    add_note(diagnostic, "the claim template", claim.node);
  }
}

void check_mount(const JobSetView& job_set, const Claim& claim, k8s::Violations& out) {
  const auto mounts_claim = [&](const ReplicatedJob& job) {
    return job.pod_spec && mounts(*job.pod_spec, claim.name);
  };
  if (std::ranges::any_of(job_set.jobs, mounts_claim)) return;
  add(out, "jobset/claim-mount", "spec.replicatedJobs",
      fmt::format("no container mounts the claim \"{}\"", claim.name), claim.node,
      claim.name.empty() ? "" : fmt::format("add a volumeMount with name: {}", claim.name));
}

}  // namespace

void check_volume_claims(const JobSetView& job_set, k8s::Violations& out) {
  std::map<std::string_view, const Claim*> first;
  const std::vector<Claim> claims = claims_of(*job_set.spec);
  for (const Claim& claim : claims) {
    const auto [same, is_new] = first.try_emplace(claim.name, &claim);
    if (!is_new) {
      base::Diagnostic& duplicate = add(out, "jobset/claim-name", claim.field,
                                        fmt::format("two claim templates are named \"{}\"", claim.name),
                                        claim.node, "rename one of the two");
      add_note(duplicate, "the first one", same->second->node);
      continue;
    }
    check_name(job_set, claim, out);
    for (const ReplicatedJob& job : job_set.jobs) check_volumes(job, claim, out);
    check_mount(job_set, claim, out);
  }
}

}  // namespace trainjobc::k8s::jobset
