// SPDX-License-Identifier: Apache-2.0

// Removes what API servers fill in.
#pragma once

#include "yaml/node.h"

namespace trainjobc::diff {

// `object` without status, without the metadata that only servers and controllers write (uid, managedFields,
// ownerReferences…) and a Secret's default type, and with a Secret's stringData moved to data, as servers
// store it.
const yaml::Node* without_server_fields(const yaml::Node& object, const yaml::Maker& make);

// A Secret with masked values, on both sides if both are given: "***" if they are equal, "*** (before)" and
// "*** (after)" if not. Other objects stay as they are. nullptr stays nullptr.
struct Sides {
  const yaml::Node* live = nullptr;
  const yaml::Node* rendered = nullptr;
};
Sides mask_secrets(Sides objects, const yaml::Maker& make);

}  // namespace trainjobc::diff
