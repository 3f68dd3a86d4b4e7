// SPDX-License-Identifier: Apache-2.0

// Objects as they would be after the update.
#pragma once

#include <span>

#include "features/diff/difference.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// `live` with the changed fields as rendered, everything else in the spelling and order of `live`.
const yaml::Node* apply_differences(const yaml::Node& live, std::span<const Difference> differences,
                                    const yaml::Maker& make);

}  // namespace trainjobc::diff
