// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

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

// Splits metadata.labels['key'] into name and key.
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
  return base::contains(kUnits, text);
}

void check_divisor(std::string_view resource, const Field& divisor, bool in_volume, Report& report) {
  const auto quantity = Quantity::parse(divisor.text());
  if (!quantity || quantity->is_zero()) return;
  const std::string text = quantity->to_string();
  const bool cpu = resource == "limits.cpu" || resource == "requests.cpu";
  const bool bytes = resource.starts_with("limits.hugepages-") ||
                     resource.starts_with("requests.hugepages-") || base::contains(kResources, resource);
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
  if (base::contains(allowed, path.text()) || (!in_volume && path.text() == "spec.host")) return;
  const bool keyed = path.text() == "metadata.labels" || path.text() == "metadata.annotations";
  const auto meant = base::closest(path.text(), allowed);
  base::Diagnostic& found =
      report.add(rule_of(in_volume), path, fmt::format("fieldPath {} is not supported here", quoted(path)),
                 keyed ? fmt::format("name the key: {}['app']", path.text())
                       : fmt::format("one of {}", fmt::join(allowed, ", ")));
  if (meant && !keyed) suggest(found, path.node(), *meant);
}

void check_resource_field_ref(const Field& reference, bool in_volume, Report& report) {
  if (!reference) return;
  const Field resource = reference.child("resource");
  const std::string_view name = resource.text();
  const bool known = base::contains(kResources, name) || name.starts_with("limits.hugepages-") ||
                     name.starts_with("requests.hugepages-");
  if (in_volume && reference.child("containerName").text().empty()) {
    check_given(reference.child("containerName"), rule_of(in_volume), report);
  } else if (check_given(resource, rule_of(in_volume), report) && !known) {
    report.add(rule_of(in_volume), resource, fmt::format("resource {} is not supported here", quoted(name)),
               "limits or requests of cpu, memory, ephemeral-storage or hugepages-<size>");
  }
  check_divisor(name, reference.child("divisor"), in_volume, report);
}

namespace {

// Which of the `names` are set.
std::vector<std::string_view> given_of(const Field& parent, std::span<const std::string_view> names) {
  std::vector<std::string_view> out;
  std::ranges::copy_if(names, std::back_inserter(out),
                       [&](std::string_view name) { return !!parent.child(name); });
  return out;
}

void check_key_ref(const Field& reference, Report& report) {
  if (!reference) return;
  check_form(reference.child("name"), Form::DnsSubdomain, rule::kEnv,
             fmt::format("name of {}", reference.name()), report);
  check_name(reference.child("key"), Form::ConfigKey, rule::kEnv, "key", report);
}

void check_file_ref(const Field& reference, Report& report) {
  if (!reference) return;
  check_name(reference.child("key"), Form::EnvName, rule::kEnv, "key", report);
  check_name(reference.child("volumeName"), Form::DnsLabel, rule::kEnv, "volumeName", report);
  if (check_given(reference.child("path"), rule::kEnv, report)) {
    check_no_backsteps(reference.child("path"), rule::kEnv, report);
  }
}

void check_value_from(const Field& variable, Report& report) {
  constexpr std::string_view kSources[] = {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef",
                                           "fileKeyRef"};
  const Field source = variable.child("valueFrom");
  if (!source) return;
  check_field_ref(source.child("fieldRef"), false, report);
  check_resource_field_ref(source.child("resourceFieldRef"), false, report);
  check_key_ref(source.child("configMapKeyRef"), report);
  check_key_ref(source.child("secretKeyRef"), report);
  check_file_ref(source.child("fileKeyRef"), report);
  const auto given = given_of(source, kSources);
  const std::string dropped = source.name();
  if (given.empty() && dropped != "valueFrom") {
    report.add(rule::kEnv, source,
               fmt::format("Trainer drops {} here, which leaves valueFrom without a source", dropped),
               fmt::format("write the variable in the runtime, or use one of {}",
                           fmt::join(std::span(kSources).first<4>(), ", ")));
  } else if (given.empty()) {
    report.add(rule::kEnv, source, "valueFrom names no source",
               fmt::format("one of {}, or remove valueFrom", fmt::join(kSources, ", ")));
  } else if (!variable.child("value").text().empty()) {
    report.add_at(source.key_location(), rule::kEnv, source,
                  fmt::format("variable {} has both value and valueFrom", variable.child("name").text()),
                  "remove one of the two");
  } else if (given.size() > 1) {
    report.add_at(source.key_location(), rule::kEnv, source,
                  fmt::format("variable {} has {} sources: {}", variable.child("name").text(), given.size(),
                              fmt::join(given, ", ")),
                  "keep one of them");
  }
}

// Checks the name of a ConfigMap or Secret; the API server accepts a dash at the end.
void check_source_name(const Field& reference, Report& report) {
  if (!reference) return;
  const Field name = reference.child("name");
  if (!check_given(name, rule::kEnv, report) || has_form(Form::DnsSubdomain, as_prefix(name.text()))) return;
  check_form(name, Form::DnsSubdomain, rule::kEnv, fmt::format("name of {}", reference.name()), report);
}

void check_env_from(const Field& sources, Report& report) {
  for_each_item(sources, [&](const Field& source) {
    check_optional_name(source.child("prefix"), Form::EnvName, rule::kEnv, "prefix", report);
    const Field config_map = source.child("configMapRef");
    const Field secret = source.child("secretRef");
    check_source_name(config_map, report);
    check_source_name(secret, report);
    // The API server names the list, not the element.
    if (config_map && secret) {
      report.add_at(source.location(), rule::kEnv, sources,
                    "an envFrom entry can't have both configMapRef and secretRef",
                    "split it into two entries");
    } else if (!config_map && !secret) {
      report.add_at(source.location(), rule::kEnv, sources,
                    "an envFrom entry needs configMapRef or secretRef");
    }
  });
}

}  // namespace

void check_env(const Field& container, Report& report) {
  for_each_item(container.child("env"), [&](const Field& variable) {
    check_name(variable.child("name"), Form::EnvName, rule::kEnv, "variable name", report);
    check_value_from(variable, report);
  });
  check_env_from(container.child("envFrom"), report);
}

void check_env_files(const Field& spec, const PodFacts& facts, Report& report) {
  std::map<std::string_view, const yaml::Node*> volumes;  // for each name, the last one
  for (const PodVolume& volume : facts.volumes) volumes[volume.name] = volume.node;
  const auto find = [&](std::string_view name) {
    const auto found = volumes.find(name);
    return found != volumes.end() ? found->second : nullptr;
  };
  for_each_container(spec, [&](const Field& container) {
    for_each_item(container.child("env"), [&](const Field& variable) {
      const Field source = variable.child("valueFrom");
      const Field file = source.child("fileKeyRef");
      const Field name = file.child("volumeName");
      if (!file || name.text().empty()) return;
      const yaml::Node* volume = find(name.text());
      if (!volume) {
        report.add(rule::kEnv, name, fmt::format("the pod has no volume {}", quoted(name)));
      } else if (!is_empty_dir(*volume)) {
        report.add(rule::kEnv, name, fmt::format("volume {} is not an emptyDir", quoted(name)));
      }
    });
  });
}

}  // namespace trainjobc::k8s::pod
