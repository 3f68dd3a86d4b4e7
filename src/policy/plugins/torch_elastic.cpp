// SPDX-License-Identifier: Apache-2.0

#include "policy/plugins/torch_elastic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"
#include "model/trainer_names.h"
#include "policy/build_nodes.h"
#include "policy/plugins/torch.h"
#include "yaml/fields.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

const model::ElasticPolicy* elastic_of(const RuntimeInfo& info) {
  const auto& elastic = info.policy->torch->elastic;
  return elastic ? &*elastic : nullptr;
}

constexpr std::string_view kIsHost = "is_host=";

bool is_config(const Node* env) {
  return text_at(*env, "name") == kRendezvousConfig;
}

std::string_view value_of(const Node& env) {
  return text_at(env, "value");
}

// The job's own, which replaces any other; nullptr without.
const Node* config_of_job(const RuntimeInfo& info) {
  const Node* list = info.job->trainer ? info.job->trainer->env : nullptr;
  if (!list) return nullptr;
  const auto own = std::ranges::find_if(list->items(), is_config);
  return own != list->items().end() ? *own : nullptr;
}

// The first node must host the rendezvous, but torchrun 1.13 does not recognize the endpoint, which lacks the
// cluster's domain, as its own name. If told to host one, every node does, and all use the endpoint's.
std::string rendezvous_config(const RuntimeInfo& info, const Container& container) {
  if (const Node* own = config_of_job(info)) return std::string(value_of(*own));
  const auto given = std::ranges::find_if(container.env, is_config);
  const std::string_view value = given != container.env.end() ? value_of(**given) : std::string_view();
  if (value.find(kIsHost) != std::string_view::npos) return std::string(value);
  return fmt::format("{}true{}{}", kIsHost, value.empty() ? "" : ",", value);
}

}  // namespace

std::string node_range(const RuntimeInfo& info, int64_t nodes) {
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic || (!elastic->min_nodes && !elastic->max_nodes)) return std::to_string(nodes);
  const int64_t most = elastic->max_nodes ? elastic->max_nodes->value : nodes;
  const int64_t least = elastic->min_nodes ? elastic->min_nodes->value : std::min<int64_t>(1, most);
  return fmt::format("{}:{}", least, most);
}

std::string ElasticSetting::flag() const {
  constexpr std::string_view kPrefix = "PET_";
  return "--" + base::lower_case(variable.substr(kPrefix.size()));
}

// Source of the rule: the API's own words, "only the c10d backend is supported", and torchrun's variables.
std::vector<ElasticSetting> elastic_settings(const RuntimeInfo& info, const Container& container) {
  const model::ElasticPolicy* elastic = elastic_of(info);
  if (!elastic) return {};
  std::vector<ElasticSetting> settings{
      {kRendezvousBackend, "c10d", elastic->node},
      {kRendezvousHost, fmt::format("{}:{}", first_node_address(info), model::kTrainerPort), elastic->node},
      {kRendezvousId, std::string(info.job_name()), elastic->node}};
  if (std::string config = rendezvous_config(info, container); !config.empty())
    settings.push_back({kRendezvousConfig, std::move(config), elastic->node});
  if (elastic->max_restarts)
    settings.push_back(
        {kMaxRestarts, std::to_string(elastic->max_restarts->value), elastic->max_restarts->node});
  return settings;
}

void inject_rendezvous(PluginContext& context, Container& container) {
  const yaml::Maker& make = context.make;
  const Node* own = elastic_of(context.info) ? config_of_job(context.info) : nullptr;
  if (own && value_of(*own).find(kIsHost) == std::string_view::npos) {
    context.findings.add(
        "advice/generated-env", "spec.trainer.env",
        fmt::format("{} replaces is_host=true, without which torchrun 1.13 starts no rendezvous",
                    kRendezvousConfig),
        own, "add is_host=true to the value");
  }
  for (const ElasticSetting& setting : elastic_settings(context.info, container)) {
    upsert_env(container.env, env_value(make, setting.variable, setting.value,
                                        make.made("torch/elastic", {setting.source})));
  }
}

void complete_with_first_node(PluginContext& context, PodSet& trainer) {
  const model::ElasticPolicy* elastic = elastic_of(context.info);
  if (!elastic || trainer.replicated_job->at({"template", "spec", "successPolicy"})) return;
  const yaml::Maker& make = context.make;
  const yaml::Origin origin = make.made("torch/elastic", {elastic->node});
  const Node* rule = map_of(make, {{"succeededIndexes", make.string("0", origin)}}, origin);
  const Node* policy = map_of(make, {{"rules", make.list(NodeList{rule}, origin)}}, origin);
  trainer.replicated_job =
      make.with_path(trainer.replicated_job, {"template", "spec", "successPolicy"}, policy);
}

}  // namespace trainjobc::policy::torch
