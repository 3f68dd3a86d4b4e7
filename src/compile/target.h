// SPDX-License-Identifier: Apache-2.0

// The Trainer version that an object is compiled for.
#pragma once

#include <string_view>

#include "model/behaviours.h"
#include "schema/schema.h"

namespace trainjobc::compile {

struct Target {
  const schema::VersionSchemas* schemas = nullptr;
  const model::Behaviours* behaviours = nullptr;

  bool operator==(const Target&) const = default;
};

Target target_for(const model::Behaviours& behaviours);

// `trainer_version` is one of all_behaviours(); anything else, "auto" too, is the newest.
Target choose_target(std::string_view trainer_version);

}  // namespace trainjobc::compile
