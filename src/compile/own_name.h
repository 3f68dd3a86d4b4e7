// SPDX-License-Identifier: Apache-2.0

// The namespace and name of a TrainJob: --namespace, and metadata.generateName offline.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::compile {

// Returns five characters that depend only on the tree's content.
std::string content_suffix(const yaml::Node& root);

// `root`; if it has no namespace and `ns` is not "", with metadata.namespace set to `ns`; if it has no name,
// with metadata.name set to its generateName and a suffix: `suffix` or, if that is "", five characters from
// the hash of the object's content, so that the same input always gets the same name.
const yaml::Node* with_own_name(const yaml::Node& root, const std::string& ns, std::string_view suffix,
                                const yaml::Maker& make);

}  // namespace trainjobc::compile
