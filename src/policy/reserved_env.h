// Env names that a framework sets itself.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "policy/plugin.h"

namespace trainjobc::policy {

// The elements of spec.trainer.env whose name is reserved.
std::vector<const yaml::Node*> find_reserved_env(const RuntimeInfo& info,
                                                 std::span<const std::string_view> names);

// Reports each that the framework sets under spec.trainer.env, as Trainer's torch and MPI webhooks do.
void check_reserved_env(PluginContext& context, const Framework& framework);

}  // namespace trainjobc::policy
