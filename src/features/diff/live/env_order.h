// SPDX-License-Identifier: Apache-2.0

// Ignores differences in the order of variables.
#pragma once

#include "yaml/node.h"

namespace trainjobc::diff {

// `rendered`, a JobSet, with the variables of each container in the order of `live`, if the names are the
// same and no variable would then refer to a later one. Trainer's own order is random for some policies, and
// an update of a JobSet can't change it. Shares what did not change.
const yaml::Node* with_live_env_order(const yaml::Node& rendered, const yaml::Node& live,
                                      const yaml::Maker& make);

}  // namespace trainjobc::diff
