// SPDX-License-Identifier: Apache-2.0

// Objects as the files that kubectl passes to a diff program.
#pragma once

#include <string>

#include "features/diff/difference.h"

namespace trainjobc::diff {

// group.version.Kind.namespace.name, as kubectl names it.
std::string manifest_name(const ObjectDiff& object);

// YAML with sorted keys; "" for nullptr.
std::string manifest_of(const yaml::Node* object);

}  // namespace trainjobc::diff
