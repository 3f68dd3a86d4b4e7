// SPDX-License-Identifier: Apache-2.0

// The objects that a draft becomes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/migrate/v1/draft.h"
#include "features/migrate/v1/split.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// Everything that the draft says, as the spec of a runtime.
const yaml::Node* complete_spec(const Draft& draft, const yaml::Maker& make);

struct RuntimeName {
  std::string_view kind;
  std::string ns;  // "" if the object names none
  std::string name;
};

const yaml::Node* runtime_object(const RuntimeName& id, std::string_view framework, const yaml::Node& spec,
                                 const yaml::Maker& make);

// The TrainJob: what the v1 job says of itself, and `say` of its runtime.
const yaml::Node* train_job_object(const Conversion& conversion, const RuntimeName& runtime,
                                   const std::vector<Said>& say, const std::string& manager);

}  // namespace trainjobc::migrate::v1
