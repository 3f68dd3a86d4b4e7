// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"

namespace trainjobc::k8s::job {
namespace {

// Which of the `names` are given.
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
  if (given.empty()) {
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

// The name of a ConfigMap or Secret; the API server accepts a dash at the end.
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
  const auto find = [&](std::string_view name) {
    const auto found = std::find_if(facts.volumes.rbegin(), facts.volumes.rend(),
                                    [&](const PodVolume& volume) { return volume.name == name; });
    return found != facts.volumes.rend() ? found->node : nullptr;
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

}  // namespace trainjobc::k8s::job
