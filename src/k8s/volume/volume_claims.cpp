// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/check/field_checks.h"
#include "k8s/pod/label_selectors.h"
#include "k8s/pod/resources.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxDriver = 63;

void check_template_metadata(const Field& metadata, Report& report) {
  check_labels(metadata.child("labels"), "label", report);
  check_annotations(metadata.child("annotations"), report);
  if (!metadata) return;
  for (const yaml::Entry& entry : metadata.node()->entries()) {
    if (entry.key == "labels" || entry.key == "annotations" || entry.value->is_empty_value()) continue;
    const Field field = metadata.child(entry.key);
    report.add_at(field.key_location(), rule::kVolume, field,
                  fmt::format("a claim's template can't have {}", entry.key), "only labels and annotations");
  }
}

void check_access_modes(const Field& modes, Report& report) {
  constexpr std::string_view kModes[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                         "ReadWriteOncePod"};
  if (modes.size() == 0) {
    report.add(rule::kVolume, modes, "a claim needs at least one access mode",
               "add accessModes: [ReadWriteOnce]");
  }
  bool alone = false;
  bool shared = false;
  for_each_item(modes, [&](const Field& mode) {
    const bool known = std::ranges::find(kModes, mode.text()) != std::end(kModes);
    if (!known) {
      report.add_at(mode.location(), rule::kVolume, modes,
                    fmt::format("{} is not an access mode", quoted(mode)),
                    fmt::format("one of {}", fmt::join(kModes, ", ")));
    }
    alone = alone || mode.text() == "ReadWriteOncePod";
    shared = shared || (known && mode.text() != "ReadWriteOncePod");
  });
  if (!alone || !shared) return;
  report.add(rule::kVolume, modes, "ReadWriteOncePod can't be combined with other access modes",
             "remove one of them");
}

void check_storage(const Field& resources, Report& report) {
  const Field requests = resources.child("requests");
  const Field asked = requests.child("storage");
  // The API server leaves "requests" out of the path.
  const Field named = resources.entry("storage");
  const auto amount = stored_amount(asked);
  if (!asked) {
    report.add_at(requests.location(), rule::kVolume, named, "a claim needs a request for storage",
                  "add resources: {requests: {storage: 10Gi}}");
  } else if (amount && amount->sign() <= 0) {
    report.add_at(asked.location(), rule::kVolume, named,
                  fmt::format("a claim can't request {} of storage", asked.text()));
  }
}

void check_data_source(const Field& source, Report& report) {
  if (!source) return;
  check_given(source.child("name"), rule::kVolume, report);
  const Field kind = source.child("kind");
  const bool has_kind = check_given(kind, rule::kVolume, report);
  const Field group = source.child("apiGroup");
  if (group.text().empty() && kind.text() != "PersistentVolumeClaim") {
    report.add_at(has_kind ? kind.location() : source.location(), rule::kVolume, source,
                  fmt::format("without an apiGroup, {} can only be a PersistentVolumeClaim", source.name()),
                  "add apiGroup");
  }
  check_optional_name(group, Form::DnsSubdomain, rule::kVolume, "apiGroup", report);
  check_optional_name(source.child("namespace"), Form::DnsLabel, rule::kVolume, "namespace", report);
}

bool same_text(const Field& a, const Field& b) {
  return !!a == !!b && a.text() == b.text();
}

// dataSource and dataSourceRef must match; the API server names the claim's spec.
void check_data_sources(const Field& spec, Report& report) {
  const Field source = spec.child("dataSource");
  const Field ref = spec.child("dataSourceRef");
  check_data_source(source, report);
  check_data_source(ref, report);
  if (!source || !ref) return;
  const bool same = same_text(source.child("apiGroup"), ref.child("apiGroup")) &&
                    source.child("kind").text() == ref.child("kind").text() &&
                    source.child("name").text() == ref.child("name").text();
  if (!ref.child("namespace").text().empty()) {
    report.add_at(source.key_location(), rule::kVolume, spec,
                  "dataSource can't be used with dataSourceRef.namespace", "remove dataSource");
  } else if (!same) {
    report.add_at(source.key_location(), rule::kVolume, spec, "dataSource and dataSourceRef must be the same",
                  "remove one of the two");
  }
}

}  // namespace

void check_claim_spec(const Field& spec, Report& report) {
  constexpr std::string_view kModes[] = {"Block", "Filesystem"};
  check_access_modes(spec.child("accessModes"), report);
  check_label_selector(spec.child("selector"), report);
  check_storage(spec.child("resources"), report);
  for (const std::string_view name : {"storageClassName", "volumeAttributesClassName"}) {
    check_optional_name(spec.child(name), Form::DnsSubdomain, rule::kVolume, name, report);
  }
  check_optional_one_of(spec.child("volumeMode"), kModes, rule::kVolume, report);
  check_data_sources(spec, report);
}

void check_ephemeral_volume(const Field& source, Report& report) {
  const Field claim = source.child("volumeClaimTemplate");
  if (!claim) {
    report.add(rule::kVolume, claim, "an ephemeral volume needs a volumeClaimTemplate",
               "add volumeClaimTemplate");
    return;
  }
  check_template_metadata(claim.child("metadata"), report);
  check_claim_spec(claim.child("spec"), report);
}

void check_csi_volume(const Field& source, Report& report) {
  const Field driver = source.child("driver");
  const std::string wrong = complaint(Form::DnsSubdomain, base::lower_case(driver.text()));
  if (!check_given(driver, rule::kVolume, report)) {
    // No further checks of it.
  } else if (!wrong.empty()) {
    report.add(rule::kVolume, driver, fmt::format("CSI driver {} {}", quoted(driver), wrong));
  } else if (driver.text().size() > kMaxDriver) {
    report.add(rule::kVolume, driver,
               fmt::format("CSI driver is {} characters long, at most {} are allowed", driver.text().size(),
                           kMaxDriver));
  }
  const Field secret = source.child("nodePublishSecretRef");
  const Field name = secret.child("name");
  if (!secret || !check_given(name, rule::kVolume, report)) return;
  // The API server names a field of the volume, not of the reference.
  check_form(source.child("name", name.node()), Form::DnsSubdomain, rule::kVolume,
             "name of nodePublishSecretRef", report);
}

}  // namespace trainjobc::k8s::job
