// SPDX-License-Identifier: Apache-2.0

// The claims that JobSet creates for a JobSet's volumeClaimPolicies, and what happens to them when it is
// deleted.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::submit {

// What happens to the claims of a deleted JobSet, for people: indented lines.
std::string claims_lost(const yaml::Node& job_set, std::string_view flag_of_namespace);

// `job_set` without the claim templates whose claims are deleted with `live`. JobSet's webhook refuses a
// JobSet while its claims exist, so these templates can't be tried before.
const yaml::Node* without_deleted_claims(const yaml::Node& job_set, const yaml::Node& live,
                                         const yaml::Maker& make);

}  // namespace trainjobc::submit
