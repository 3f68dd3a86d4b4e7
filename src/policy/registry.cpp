// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/word_list.h"
#include "policy/plugin.h"
#include "policy/plugins.h"

namespace trainjobc::policy {

std::span<const Plugin* const> registry() {
  static constexpr std::array kPlugins = std::to_array<const Plugin*>({
      &plainml::kPlugin,
      &torch::kPlugin,
      &mpi::kPlugin,
      &jax::kPlugin,
      &xgboost::kPlugin,
      &flux::kPlugin,
      &coscheduling::kPlugin,
      &volcano::kPlugin,
      &jobset::kPlugin,
  });
  return kPlugins;
}

const Framework* framework_of(const RuntimeInfo& info) {
  for (const Plugin* plugin : registry()) {
    if (plugin->framework.is_used && plugin->framework.is_used(info)) return &plugin->framework;
  }
  return nullptr;
}

std::string_view label_of(const Framework& framework, const RuntimeInfo& info) {
  const auto fits = [&](const FrameworkLabel& label) {
    return info.runtime->id.name.starts_with(label.name_prefix);
  };
  const auto label = std::ranges::find_if(framework.labels, fits);
  return label != framework.labels.end() ? label->value : std::string_view();
}

std::span<const std::string_view> env_of(const Framework& framework, const RuntimeInfo& info) {
  return framework.dialect_env ? framework.dialect_env(info) : framework.env;
}

std::string_view processes_of(const Framework& framework, const RuntimeInfo& info) {
  return framework.dialect_processes ? framework.dialect_processes(info) : framework.processes;
}

std::string frameworks_with_processes() {
  std::vector<std::string_view> titles;
  for (const Plugin* plugin : registry()) {
    if (plugin->framework.has_processes) titles.push_back(plugin->framework.title);
  }
  return base::word_list(titles);
}

const OwnedObject* find_owned_object(std::string_view kind, std::string_view name) {
  for (const Plugin* plugin : registry()) {
    for (const OwnedObject& object : plugin->objects) {
      if (object.matches(kind, name)) return &object;
    }
  }
  return nullptr;
}

bool has_content(OwnedObject::Content content, std::string_view kind, std::string_view name) {
  const OwnedObject* owned = find_owned_object(kind, name);
  return owned && owned->content == content;
}

}  // namespace trainjobc::policy
