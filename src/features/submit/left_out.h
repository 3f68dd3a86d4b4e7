// SPDX-License-Identifier: Apache-2.0

// Fields that another controller owns: applying them would always be a conflict, so they are left out.
#pragma once

#include <string>
#include <vector>

#include "features/cluster/compare.h"
#include "yaml/node.h"

namespace trainjobc::submit {

// A field that is not sent.
struct LeftOut {
  std::string field;    // "spec.suspend"
  std::string manager;  // "kueue"
};

// `rendered` without the fields that another controller owns according to `differences`. Adds each of them to
// `left_out`.
const yaml::Node* without_others_fields(const yaml::Node& rendered, const cluster::ObjectDiff& differences,
                                        const yaml::Maker& make, std::vector<LeftOut>& left_out);

}  // namespace trainjobc::submit
