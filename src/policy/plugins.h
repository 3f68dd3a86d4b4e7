// The functions that the registry lists, one namespace a plugin; each has a file of its own.
#pragma once

#include "policy/plugin.h"

namespace trainjobc::policy {

namespace plainml {
void expand(PluginContext& context);
}
namespace torch {
void validate(PluginContext& context);
void expand(PluginContext& context);
}  // namespace torch
namespace mpi {
void validate(PluginContext& context);
void expand(PluginContext& context);
void build(PluginContext& context, NodeList& objects);
}  // namespace mpi
namespace jax {
void expand(PluginContext& context);
}
namespace xgboost {
void validate(PluginContext& context);
void expand(PluginContext& context);
}  // namespace xgboost
namespace flux {
void validate(PluginContext& context);
void expand(PluginContext& context);
void build(PluginContext& context, NodeList& objects);
}  // namespace flux
namespace coscheduling {
void expand(PluginContext& context);
void build(PluginContext& context, NodeList& objects);
}  // namespace coscheduling
namespace volcano {
void validate(PluginContext& context);
void expand(PluginContext& context);
void build(PluginContext& context, NodeList& objects);
}  // namespace volcano
namespace jobset {
void validate(PluginContext& context);
}

}  // namespace trainjobc::policy
