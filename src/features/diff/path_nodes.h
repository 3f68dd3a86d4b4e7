// SPDX-License-Identifier: Apache-2.0

// Finds the nodes on a path.
#pragma once

#include <vector>

#include "schema/compare.h"
#include "yaml/node.h"

namespace trainjobc::diff {

enum class Side { Live, Rendered };

// The nodes from `root` along `path`, as far as they exist: `root` first. `side` selects which of the path's
// indices are used for lists.
std::vector<const yaml::Node*> nodes_along(const yaml::Node& root, const schema::FieldPath& path, Side side);

// The same in a third object, whose list maps may have another order: items are found by their keys.
std::vector<const yaml::Node*> nodes_like(const yaml::Node& root, const schema::FieldPath& path);
// The node to which one step of such a path leads from `parent`; nullptr if there is none.
const yaml::Node* child_like(const yaml::Node& parent, const schema::Step& step);

}  // namespace trainjobc::diff
