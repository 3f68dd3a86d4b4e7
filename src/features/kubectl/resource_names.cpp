// SPDX-License-Identifier: Apache-2.0

#include "features/kubectl/resource_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainjobc::kubectl {
namespace {

std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace

std::string_view resource_of(std::string_view api_version, std::string_view kind) {
  if (kind == "JobSet") return "jobsets.jobset.x-k8s.io";
  if (kind == "TrainJob") return "trainjobs.trainer.kubeflow.org";
  if (kind == "Secret") return "secrets";
  if (kind == "ConfigMap") return "configmaps";
  if (kind != "PodGroup") return {};
  return group_of(api_version) == "scheduling.volcano.sh" ? "podgroups.scheduling.volcano.sh"
                                                          : "podgroups.scheduling.x-k8s.io";
}

std::string name_of(std::string_view api_version, std::string_view kind, std::string_view name) {
  std::string word(kind);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view group = group_of(api_version);
  return fmt::format("{}{}{}/{}", word, group.empty() ? "" : ".", group, name);
}

}  // namespace trainjobc::kubectl
