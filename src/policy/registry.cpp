#include <algorithm>
#include <array>

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
