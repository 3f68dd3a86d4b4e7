// The order of variables, which means nothing by itself.
#pragma once

#include "yaml/node.h"

namespace trainjobc::diff {

// `rendered`, a JobSet, with the variables of each container in the order of `live`, if those are of the same
// names and none refers to another that only then comes after it. Trainer's own order is random for some
// policies, and an update of a JobSet may not change it. Shares what did not change.
const yaml::Node* with_live_env_order(const yaml::Node& rendered, const yaml::Node& live,
                                      const yaml::Maker& make);

}  // namespace trainjobc::diff
