#include "k8s/jobset/claim_templates.h"

#include "k8s/pod/label_selectors.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {

void check_claim_templates(const Field& spec, Report& report) {
  for_each_item(spec.child("volumeClaimPolicies"), [&](const Field& policy) {
    for_each_item(policy.child("templates"), [&](const Field& claim) {
      // The controller takes labels and annotations alone; the name is checked by its webhook.
      const Field metadata = claim.child("metadata");
      check_labels(metadata.child("labels"), "label", report);
      check_annotations(metadata.child("annotations"), report);
      check_claim_spec(claim.child("spec"), report);
    });
  });
}

}  // namespace trainjobc::k8s::job
