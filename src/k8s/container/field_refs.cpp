// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "base/text/suggest.h"
#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"
#include "k8s/quantity.h"

namespace trainjobc::k8s::job {
namespace {

constexpr std::string_view kEnvPaths[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
constexpr std::string_view kVolumePaths[] = {"metadata.name", "metadata.namespace", "metadata.labels",
                                             "metadata.annotations", "metadata.uid"};
constexpr std::string_view kResources[] = {"limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
                                           "requests.cpu", "requests.memory", "requests.ephemeral-storage"};

struct Subscripted {
  std::string_view path;
  std::string_view key;
};

// Splits metadata.labels['key'].
std::optional<Subscripted> split_subscript(std::string_view text) {
  if (!text.ends_with("']")) return std::nullopt;
  text.remove_suffix(2);
  const size_t open = text.find("['");
  if (open == text.npos || open == 0) return std::nullopt;
  return Subscripted{text.substr(0, open), text.substr(open + 2)};
}

std::string_view rule_of(bool in_volume) {
  return in_volume ? rule::kVolume : rule::kEnv;
}

void check_subscripted(const Subscripted& given, const Field& reference, bool in_volume, Report& report) {
  const Field path = reference.child("fieldPath");
  const bool labels = given.path == "metadata.labels";
  if (!labels && given.path != "metadata.annotations") {
    report.add(rule_of(in_volume), path, fmt::format("{} can't have a key in brackets", given.path),
               "only metadata.labels and metadata.annotations can");
    return;
  }
  const std::string wrong =
      complaint(Form::LabelKey, labels ? std::string(given.key) : base::lower_case(given.key));
  if (wrong.empty()) return;
  report.add_at(path.location(), rule_of(in_volume), reference,
                fmt::format("{} key {} {}", labels ? "label" : "annotation", quoted(given.key), wrong));
}

bool is_memory_divisor(std::string_view text) {
  constexpr std::string_view kUnits[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                         "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  return std::ranges::find(kUnits, text) != std::end(kUnits);
}

void check_divisor(std::string_view resource, const Field& divisor, bool in_volume, Report& report) {
  const auto quantity = k8s::Quantity::parse(divisor.text());
  if (!quantity || quantity->is_zero()) return;
  const std::string text = quantity->to_string();
  const bool cpu = resource == "limits.cpu" || resource == "requests.cpu";
  const bool bytes = resource.starts_with("limits.hugepages-") ||
                     resource.starts_with("requests.hugepages-") ||
                     std::ranges::find(kResources, resource) != std::end(kResources);
  if (!bytes || (cpu ? text == "1" || text == "1m" : is_memory_divisor(text))) return;
  report.add(rule_of(in_volume), divisor, fmt::format("{} can't be divided by {}", resource, text),
             cpu ? "1 or 1m" : "1, or one k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei");
}

}  // namespace

void check_field_ref(const Field& reference, bool in_volume, Report& report) {
  if (!reference) return;
  const Field path = reference.child("fieldPath");
  const Field version = reference.child("apiVersion");
  if (!check_given(path, rule_of(in_volume), report)) return;
  if (!version.text().empty() && version.text() != "v1") {
    report.add_at(version.location(), rule_of(in_volume), path,
                  fmt::format("pods have no apiVersion {}", quoted(version)), "leave apiVersion out");
    return;
  }
  if (const auto subscripted = split_subscript(path.text())) {
    return check_subscripted(*subscripted, reference, in_volume, report);
  }
  const std::span<const std::string_view> allowed = in_volume
                                                        ? std::span<const std::string_view>(kVolumePaths)
                                                        : std::span<const std::string_view>(kEnvPaths);
  if (std::ranges::find(allowed, path.text()) != allowed.end() || (!in_volume && path.text() == "spec.host"))
    return;
  const bool keyed = path.text() == "metadata.labels" || path.text() == "metadata.annotations";
  const auto meant = base::closest(path.text(), allowed);
  report.add(rule_of(in_volume), path, fmt::format("fieldPath {} is not supported here", quoted(path)),
             keyed   ? fmt::format("name the key: {}['app']", path.text())
             : meant ? fmt::format("did you mean {}?", *meant)
                     : fmt::format("one of {}", fmt::join(allowed, ", ")));
}

void check_resource_field_ref(const Field& reference, bool in_volume, Report& report) {
  if (!reference) return;
  const Field resource = reference.child("resource");
  const std::string_view name = resource.text();
  const bool known = std::ranges::find(kResources, name) != std::end(kResources) ||
                     name.starts_with("limits.hugepages-") || name.starts_with("requests.hugepages-");
  if (in_volume && reference.child("containerName").text().empty()) {
    check_given(reference.child("containerName"), rule_of(in_volume), report);
  } else if (check_given(resource, rule_of(in_volume), report) && !known) {
    report.add(rule_of(in_volume), resource, fmt::format("resource {} is not supported here", quoted(name)),
               "limits or requests of cpu, memory, ephemeral-storage or hugepages-<size>");
  }
  check_divisor(name, reference.child("divisor"), in_volume, report);
}

}  // namespace trainjobc::k8s::job
