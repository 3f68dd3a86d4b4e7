#include "policy/reserved_env.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainjobc::policy {

std::vector<const yaml::Node*> find_reserved_env(const RuntimeInfo& info,
                                                 std::span<const std::string_view> names) {
  std::vector<const yaml::Node*> found;
  if (!info.job->trainer || !info.job->trainer->env) return found;
  for (const yaml::Node* env : info.job->trainer->env->items()) {
    const yaml::Node* name = env->get("name");
    if (name && std::ranges::find(names, name->text()) != names.end()) found.push_back(env);
  }
  return found;
}

void check_reserved_env(PluginContext& context, const Framework& framework) {
  for (const yaml::Node* env : find_reserved_env(context.info, framework.env)) {
    const yaml::Node* name = env->get("name");
    context.findings.add("input/reserved-env", "spec.trainer.env",
                         fmt::format("{} is reserved: the {} runtime sets it", name->text(), framework.title),
                         name, "remove it");
  }
}

}  // namespace trainjobc::policy
