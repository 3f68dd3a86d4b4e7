// SPDX-License-Identifier: Apache-2.0

// Instead of policies.cpp, team_engine.cpp and what they need, in a build without CEL (TRAINJOBC_POLICIES).
#include <utility>

#include "platform/policies.h"
#include "platform/team.h"

namespace trainjobc::platform {

bool may_have_policies(std::string_view) {
  return false;
}

bool is_policy_object(const yaml::Node&) {
  return false;
}

std::unique_ptr<const Policies> read_policies(const std::vector<const yaml::Node*>&,
                                              const std::vector<const yaml::Node*>&) {
  return nullptr;
}

class TeamRules::Engine {};

TeamRules::TeamRules(std::vector<TeamRule> rules, std::vector<const yaml::Node*> policies,
                     std::shared_ptr<const Memory> memory)
    : memory_(std::move(memory)), rules_(std::move(rules)), policies_(std::move(policies)) {}

TeamRules::~TeamRules() = default;

void TeamRules::check(const Subject&, const std::string&, const yaml::Node*, base::Diagnostics&) const {}

const yaml::Node* plan_of(const CompiledJob&, const std::vector<Subject>&, const yaml::Maker&) {
  return nullptr;
}

}  // namespace trainjobc::platform
