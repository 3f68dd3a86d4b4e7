// SPDX-License-Identifier: Apache-2.0

#include "k8s/job/job_admission.h"

#include <fmt/format.h>

#include <string>

#include "k8s/job/job_spec.h"
#include "k8s/jobset/construct.h"
#include "k8s/jobset/names.h"
#include "k8s/pod/label_selectors.h"
#include "k8s/pod/pod_annotations.h"
#include "k8s/pod/pod_spec.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {
namespace {

using job::Field;

// The name of the replicatedJob's first Job.
std::string first_job_name(const Field& job_set, const Field& replicated_job) {
  const Field metadata = job_set.child("metadata");
  return jobset::job_name(metadata.child("name").text(), replicated_job.child("name").text(), 0);
}

template <typename Visit>
void for_each_claim(const Field& job_set, const Visit& visit) {
  const Field spec = job_set.child("spec");
  job::for_each_item(spec.child("volumeClaimPolicies"),
                     [&](const Field& policy) { job::for_each_item(policy.child("templates"), visit); });
}

// The claims that the JobSet controller makes of volumeClaimPolicies before it makes any Job. If one is
// refused, JobSet makes no Job and says so in an event, PVCCreationFailed. Source of the rules:
// k8s.io/kubernetes, ValidatePersistentVolumeClaim.
void check_claims(const Field& job_set, job::Report& report) {
  for_each_claim(job_set, [&](const Field& claim) {
    // The controller copies only labels and annotations; JobSet's webhook checks the name.
    const Field metadata = claim.child("metadata");
    job::check_labels(metadata.child("labels"), "label", report);
    job::check_annotations(metadata.child("annotations"), report);
    job::check_claim_spec(claim.child("spec"), report);
  });
}

std::vector<std::string_view> claim_names(const Field& job_set) {
  std::vector<std::string_view> names;
  for_each_claim(job_set, [&](const Field& claim) {
    const Field metadata = claim.child("metadata");
    names.push_back(metadata.child("name").text());
  });
  return names;
}

// job_template: a Job without its name, as the JobSet controller completed it.
void check_job(const Field& job_set, const Field& replicated_job, const Field& job_template,
               job::Report& report) {
  const Field metadata = job_template.child("metadata");
  job::check_labels(metadata.child("labels"), "label", report);
  job::check_annotations(metadata.child("annotations"), report);
  const Field spec = job_template.child("spec");
  job::check_job_spec(spec, report);
  job::check_job_selector(spec, first_job_name(job_set, replicated_job), report);

  const Field pod_template = spec.child("template");
  const Field pod_metadata = pod_template.child("metadata");
  const Field pod = pod_template.child("spec");
  // The API server leaves "metadata" out of these paths.
  const Field annotations = pod_template.child("annotations", pod_metadata.child("annotations").node());
  job::check_labels(pod_template.child("labels", pod_metadata.child("labels").node()), "label", report);
  job::check_annotations(annotations, report);
  job::check_pod_annotations(annotations, pod, report);
  job::check_pod_spec(pod, claim_names(job_set), report);
  job::check_restart_policy(pod, !!spec.child("podFailurePolicy"), report);
}

}  // namespace

k8s::Violations validate_jobs(const yaml::Node& admitted_job_set, const yaml::Maker& make) {
  k8s::Violations violations;
  job::Report report(violations);
  const Field job_set(&admitted_job_set);
  const Field spec = job_set.child("spec");
  check_claims(job_set, report);
  const Field replicated_jobs = spec.child("replicatedJobs");
  const jobset::JobSetView view = jobset::view_job_set(admitted_job_set);
  for (size_t i = 0; i < view.jobs.size(); ++i) {
    const Field replicated_job = replicated_jobs.item(i);
    const yaml::Node* completed = job::first_job(admitted_job_set, view, view.jobs[i], make);
    check_job(job_set, replicated_job, replicated_job.child("template", completed), report);
  }
  return violations;
}

}  // namespace trainjobc::k8s::job
