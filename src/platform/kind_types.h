// SPDX-License-Identifier: Apache-2.0

// The types that CEL's checker gives the objects of each kind, from the schemas of all Trainer versions.
#pragma once

#include <string_view>
#include <vector>

#include "cel/cel.h"

namespace trainjobc::platform {

// What the checker refuses in an expression over `object`, of that kind, and `plan`; nothing if the schemas
// of one version at least accept it. API servers warn of this in the status of a policy.
std::vector<cel::Issue> issues_of_fields(std::string_view expression, std::string_view kind,
                                         const cel::Type& plan);

}  // namespace trainjobc::platform
