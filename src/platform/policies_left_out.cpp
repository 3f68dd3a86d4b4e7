// SPDX-License-Identifier: Apache-2.0

// Instead of policies.cpp and what it needs, in a build without CEL (TRAINJOBC_POLICIES).
#include "platform/policies.h"

namespace trainjobc::platform {

bool may_have_policies(std::string_view) {
  return false;
}

bool is_policy_object(const yaml::Node&) {
  return false;
}

std::unique_ptr<const Policies> read_policies(const std::vector<const yaml::Node*>&) {
  return nullptr;
}

}  // namespace trainjobc::platform
