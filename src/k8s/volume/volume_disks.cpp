// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/check/field_checks.h"
#include "k8s/quantity.h"
#include "k8s/volume/volume_sources.h"

namespace trainjobc::k8s::job {
namespace {

using base::is_alnum;
using base::is_digit;

constexpr size_t kMaxTenant = 64;

bool is_host_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
    return text.substr(colon).find_first_of("[]") == text.npos && host.find_first_of("[]") == host.npos;
  }
  return host.find(':') == host.npos && text.find_first_of("[]") == text.npos;
}

// iqn.YYYY-MM.domain:name
bool is_iqn(std::string_view text) {
  for (size_t at = text.find("iqn."); at != text.npos; at = text.find("iqn.", at + 1)) {
    std::string_view rest = text.substr(at + 4);
    const bool dated = rest.size() > 8 && std::all_of(rest.begin(), rest.begin() + 4, is_digit) &&
                       rest[4] == '-' && is_digit(rest[5]) && is_digit(rest[6]) && rest[7] == '.';
    if (!dated) continue;
    rest.remove_prefix(8);
    const size_t colon = rest.find(':');
    if (colon == rest.npos || colon == 0 || colon + 1 == rest.size()) continue;
    const bool domain = std::ranges::all_of(rest.substr(0, colon),
                                            [](char c) { return is_alnum(c) || c == '-' || c == '.'; });
    if (domain && rest.find_first_of(",;*&$| \t\n\f\r", colon) == rest.npos) return true;
  }
  return false;
}

// eui. or naa. and as many letters and digits.
bool is_hardware_name(std::string_view text, size_t digits) {
  return text.size() == 4 + digits && text[3] != '\n' && std::ranges::all_of(text.substr(4), is_alnum);
}

bool is_initiator(std::string_view text) {
  if (text.starts_with("iqn")) return is_iqn(text);
  if (text.starts_with("eui")) return is_hardware_name(text, 16);
  return text.starts_with("naa") && is_hardware_name(text, 32);
}

void check_initiator(const Field& name, Report& report) {
  if (is_initiator(name.text())) return;
  report.add(rule::kVolume, name, fmt::format("{} {} is not an iSCSI name", name.name(), quoted(name)),
             "write it as iqn.2001-04.com.example:storage");
}

}  // namespace

void check_empty_dir(const Field& source, Report& report) {
  const Field limit = source.child("sizeLimit");
  const auto quantity = k8s::Quantity::parse(limit.text());
  if (!quantity || quantity->sign() >= 0) return;
  report.add(rule::kVolume, limit, fmt::format("sizeLimit {} is negative", limit.text()));
}

void check_host_path(const Field& source, Report& report) {
  constexpr std::string_view kTypes[] = {"DirectoryOrCreate", "Directory",  "FileOrCreate", "File", "Socket",
                                         "CharDevice",        "BlockDevice"};
  const Field path = source.child("path");
  if (!check_given(path, rule::kVolume, report)) return;
  check_no_backsteps(path, rule::kVolume, report);
  check_defaulted_one_of(source.child("type"), kTypes, rule::kVolume, report);
}

void check_git_repo(const Field& source, Report& report) {
  check_relative_path(source.child("directory"), rule::kVolume, report);
}

void check_nfs(const Field& source, Report& report) {
  const Field path = source.child("path");
  if (path.text().empty() || path.text().starts_with('/')) return;
  report.add(rule::kVolume, path, fmt::format("path {} must be absolute", quoted(path)),
             fmt::format("write /{}", path.text()));
}

void check_image_volume(const Field& source, Report& report) {
  constexpr std::string_view kPolicies[] = {"Always", "IfNotPresent", "Never"};
  check_defaulted_one_of(source.child("pullPolicy"), kPolicies, rule::kVolume, report);
}

void check_partitioned_disk(const Field& source, Report& report) {
  check_range(source.child("partition"), 0, 255, rule::kVolume, report);
}

void check_cinder(const Field& source, Report& report) {
  const Field secret = source.child("secretRef");
  if (secret) check_given(secret.child("name"), rule::kVolume, report);
}

