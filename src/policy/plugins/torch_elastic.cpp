#include "policy/plugins/torch_elastic.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "policy/plugins/torch.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

const model::ElasticPolicy* elastic_of(const RuntimeInfo& info) {
  const auto& elastic = info.policy->torch->elastic;
  return elastic ? &*elastic : nullptr;
}

}  // namespace

std::string node_range(const RuntimeInfo& info, int64_t nodes) {
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic || (!elastic->min_nodes && !elastic->max_nodes)) return std::to_string(nodes);
  const int64_t most = elastic->max_nodes ? elastic->max_nodes->value : nodes;
  const int64_t least = elastic->min_nodes ? elastic->min_nodes->value : std::min<int64_t>(1, most);
  return fmt::format("{}:{}", least, most);
}

// Source of the rule: the API's own words, "only the c10d backend is supported", and torchrun's variables.
void inject_rendezvous(PluginContext& context, Container& container) {
  const RuntimeInfo& info = context.info;
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic) return;
  const yaml::Maker& make = context.make;
  const auto add = [&](std::string_view name, std::string_view value, const Node* source) {
    upsert_env(container.env, env_value(make, name, value, make.made("torch/elastic", {source})));
  };
  add("PET_RDZV_BACKEND", "c10d", elastic->node);
  add("PET_RDZV_ENDPOINT", fmt::format("{}:{}", first_node_address(info), model::kTrainerPort),
      elastic->node);
  add("PET_RDZV_ID", info.job_name(), elastic->node);
  if (elastic->max_restarts)
    add("PET_MAX_RESTARTS", std::to_string(elastic->max_restarts->value), elastic->max_restarts->node);
}

}  // namespace trainjobc::policy::torch
