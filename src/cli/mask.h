// Secrets without their values.
#pragma once

#include "yaml/node.h"

namespace trainjobc::cli {

// A Secret with every value of data and stringData replaced by "***"; other objects as they are.
const yaml::Node* mask_secret(const yaml::Node& object, const yaml::Maker& make);

}  // namespace trainjobc::cli
