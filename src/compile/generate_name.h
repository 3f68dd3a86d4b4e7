// Under which namespace and name a TrainJob is admitted: --namespace, and metadata.generateName offline.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::compile {

// `root` with metadata.name made of its generateName and a suffix, where it has no name. The suffix is the
// given one or, where that is "", five characters from the hash of the object's content: the same input
// always gets the same name.
const yaml::Node* with_generated_name(const yaml::Node& root, std::string_view suffix,
                                      const yaml::Maker& make);

// The same, with metadata.namespace set to `ns` before, where it has none and `ns` is not "".
const yaml::Node* with_own_name(const yaml::Node& root, const std::string& ns, std::string_view suffix,
                                const yaml::Maker& make);

}  // namespace trainjobc::compile
