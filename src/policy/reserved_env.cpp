// SPDX-License-Identifier: Apache-2.0

#include "policy/reserved_env.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainjobc::policy {

void check_reserved_env(PluginContext& context, const Framework& framework, ReservedEnvField field) {
  const auto& trainer = context.info.job->trainer;
  if (!trainer || !trainer->env) return;
  for (size_t i = 0; i < trainer->env->size(); ++i) {
    const yaml::Node* name = trainer->env->items()[i]->get("name");
    if (!name || std::ranges::find(framework.env, name->text()) == framework.env.end()) continue;
    context.findings.add(
        "input/reserved-env",
        field == ReservedEnvField::Item ? fmt::format("spec.trainer.env[{}]", i) : "spec.trainer.env",
        fmt::format("{} is reserved: the {} runtime sets it", name->text(), framework.title), name,
        "remove it");
  }
}

}  // namespace trainjobc::policy
