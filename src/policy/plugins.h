// SPDX-License-Identifier: Apache-2.0

// The plugins that the registry lists, one namespace and one file for each.
#pragma once

#include "policy/plugin.h"

namespace trainjobc::policy {

namespace plainml {
extern const Plugin kPlugin;
}
namespace torch {
extern const Plugin kPlugin;
}
namespace mpi {
extern const Plugin kPlugin;
}
namespace jax {
extern const Plugin kPlugin;
}
namespace xgboost {
extern const Plugin kPlugin;
}
namespace flux {
extern const Plugin kPlugin;
}
namespace coscheduling {
extern const Plugin kPlugin;
}
namespace volcano {
extern const Plugin kPlugin;
}
namespace jobset {
extern const Plugin kPlugin;
}

}  // namespace trainjobc::policy
