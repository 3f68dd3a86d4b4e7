// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/job/job_spec.h"

namespace trainjobc::k8s::job {
namespace {

// A value that manifests can't contain; the API server generates it.
constexpr std::string_view kAnyUid = "\x01uid";

constexpr std::string_view kUidLabels[] = {"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};

LabelSet template_labels(const Field& metadata) {
  LabelSet out;
  for_each_entry(metadata.child("labels"),
                 [&](std::string_view key, const Field& value) { out.emplace(key, value.text()); });
  return out;
}

LabelSet generated_labels(const std::string& job_name) {
  LabelSet out;
  for (const std::string_view key : kUidLabels) out.emplace(key, kAnyUid);
  for (const std::string_view key : kNameLabels) out.emplace(key, job_name);
  return out;
}

// Labels that the API server sets on the template.
void check_reserved_labels(const Field& metadata, const std::string& job_name, Report& report) {
  const Field labels = metadata.child("labels");
  for (const std::string_view key : kUidLabels) {
    const Field label = labels.entry(key);
    if (!label) continue;
    report.add_at(label.key_location(), rule::kSelector, label,
                  fmt::format("label {} must be the Job's uid, which is not known in advance", key),
                  "remove it");
  }
  for (const std::string_view key : kNameLabels) {
    const Field label = labels.entry(key);
    if (!label || label.text() == job_name) continue;
    report.add(
        rule::kSelector, label,
        fmt::format("label {} must be the Job's name {}, not {}", key, quoted(job_name), quoted(label)),
        "remove it");
  }
}

}  // namespace

void check_job_selector(const Field& spec, const std::string& job_name, Report& report) {
  const Field selector = spec.child("selector");
  const Field pod_template = spec.child("template");
  const Field metadata = pod_template.child("metadata");
  const bool manual = spec.child("manualSelector").is_true();
  const size_t before = report.size();
  check_label_selector(selector, report);
  const bool well_formed = report.size() == before;
  LabelSet labels = template_labels(metadata);
  if (!manual) {
    check_reserved_labels(metadata, job_name, report);
    const LabelSet generated = generated_labels(job_name);
    if (selector && well_formed && !selects(selector.node(), generated)) {
      report.add_at(selector.key_location(), rule::kSelector, selector,
                    "the API server generates the selector, and this one would not match it",
                    "remove selector, or set manualSelector: true");
    }
    labels.insert(generated.begin(), generated.end());
  } else if (!selector) {
    report.add_at(spec.child("manualSelector").key_location(), rule::kSelector, selector,
                  "manualSelector needs a selector", "remove manualSelector");
  }
  const bool wanted = (!manual && !selector) || selects(selector.node(), labels);
  const bool own = manual || labels.find(kUidLabels[1])->second == kAnyUid;
  if (!well_formed || (wanted && own)) return;
  report.add_at(wanted ? metadata.child("labels").location() : selector.location(), rule::kSelector,
                metadata.child("labels"), "the pod template lacks the labels that the selector requires",
                wanted ? "" : "add the selector's labels to the pod template");
}

}  // namespace trainjobc::k8s::job
