// SPDX-License-Identifier: Apache-2.0

// What an API server refuses in one object.
#pragma once

#include <vector>

#include "base/diagnostic.h"

namespace trainjobc::k8s {

// With rule, field, message, hint and location; the caller adds object and stage.
using Violations = std::vector<base::Diagnostic>;

}  // namespace trainjobc::k8s
