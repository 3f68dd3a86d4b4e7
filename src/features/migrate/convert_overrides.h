// SPDX-License-Identifier: Apache-2.0

// Converts a TrainJob's changes to its runtime from one generation of the API to another: podSpecOverrides,
// podTemplateOverrides, runtimePatches, and spec.labels and spec.annotations, which are now part of the
// patches.
#pragma once

#include <string>

#include "model/behaviours.h"
#include "schema/schema.h"
#include "features/migrate/loss.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct OverrideTarget {
  const model::Behaviours& behaviours;
  const schema::Schema& spec;  // of a TrainJob
  std::string manager;         // of the patches that overrides become: a domain-prefixed path
};

// The spec of a TrainJob with its changes in the form of the target version; `spec` itself if there is
// nothing to convert. New collections have the origin of those that they replace.
const yaml::Node* convert_overrides(const yaml::Node& spec, const OverrideTarget& target,
                                    const yaml::Maker& make, Losses& losses);

}  // namespace trainjobc::migrate