void check_azure_disk(const Field& source, Report& report) {
  constexpr std::string_view kCaching[] = {"None", "ReadOnly", "ReadWrite"};
  constexpr std::string_view kKinds[] = {"Dedicated", "Managed", "Shared"};
  const Field uri = source.child("diskURI");
  const Field kind = source.child("kind");
  check_optional_one_of(source.child("cachingMode"), kCaching, rule::kVolume, report);
  check_optional_one_of(kind, kKinds, rule::kVolume, report);
  const std::string_view prefix = kind.text() == "Managed" ? "/subscriptions/" : "https://";
  if (uri.text().empty() || uri.text().starts_with(prefix)) return;
  report.add(rule::kVolume, uri,
             fmt::format("diskURI of a {} disk must begin with {}", kind ? kind.text() : "Shared", prefix));
}

void check_iscsi(const Field& source, Report& report) {
  const Field iqn = source.child("iqn");
  if (!iqn.text().empty()) check_initiator(iqn, report);
  const Field initiator = source.child("initiatorName");
  if (initiator) check_initiator(source.child("initiatorname", initiator.node()), report);
  check_range(source.child("lun"), 0, 255, rule::kVolume, report);
  const bool chap = source.child("chapAuthDiscovery").is_true() || source.child("chapAuthSession").is_true();
  const Field secret = source.child("secretRef");
  if (chap && !secret)
    report.add(rule::kVolume, secret, "CHAP authentication needs a secretRef", "add secretRef");
}

void check_fc(const Field& source, Report& report) {
  const Field targets = source.child("targetWWNs");
  const Field ids = source.child("wwids");
  const Field lun = source.child("lun");
  if (targets.size() == 0 && ids.size() == 0) {
    report.add(rule::kVolume, targets, "an fc volume needs targetWWNs or wwids");
  } else if (targets.size() > 0 && ids.size() > 0) {
    report.add(rule::kVolume, targets, "an fc volume can't have both targetWWNs and wwids",
               "remove one of the two");
  }
  if (targets.size() == 0) return;
  if (lun) {
    check_range(lun, 0, 255, rule::kVolume, report);
  } else {
    report.add(rule::kVolume, lun, "targetWWNs need a lun", "add lun");
  }
}

void check_flocker(const Field& source, Report& report) {
  const Field name = source.child("datasetName");
  const bool has_id = !source.child("datasetUUID").text().empty();
  if (name.text().empty() && !has_id) {
    report.add(rule::kVolume, source, "a flocker volume needs a datasetName or a datasetUUID");
  } else if (!name.text().empty() && has_id) {
    report.add(rule::kVolume, source, "a flocker volume can't have both datasetName and datasetUUID",
               "remove one of the two");
  }
  if (name.text().find('/') != std::string_view::npos) {
    report.add(rule::kVolume, name, fmt::format("datasetName {} can't contain a '/'", quoted(name)));
  }
}

void check_quobyte(const Field& source, Report& report) {
  const Field registry = source.child("registry");
  const Field tenant = source.child("tenant");
  if (!check_given(registry, rule::kVolume, report)) return;
  if (tenant.text().size() > kMaxTenant) {
    report.add(rule::kVolume, tenant,
               fmt::format("tenant is {} characters long, at most {} are allowed", tenant.text().size(),
                           kMaxTenant));
    return;
  }
  std::string_view rest = registry.text();
  while (true) {
    const size_t comma = rest.find(',');
    if (!is_host_port(rest.substr(0, comma))) break;
    if (comma == rest.npos) return;
    rest.remove_prefix(comma + 1);
  }
  report.add(rule::kVolume, registry, fmt::format("registry {} is not a host:port", quoted(registry)),
             "write host:port, and separate several with commas");
}

void check_flex_volume(const Field& source, Report& report) {
  for_each_entry(source.child("options"), [&](std::string_view key, const Field& option) {
    const std::string domain = "." + base::lower_case(key.substr(0, key.find('/')));
    if (!domain.ends_with(".kubernetes.io") && !domain.ends_with(".k8s.io")) return;
    report.add_at(option.key_location(), rule::kVolume, option,
                  fmt::format("option {} is in a domain that is reserved for Kubernetes", quoted(key)));
  });
}

void check_storage_os(const Field& source, Report& report) {
  for (const std::string_view name : {"volumeName", "volumeNamespace"}) {
    check_optional_name(source.child(name), Form::DnsLabel, rule::kVolume, name, report);
  }
  const Field secret = source.child("secretRef");
  if (secret) check_given(secret.child("name"), rule::kVolume, report);
}

}  // namespace trainjobc::k8s::job
