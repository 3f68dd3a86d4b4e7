// SPDX-License-Identifier: Apache-2.0

// Sources of projected volumes that hold certificates.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {
namespace {

constexpr std::array<std::string_view, 9> kKeyTypes{
    "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "MLDSA44", "MLDSA65", "MLDSA87"};
constexpr int64_t kHour = 3600;
constexpr int64_t kMostOfKubernetes = 24 * kHour;
constexpr int64_t kMostOfOthers = 91 * 24 * kHour;
constexpr std::string_view kOfKubernetes = "kubernetes.io/";

// Says what is wrong with a signer's name, as the rest of a sentence; "" if nothing is.
std::string signer_complaint(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return "must be a domain, a '/' and a path";
  const std::string_view domain = text.substr(0, slash);
  const std::string_view path = text.substr(slash + 1);
  if (!has_form(Form::DnsSubdomain, domain))
    return "has a domain that " + complaint(Form::DnsSubdomain, domain);
  if (domain.find('.') == std::string_view::npos) return "has a domain of only one part";
  const bool fits =
      all_parts(path, "/", [](std::string_view part) { return has_form(Form::DnsSubdomain, part); });
  return fits ? "" : "has a path that is not made of lower-case letters, digits, '-' and '.'";
}

void check_signer(const Field& signer, Report& report) {
  const std::string wrong = signer_complaint(signer.text());
  if (!wrong.empty())
    report.add(rule::kVolume, signer, fmt::format("signerName {} {}", quoted(signer), wrong),
               "such as example.com/name");
}

}  // namespace

void check_trust_bundle(const Field& bundle, Report& report) {
  if (!bundle) return;
  const Field name = bundle.child("name");
  const Field signer = bundle.child("signerName");
  if (name && signer) {
    report.add(rule::kVolume, bundle, "a clusterTrustBundle can't have both name and signerName",
               "keep one of them");
  } else if (name) {
    check_given(name, rule::kVolume, report);
    const Field selector = bundle.child("labelSelector");
    if (selector)
      report.add(rule::kVolume, selector, "a clusterTrustBundle with a name can't have a labelSelector",
                 "remove it");
  } else if (signer) {
    check_signer(signer, report);
  } else {
    report.add(rule::kVolume, bundle, "a clusterTrustBundle needs name or signerName", "add one of them");
  }
  const Field path = bundle.child("path");
  if (check_given(path, rule::kVolume, report)) check_file_path(path, rule::kVolume, report);
}

void check_pod_certificate(const Field& certificate, Report& report) {
  if (!certificate) return;
  const Field signer = certificate.child("signerName");
  check_signer(signer, report);
  check_one_of(certificate.child("keyType"), kKeyTypes, rule::kVolume, report);
  const Field seconds = certificate.child("maxExpirationSeconds");
  const int64_t most = signer.text().starts_with(kOfKubernetes) ? kMostOfKubernetes : kMostOfOthers;
  if (const auto length = seconds.integer(); length && (*length < kHour || *length > most))
    report.add(rule::kVolume, seconds,
               fmt::format("maxExpirationSeconds must be from {} to {}, not {}", kHour, most, *length));
  size_t paths = 0;
  for (const std::string_view key : kCertificatePaths) {
    const Field path = certificate.child(key);
    if (path.text().empty()) continue;
    ++paths;
    check_file_path(path, rule::kVolume, report);
  }
  if (paths == 0)
    report.add(rule::kVolume, certificate,
               fmt::format("a podCertificate needs one of {}", fmt::join(kCertificatePaths, ", ")));
  const Field annotations = certificate.child("userAnnotations");
  for_each_entry(annotations, [&](std::string_view key, const Field& value) {
    const std::string wrong = complaint(Form::LabelKey, key);
    if (!wrong.empty())
      report.add_at(value.key_location(), rule::kVolume, annotations,
                    fmt::format("the key {} of userAnnotations {}", quoted(key), wrong));
  });
}

}  // namespace trainjobc::k8s::pod
