// SPDX-License-Identifier: Apache-2.0

// The namespace and name of a TrainJob: --namespace, and metadata.generateName offline.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::compile {

// Five characters from the hash of the tree's content.
std::string content_suffix(const yaml::Node& root);

// `root`; if it has no name, with metadata.name set to its generateName and a suffix. The suffix is the given
// one or, if that is "", five characters from the hash of the object's content: the same input always gets
// the same name.
const yaml::Node* with_generated_name(const yaml::Node& root, std::string_view suffix,
                                      const yaml::Maker& make);

// The same, after setting metadata.namespace to `ns` if it has none and `ns` is not "".
const yaml::Node* with_own_name(const yaml::Node& root, const std::string& ns, std::string_view suffix,
                                const yaml::Maker& make);

}  // namespace trainjobc::compile
