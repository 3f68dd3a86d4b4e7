// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

void check_claim_source(const Field& claim, Report& report) {
  const Field name = claim.child("resourceClaimName");
  const Field from = claim.child("resourceClaimTemplateName");
  if (name && from) {
    report.add(rule::kResourceClaim, claim,
               "a claim can't have both resourceClaimName and resourceClaimTemplateName",
               "remove one of the two");
  } else if (!name && !from) {
    report.add(rule::kResourceClaim, claim,
               "a claim needs a resourceClaimName or a resourceClaimTemplateName");
  }
  for (const Field* reference : {&name, &from}) {
    if (*reference)
      check_form(*reference, Form::DnsSubdomain, rule::kResourceClaim, reference->name(), report);
  }
}

}  // namespace

void check_resource_claims(const Field& claims, Report& report) {
  std::set<std::string_view> seen;
  for_each_item(claims, [&](const Field& claim) {
    const Field name = claim.child("name");
    if (!check_given(name, rule::kResourceClaim, report)) return check_claim_source(claim, report);
    if (!seen.insert(name.text()).second) {
      report.add(rule::kResourceClaim, name, fmt::format("two claims are named {}", quoted(name)),
                 "rename one of them");
    } else {
      check_form(name, Form::DnsLabel, rule::kResourceClaim, "claim name", report);
    }
    check_claim_source(claim, report);
  });
}

}  // namespace trainjobc::k8s::job
