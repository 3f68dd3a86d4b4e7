// A TrainJob's changes to its runtime, from one generation of the API to another: podSpecOverrides,
// podTemplateOverrides, runtimePatches, and spec.labels and spec.annotations, which the patches took in.
#pragma once

#include <string>

#include "model/behaviours.h"
#include "schema/schema.h"
#include "tools/migrate/loss.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct OverrideTarget {
  const model::Behaviours& behaviours;
  const schema::Schema& spec;  // of a TrainJob
  std::string manager;         // of the patches that overrides become: a domain-prefixed path
};

// The spec of a TrainJob with its changes as the target takes them, in the place of the old ones; `spec`
// itself where there is nothing to change. New collections have the origin of what they take the place of.
const yaml::Node* convert_overrides(const yaml::Node& spec, const OverrideTarget& target,
                                    const yaml::Maker& make, Losses& losses);

}  // namespace trainjobc::migrate
