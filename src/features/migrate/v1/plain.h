// SPDX-License-Identifier: Apache-2.0

// Jobs whose variables are written out: a replicatedJob for each kind of replica, and no policy of Trainer.
#pragma once

#include "features/migrate/v1/draft.h"

namespace trainjobc::migrate::v1 {

// A replica as a replicatedJob of its own, called like the replica. Its container keeps its name.
DraftRole plain_role(Conversion& conversion, const Replica& replica);
// Makes the draft a runtime of this job only.
void finish_plain(Conversion& conversion, std::string_view framework);

// PyTorchJob and XGBoostJob whose master differs from the workers.
void draft_plain_torch(Conversion& conversion);
void draft_plain_xgboost(Conversion& conversion);

// The variables of XGBoostJob, with the first pod's address and the others', and where a pod finds its rank.
NodeList xgboost_env(const Conversion& conversion, std::string_view master,
                     const std::vector<std::string>& workers, std::string_view rank);

}  // namespace trainjobc::migrate::v1
